"""The wire models of answers: on their way to the server, stored, and listed as a history."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import (
    AwareDatetime,
    Field,
    StringConstraints,
)

from question_bank.models import RoundName, Slug
from server.contract.report import Report
from server.contract.transcript import Evidence, Short, Transcript
from server.contract.wire import Share, Wire


class Submission(Wire):
    """An answer on its way to the server. The same ``submission_id`` is stored only once."""

    submission_id: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")]
    question_id: Short
    created_at: datetime
    transcript: Transcript
    evidence: Evidence = Evidence()


class SentAnswer(Submission):
    """A submission as any client sends it.

    ``sense``: vectors that clients of 0.2.0 computed. They are ignored: the server computes its
        own, because a client's could claim what its words do not say.
    """

    sense: Any = Field(default=None, exclude=True)

    @property
    def submission(self) -> Submission:
        """The answer itself, as it is stored and compared."""
        named = {name: getattr(self, name) for name in Submission.model_fields}
        return Submission.model_construct(**named)


class Attempt(Wire):
    """A stored answer with its latest report, as its reviewers corrected it.

    The report's transcript may be a newer one than the submission's (``Revision``). ``version``
    counts its reports from 1; the earlier ones are kept.
    """

    id: int
    submission: Submission
    report: Report
    role: str | None = None
    round: str | None = None
    topic: str | None = None
    version: int = 1


class MeantAnswer(Wire):
    """What the candidate says about a key phrase: answers "Did you mean …?", or "I did say it".

    ``meant``: yes or no; ``None`` withdraws an earlier answer. ``words``: those of the answer that
        say the phrase. If the grader does not ask, a yes needs them.
    """

    phrase: Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^[^\x00]*$")]
    meant: bool | None
    words: Annotated[str, StringConstraints(max_length=500, pattern=r"^[^\x00]*$")] = ""


class SaidRight(Wire):
    """What the candidate says about a verdict on a term: "I said it right", at all its places.

    ``right``: ``False`` withdraws an earlier one.
    """

    term: Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^[^\x00]*$")]
    right: bool = True


class AttemptSummary(Wire):
    """One line of the history.

    ``graded_score``: the grader's own, if a reviewer corrected a verdict and so the ``score``.
        ``grader_version``: scores of different major versions cannot be compared; empty if the
        server does not send it. ``report_tag`` changes whenever the attempt's report does.
        ``engine`` wrote the transcript, and the candidate corrected it in ``corrections`` places.
        ``submission_id`` identifies the recording; empty if the server does not send it.
    """

    id: int
    question_id: str
    created_at: datetime
    role: str | None
    round: str | None
    topic: str | None
    score: Share
    words: int
    answer_s: float | None
    engine: str
    graded_score: Share | None = None
    report_tag: str = ""
    grader_version: str = ""
    corrections: int = 0
    submission_id: str = ""


class HistoryQuery(Wire):
    """Which attempts to list, newest first; ``since`` is included, ``until`` is not."""

    role: Slug | None = None
    round: RoundName | None = None
    question_id: Slug | None = None
    since: AwareDatetime | None = None
    until: AwareDatetime | None = None
    limit: int = Field(default=50, ge=1, le=500)
    offset: int = Field(default=0, ge=0, le=1_000_000_000)


class HistoryPage(Wire):
    """A page of the history; ``total`` counts what matches on all pages."""

    total: int
    attempts: tuple[AttemptSummary, ...]
