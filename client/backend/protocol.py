"""What the client can ask of a server, in this process or over HTTP.

The server's ``Service`` has the shape of ``Backend``; so has its counterpart over HTTP.
"""

# The wire models, which take 0.2 s to import, are named only in annotations.
from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import wraps
from typing import Any, Final, Protocol

from client.core.errors import ClientError
from question_bank.models import Bank, Question, RoundName
from server.contract import (
    Archive,
    ArchivedAttempt,
    Attempt,
    DrillCard,
    DrillImport,
    DrillQuery,
    DrillQueue,
    DrillReview,
    FollowUpAnswer,
    HistoryPage,
    HistoryQuery,
    ImportResult,
    LanguageRequest,
    MeantAnswer,
    MergedReview,
    PurgeRequest,
    PurgeResult,
    RegradeResult,
    Report,
    ReviewDocument,
    ReviewedDrill,
    Revision,
    SaidRight,
    Submission,
)

Progress = Callable[[int, int], None]
"""Called with (done, total)."""

_REFUSED: Final = frozenset({400, 404, 409, 410, 413, 422})
"""Refused because of what was sent. The other 4xx are about who sends, when and where to (401,
403, 421, 429 …): after signing in, waiting or correcting the address the same is accepted."""

_POISON: Final = frozenset({"grader-failed"})
"""Failures of the server (5xx) that concern this one answer and must not block the rest."""

_WRONG_ADDRESS: Final = "no-such-address"
"""A 404 for the address itself, not for what was sent to it."""


SET_ASIDE: Final = "refused"
"""The code of a refusal that the outbox keeps, with the answer."""


class BackendError(ClientError):
    """The server did not do what was asked; the text says why."""


class UnavailableError(BackendError):
    """The server cannot be reached or cannot answer now. It may later."""


class QueuedError(UnavailableError):
    """The server cannot be reached; the answer is safe on the disk and is sent later."""


class SignInNeededError(UnavailableError):
    """The server requires a token, or no longer accepts this one; the text says what to do.

    Answers wait meanwhile, as they do for a server that is away.
    """


class RejectedError(BackendError):
    """The server answered, and refused: asking the same again would be refused again.

    Attributes:
        code: the server's name for the reason, e.g. ``not-found``.
        errors: one line for each field that it refused.
    """

    def __init__(self, message: str, code: str, errors: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.code = code
        self.errors = errors


def failure(
    status: int, code: str, detail: str, *, prefix: str = "", errors: tuple[str, ...] = ()
) -> BackendError:
    """The client's error for one of the server's: the only place where they are mapped.

    Args:
        status: the HTTP status of the server's error.
        code: the server's name for the reason.
        detail: one line for a person.
        prefix: stands before the detail in an ``UnavailableError``.
        errors: one line for each field that was refused.
    """
    refused = status in _REFUSED and code != _WRONG_ADDRESS
    if refused or code in _POISON:
        return RejectedError(detail, code, errors)
    return UnavailableError(prefix + detail)


class Drills(Protocol):
    """The use cases of a server's drills."""

    def review(self, review: DrillReview) -> ReviewedDrill:
        """Stores a take of a drill item, once, and schedules the item."""

    def queue(self, query: DrillQuery | None = None) -> DrillQueue:
        """What is due now, the longest overdue first."""

    def cards(self, drill_set: str | None = None) -> tuple[DrillCard, ...]:
        """All cards, of one set or of all, the one due first at the front."""

    def import_reviews(self, reviews: Sequence[DrillReview]) -> DrillImport:
        """Stores exported drill reviews; those it already has stay as they are."""


class Backend(Protocol):
    """The use cases of a server. Every method raises ``UnavailableError`` or ``RejectedError``."""

    @property
    def drills(self) -> Drills:
        """The use cases of its drills."""

    def bank(self) -> Bank:
        """Everything in the bank."""

    def question(self, question_id: str) -> Question:
        """One question of the bank."""

    def questions(
        self, *, role: str | None = None, round: RoundName | None = None, topic: str | None = None
    ) -> tuple[Question, ...]:
        """The bank's questions of one role, round or topic, or all."""

    def grade(self, submission: Submission, language: LanguageRequest | None = None) -> Report:
        """Grades an answer, on request with its English; nothing is stored."""

    def submit(self, submission: Submission) -> Attempt:
        """Grades and stores an answer; the same submission is stored only once."""

    def history(self, query: HistoryQuery | None = None) -> HistoryPage:
        """A page of the stored attempts, newest first."""

    def attempt(self, attempt_id: int) -> Attempt:
        """One attempt with its latest report."""

    def confirm(self, attempt_id: int, answer: MeantAnswer) -> Attempt:
        """Stores whether the candidate meant a phrase that the report asks about."""

    def language(self, attempt_id: int, request: LanguageRequest) -> Attempt:
        """Looks at the English of an answer, if nobody has yet; it may take seconds."""

    def said_right(self, attempt_id: int, answer: SaidRight) -> Attempt:
        """Stores that a term was said right although the report says otherwise."""

    def revise(self, attempt_id: int, revision: Revision) -> Attempt:
        """Grades an answer by another transcript, and keeps the earlier report too."""

    def follow_up(self, attempt_id: int, answer: FollowUpAnswer) -> Attempt:
        """Keeps what was said to a follow-up, once, and grades the whole answer with it."""

    def purge(self, request: PurgeRequest) -> PurgeResult:
        """Deletes attempts for good: by id, before a time, or all."""

    def regrade(
        self,
        *,
        dry_run: bool = False,
        question_id: str | None = None,
        progress: Progress | None = None,
    ) -> RegradeResult:
        """Grades all stored answers again, or those to one question."""

    def export_all(self) -> Archive:
        """Everything that is stored."""

    def export_one(self, attempt_id: int) -> Archive:
        """One attempt with all its reports."""

    def import_attempts(self, attempts: Sequence[ArchivedAttempt]) -> ImportResult:
        """Stores exported attempts; those it already has stay as they are."""

    def close(self) -> None:
        """Closes the database or the connections."""


class Reviews(Protocol):
    """What was written about your answers, in either place."""

    def document(self, attempt_id: int) -> ReviewDocument:
        """Comments, scores and corrected verdicts of one attempt."""

    def merge(self, document: ReviewDocument) -> MergedReview:
        """Merges a coach's file, each part once."""

    def delete_comment(self, attempt_id: int, external_id: str) -> None:
        """Deletes a comment of somebody without an account, with its replies."""


class Wrapped:
    """Passes every attribute on to a target; each call to a method runs inside a context.

    An attribute that is not a method is wrapped the same way. For the type checker, cast it to
    the target's protocol.
    """

    def __init__(
        self, target: object, context: Callable[[], AbstractContextManager[object]]
    ) -> None:
        self._target = target
        self._context = context

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._target, name)
        if not callable(value):
            return Wrapped(value, self._context)

        @wraps(value)
        def inside(*args: Any, **kwargs: Any) -> Any:
            with self._context():
                return value(*args, **kwargs)

        return inside
