"""An answer as it is sent for grading, and its outcome."""

import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from server.contract import Evidence, Report, Submission, Transcript

if TYPE_CHECKING:  # the journal brings what records and reads sound
    from client.journal.entry import Entry


@dataclass(frozen=True)
class Outcome:
    """The outcome of an answer.

    Attributes:
        submission: the answer as it was sent.
        report: the report; ``None`` where the server is away and the answer waits.
        attempt_id: its number in the history; ``None`` where it was not stored (yet).
        waiting: why it waits in the outbox; empty where it does not.
        unsaved: why it is graded but kept nowhere, as on a full disk; empty where it is kept.
    """

    submission: Submission
    report: Report | None
    attempt_id: int | None = None
    waiting: str = ""
    unsaved: str = ""


def new_submission(
    question_id: str,
    transcript: Transcript,
    evidence: Evidence | None = None,
    entry: "Entry | None" = None,
) -> Submission:
    """An answer with its id and time from the journal; without an entry, one given now."""
    return Submission(
        submission_id=entry.submission_id if entry else uuid.uuid4().hex,
        question_id=question_id,
        created_at=entry.spoken_at if entry else datetime.now(UTC),
        transcript=transcript,
        evidence=evidence or Evidence(),
    )
