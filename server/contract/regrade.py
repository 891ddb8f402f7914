"""The wire models of grading stored answers anew."""

from typing import Literal

from question_bank.models import Slug
from server.contract.wire import Share, Wire

__all__ = [
    "PhraseChange",
    "RegradeChange",
    "RegradeFailure",
    "RegradeRequest",
    "RegradeResult",
]


class RegradeRequest(Wire):
    """``dry_run``: only tell what would change; ``question_id``: only answers to this question."""

    dry_run: bool = False
    question_id: Slug | None = None


class PhraseChange(Wire):
    """A phrase whose status changed; ``None``: the question did not have the phrase."""

    phrase: str
    before: Literal["covered", "partial", "missing"] | None
    after: Literal["covered", "partial", "missing"] | None


class RegradeChange(Wire):
    """What grading anew changed for one attempt."""

    attempt_id: int
    question_id: str
    score_before: Share
    score_after: Share
    grader_version_before: str
    grader_version_after: str
    bank_version_before: str
    bank_version_after: str
    phrases: tuple[PhraseChange, ...]


class RegradeFailure(Wire):
    """An attempt that could not be graded anew; its report stays as it was."""

    attempt_id: int
    question_id: str
    reason: str


class RegradeResult(Wire):
    """The outcome of a regrade: only attempts that changed or failed are listed."""

    dry_run: bool
    graded: int
    changes: tuple[RegradeChange, ...] = ()
    failures: tuple[RegradeFailure, ...] = ()
