"""A backend with an outbox, so that no answer or drill review is lost while the server is away."""

import logging
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from types import TracebackType
from typing import Final, Protocol, Self, cast

from client.backend.outbox import AnswerOutbox, Flush, OutboxError, ReviewOutbox
from client.backend.protocol import Backend, QueuedError, RejectedError, UnavailableError
from client.backend.wrapping import Wrapped
from server.contract import (
    Attempt,
    DrillReview,
    PurgeRequest,
    PurgeResult,
    ReviewedDrill,
    Submission,
)

logger = logging.getLogger(__name__)

_KEPT: Final = "your answer is kept and will be sent later"

_TURN_TIMEOUT_S: Final = 15.0
"""How long an answer waits for another process that is sending: three graded answers at the
server's slowest (the HTTP read timeout is what bounds one)."""


class OutboxBackend(Backend, Protocol):
    """A backend whose answers and drill reviews wait on the disk while the server is away.

    ``submit`` and ``drills.review`` raise ``QueuedError`` then. What waits is sent by ``flush``
    and whenever the server has just answered anything.
    """

    @property
    def outbox(self) -> AnswerOutbox:
        """The answers that wait."""

    @property
    def reviews(self) -> ReviewOutbox:
        """The drill reviews that wait."""

    def flush(self) -> Flush[Submission, Attempt]:
        """Sends what waits, if the server is there and no other process is sending."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


def with_outbox(
    backend: Backend,
    outbox: AnswerOutbox,
    *,
    direct: bool = False,
    tell: Callable[[str], None] | None = None,
) -> OutboxBackend:
    """The backend with an outbox before it; sends nothing yet.

    Args:
        backend: the server.
        outbox: where answers wait for it; drill reviews wait in a folder beside them.
        direct: the backend is in this process, so that its store is as safe as the outbox: an
            answer is put into the outbox only when the store cannot take it.
        tell: receives one line for a person when answers that waited went out or were refused; by
            default they are logged.
    """
    return cast(OutboxBackend, _Sending(backend, outbox, direct=direct, tell=tell))


class _Sending(Wrapped):
    """Adds the outbox to what can wait; everything else goes to the backend as it is."""

    def __init__(
        self,
        backend: Backend,
        outbox: AnswerOutbox,
        *,
        direct: bool,
        tell: Callable[[str], None] | None,
    ) -> None:
        super().__init__(backend, self._then_flush)
        self._backend = backend
        self._direct = direct
        self._tell_sent = tell or logger.info
        self._tell_refused = tell or logger.warning
        self.outbox = outbox
        self.reviews = ReviewOutbox(outbox.folder / "reviews")
        self.drills = _SendingDrills(backend, self.reviews, self._then_flush)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the backend; what waits goes on waiting."""
        self._backend.close()

    def flush(self) -> Flush[Submission, Attempt]:
        """Sends the answers that wait, then the reviews."""
        flushed = self.outbox.flush(self._backend.submit)
        if flushed.sent:
            self._tell_sent(f"{len(flushed.sent)} waiting answer(s) were sent")
        for each in flushed.rejected:
            self._tell_refused(f"a waiting answer was refused: {each.reason} (kept in {each.path})")
        for review in self.reviews.flush(self._backend.drills.review).rejected:
            self._tell_refused(f"a waiting drill review was refused: {review.reason}")
        return flushed

    def submit(self, submission: Submission) -> Attempt:
        """Grades and stores an answer.

        Raises:
            QueuedError: the server is away; the answer waits on the disk.
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
            raise QueuedError(f"{flushed.problem}; {_KEPT} ({flushed.waiting} waiting)")
        for each in self.outbox.rejected():
            if each.item_id == submission.submission_id:
                raise RejectedError(
                    f"the server refused the answer: {each.reason} (kept in {each.path})", "refused"
                )
        # Another process sent it in the meantime: the server gives back what it stored.
        return self._backend.submit(submission)

    def _submit_directly(self, submission: Submission) -> Attempt:
        try:
            return self._backend.submit(submission)
        except UnavailableError as error:
            self.outbox.add(submission)
            raise QueuedError(f"{error}; {_KEPT} (1 waiting)") from error

    def purge(self, request: PurgeRequest) -> PurgeResult:
        """Deletes attempts for good, and with them what waits in the outbox."""
        with self._then_flush():
            result = self._backend.purge(request)
            answers = reviews = 0
            if request.everything or request.before is not None:
                answers = self.outbox.discard(before=request.before)
            if request.everything:
                reviews = self.reviews.discard()
            return PurgeResult(
                deleted=result.deleted + answers, drill_reviews=result.drill_reviews + reviews
            )

    @contextmanager
    def _then_flush(self) -> Iterator[None]:
        """The server has just answered: a good moment to send what waits."""
        yield
        try:
            self.flush()
        except OutboxError as error:
            # What was asked for is here; a full disk must not take it away.
            logger.warning("%s", error)


class _SendingDrills(Wrapped):
    def __init__(
        self,
        backend: Backend,
        outbox: ReviewOutbox,
        context: Callable[[], AbstractContextManager[None]],
    ) -> None:
        super().__init__(backend.drills, context)
        self._drills = backend.drills
        self._outbox = outbox

    def review(self, review: DrillReview) -> ReviewedDrill:
        """Stores a take of a drill item and schedules it.

        Raises:
            QueuedError: the server is away; the take waits on the disk.
            RejectedError: the server refused it.
        """
        try:
            with self._context():
                return self._drills.review(review)
        except UnavailableError as error:
            self._outbox.add(review)
            raise QueuedError(f"{error}; the take is kept and will be sent later") from error
