"""An answer as it is sent for grading, and what became of it."""

import uuid
from dataclasses import dataclass
from datetime import UTC, datetime

from client.journal import KeptAnswer
from server.contract import Evidence, Report, Submission, Transcript


@dataclass(frozen=True)
class Outcome:
    """What became of an answer.

    Attributes:
        submission: the answer as it was sent.
        report: the report; ``None`` where the server is away and the answer waits.
        attempt_id: its number in the history; ``None`` where it was not stored (yet).
        waiting: why it waits in the outbox; empty where it does not.
    """

    submission: Submission
    report: Report | None
    attempt_id: int | None = None
    waiting: str = ""


def new_submission(
    question_id: str,
    transcript: Transcript,
    evidence: Evidence | None = None,
    kept: KeptAnswer | None = None,
) -> Submission:
    """An answer as it was kept in the journal, or one given now, with an id of its own."""
    return Submission(
        submission_id=kept.submission_id if kept else uuid.uuid4().hex,
        question_id=question_id,
        created_at=kept.spoken_at if kept else datetime.now(UTC),
        transcript=transcript,
        evidence=evidence or Evidence(),
    )
