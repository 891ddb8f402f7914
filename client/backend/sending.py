"""A backend whose answers go through the outbox, so that none is lost when the server is away."""

import logging
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Final, Self, TypeVar

from client.backend.outbox import Flush, Outbox, OutboxError, Waiting
from client.backend.protocol import Backend, Progress, RejectedError, UnavailableError
from client.backend.review_outbox import ReviewOutbox
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
    HistoryPage,
    HistoryQuery,
    ImportResult,
    PurgeRequest,
    PurgeResult,
    RegradeResult,
    Report,
    ReviewedDrill,
    Submission,
)

__all__ = ["AnswerWaitsError", "OutboxBackend", "ReviewWaitsError"]

T = TypeVar("T")

logger = logging.getLogger(__name__)

_KEPT: Final = "your answer is kept and will be sent later"

_TURN_TIMEOUT_S: Final = 15.0
"""How long an answer waits for another process that is sending: three graded answers at the
server's slowest (the HTTP read timeout is what bounds one)."""


class AnswerWaitsError(UnavailableError):
    """The server is away; the answer is safe on the disk and goes out later.

    Attributes:
        waiting: the answer's place in the outbox.
    """

    def __init__(self, message: str, waiting: Waiting) -> None:
        super().__init__(message)
        self.waiting = waiting


class ReviewWaitsError(UnavailableError):
    """The server is away; the drill's take is safe on the disk and goes out later."""


class OutboxBackend:
    """Passes everything on to a backend; answers are written to the outbox first.

    What waits is sent at the start (``flush``) and whenever the server has just answered.
    """

    def __init__(
        self,
        backend: Backend,
        outbox: Outbox,
        *,
        direct: bool = False,
        tell: Callable[[str], None] | None = None,
    ) -> None:
        """Makes the backend; sends nothing yet.

        Args:
            backend: the server.
            outbox: where answers wait for it.
            direct: the backend is in this process, so that its store is as safe as the outbox:
                an answer is put into the outbox only when the store cannot take it.
            tell: is given one line for a person when answers that waited went out or were
                refused; by default they are logged.
        """
        self._backend = backend
        self._direct = direct
        self._tell_sent = tell or logger.info
        self._tell_refused = tell or logger.warning
        self.outbox = outbox
        self.reviews = ReviewOutbox(outbox.folder)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the backend; what waits goes on waiting."""
        self._backend.close()

    def flush(self) -> Flush:
        """Sends what waits, if the server is there and no other process is sending."""
        flushed = self.outbox.flush(self._backend.submit)
        if flushed.sent or flushed.rejected:
            self._notify(flushed)
        reviews = self.reviews.flush(self._backend.review_drill)
        for _, reason in reviews.rejected:
            self._tell_refused(f"a waiting drill review was refused: {reason}")
        return flushed

    def _notify(self, flushed: Flush) -> None:
        if flushed.sent:
            self._tell_sent(f"{len(flushed.sent)} waiting answer(s) were sent")
        for each in flushed.rejected:
            self._tell_refused(f"a waiting answer was refused: {each.reason} (kept in {each.path})")

    def submit(self, submission: Submission) -> Attempt:
        """Grades and stores an answer.

        Raises:
            AnswerWaitsError: the server is away; the answer waits on the disk.
            RejectedError: the server refused it; it was set aside with the reason.
        """
        if self._direct and not self.outbox.pending():
            return self._submit_directly(submission)
        waiting = self.outbox.add(submission)
        flushed = self.outbox.flush(self._backend.submit, timeout_s=_TURN_TIMEOUT_S)
        attempt = flushed.sent.get(submission.submission_id)
        if attempt is not None:
            return attempt
        if waiting.path.exists():
            raise AnswerWaitsError(
                f"{flushed.problem}; {_KEPT} ({flushed.waiting} waiting)", waiting
            )
        for each in self.outbox.rejected():
            if each.submission_id == submission.submission_id:
                raise RejectedError(
                    f"the server refused the answer: {each.reason} (kept in {each.path})", "refused"
                )
        # Another process sent it in the meantime: the server gives back what it stored.
        return self._backend.submit(submission)

    def _submit_directly(self, submission: Submission) -> Attempt:
        try:
            return self._backend.submit(submission)
        except UnavailableError as error:
            waiting = self.outbox.add(submission)
            raise AnswerWaitsError(f"{error}; {_KEPT} (1 waiting)", waiting) from error

    def bank(self) -> Bank:
        """Everything in the bank."""
        return self._after(self._backend.bank())

    def question(self, question_id: str) -> Question:
        """One question of the bank."""
        return self._after(self._backend.question(question_id))

    def questions(
        self,
        *,
        role: str | None = None,
        round: RoundName | None = None,
        topic: str | None = None,
    ) -> tuple[Question, ...]:
        """The bank's questions of one role, round or topic, or all."""
        return self._after(self._backend.questions(role=role, round=round, topic=topic))

    def grade(self, submission: Submission) -> Report:
        """Grades an answer; nothing is stored."""
        return self._after(self._backend.grade(submission))

    def history(self, query: HistoryQuery | None = None) -> HistoryPage:
        """A page of the stored attempts, newest first."""
        return self._after(self._backend.history(query))

    def attempt(self, attempt_id: int) -> Attempt:
        """One attempt with its latest report."""
        return self._after(self._backend.attempt(attempt_id))

    def delete(self, attempt_id: int) -> None:
        """Deletes one attempt for good."""
        self._backend.delete(attempt_id)
        self._after(None)

    def purge(self, request: PurgeRequest) -> PurgeResult:
        """Deletes attempts for good, and with them what waits in the outbox."""
        result = self._backend.purge(request)
        if request.everything or request.before is not None:
            waiting = self.outbox.discard(before=request.before)
            result = result.model_copy(update={"deleted": result.deleted + waiting})
        if request.everything:
            drills = result.drill_reviews + self.reviews.discard()
            result = result.model_copy(update={"drill_reviews": drills})
        return self._after(result)

    def regrade(
        self,
        *,
        dry_run: bool = False,
        question_id: str | None = None,
        progress: Progress | None = None,
    ) -> RegradeResult:
        """Grades all stored answers anew, or those to one question."""
        return self._after(
            self._backend.regrade(dry_run=dry_run, question_id=question_id, progress=progress)
        )

    def export_all(self) -> Archive:
        """Everything that is stored."""
        return self._after(self._backend.export_all())

    def export_one(self, attempt_id: int) -> Archive:
        """One attempt with all its reports."""
        return self._after(self._backend.export_one(attempt_id))

    def import_attempts(self, attempts: Sequence[ArchivedAttempt]) -> ImportResult:
        """Stores exported attempts; what is there already is left as it is."""
        return self._after(self._backend.import_attempts(attempts))

    def review_drill(self, review: DrillReview) -> ReviewedDrill:
        """Stores a take of a drill item and schedules it.

        Raises:
            ReviewWaitsError: the server is away; the take waits on the disk.
            RejectedError: the server refused it.
        """
        try:
            return self._after(self._backend.review_drill(review))
        except UnavailableError as error:
            self.reviews.add(review)
            raise ReviewWaitsError(f"{error}; the take is kept and will be sent later") from error

    def drill_queue(self, query: DrillQuery | None = None) -> DrillQueue:
        """What is due now, the longest overdue first."""
        return self._after(self._backend.drill_queue(query))

    def drill_cards(self, drill_set: str | None = None) -> tuple[DrillCard, ...]:
        """All cards, of one set or over all."""
        return self._after(self._backend.drill_cards(drill_set))

    def import_reviews(self, reviews: Sequence[DrillReview]) -> DrillImport:
        """Stores exported drill reviews; what is there already is left as it is."""
        return self._after(self._backend.import_reviews(reviews))

    def _after(self, value: T) -> T:
        """The server has just answered: a good moment to send what waits."""
        try:
            self.flush()
        except OutboxError as error:
            # What was asked for is here; a full disk must not take it away.
            logger.warning("%s", error)
        return value
