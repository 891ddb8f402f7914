"""A backend with an outbox, so that no answer or drill review is lost while the server is away.

What waits is sent by a ``Sender``, so that no request waits for it.
"""

import logging
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from types import TracebackType
from typing import Final, Protocol, Self, cast

from client.backend.outbox import AnswerOutbox, OutboxError, ReviewOutbox
from client.backend.protocol import (
    SET_ASIDE,
    Backend,
    QueuedError,
    RejectedError,
    UnavailableError,
)
from client.backend.sender import Sender, Sending
from client.backend.wrapping import Wrapped
from client.core.wording import count_of
from server.contract import (
    Archive,
    Attempt,
    DrillReview,
    PurgeRequest,
    PurgeResult,
    ReviewedDrill,
    Submission,
)

logger = logging.getLogger(__name__)

_LAST_ONE_S: Final = 5.0
_KEPT: Final = "your answer is kept and will be sent later"

_CLOSE_WITHIN_S: Final = 2.0
"""How long a command that is done continues sending what waits."""

_EXPORT_WAITS_S: Final = 10.0
"""How long an export of everything lets what waits go first, so that it is in the file."""


class OutboxBackend(Backend, Protocol):
    """A backend whose answers and drill reviews wait on the disk while the server is away.

    ``submit`` and ``drills.review`` raise ``QueuedError`` then. What waits is sent in the
    background: at the start, whenever the server has just answered, and by ``send_waiting``.
    """

    @property
    def outbox(self) -> AnswerOutbox:
        """The answers that wait."""

    @property
    def reviews(self) -> ReviewOutbox:
        """The drill reviews that wait."""

    def send_waiting(self, *, within_s: float = 0.0) -> Sending:
        """Starts to send what waits, waits this long for the end, and returns the progress."""

    def sending(self) -> Sending:
        """How far it is; quick."""

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
    patient: Backend | None = None,
    direct: bool = False,
    tell: Callable[[str], None] | None = None,
) -> OutboxBackend:
    """The backend with an outbox before it; sends nothing yet.

    Args:
        backend: the server.
        outbox: where answers wait for it; drill reviews wait in a folder beside them.
        patient: the same server for what is sent in the background; closed with the backend.
        direct: the backend is in this process, so that its store is as safe as the outbox: an
            answer is put into the outbox only when the store cannot take it.
        tell: receives one line for a person when answers that waited went out or were refused; by
            default they are logged.
    """
    sending = _Sending(backend, outbox, patient=patient or backend, direct=direct, tell=tell)
    return cast(OutboxBackend, sending)


class _Sending(Wrapped):
    """Adds the outbox to what can wait; everything else goes straight to the backend."""

    def __init__(
        self,
        backend: Backend,
        outbox: AnswerOutbox,
        *,
        patient: Backend,
        direct: bool,
        tell: Callable[[str], None] | None,
    ) -> None:
        super().__init__(backend, self._then_send)
        self._backend = backend
        self._patient = patient
        self._direct = direct
        self._tell_sent = tell or logger.info
        self._tell_refused = tell or logger.warning
        self.outbox = outbox
        self.reviews = ReviewOutbox(outbox.folder / "reviews")
        self.drills = _SendingDrills(backend, self.reviews, self._then_send)
        self._sender = Sender(self._send_all, self._count)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Continues sending for a moment, then closes the backend; the rest stays in the outbox."""
        self._sender.end(_CLOSE_WITHIN_S, self._tell_sent)
        if self._patient is not self._backend:
            self._patient.close()
        elif not self._sender.wait(_LAST_ONE_S):
            return  # it is still at work on a store that the process's end closes
        self._backend.close()

    def send_waiting(self, *, within_s: float = 0.0) -> Sending:
        """Starts to send what waits, waits this long for the end, and returns the progress."""
        self._sender.begin()
        self._sender.wait(within_s)
        return self._sender.status()

    def sending(self) -> Sending:
        """How far it is; quick."""
        return self._sender.status()

    def _count(self) -> int:
        return len(self.outbox.pending()) + len(self.reviews.pending())

    def _send_all(self, go_on: Callable[[], bool], on_sent: Callable[[], None]) -> str:
        """Sends the answers that wait, then the reviews."""
        flushed = self.outbox.flush(self._patient.submit, go_on=go_on, on_sent=on_sent)
        if flushed.sent:
            self._tell_sent(f"sent {count_of(len(flushed.sent), 'waiting answer')}")
        for each in flushed.rejected:
            self._tell_refused(f"a waiting answer was refused: {each.reason} (kept in {each.path})")
        reviewed = self.reviews.flush(self._patient.drills.review, go_on=go_on, on_sent=on_sent)
        for review in reviewed.rejected:
            self._tell_refused(f"a waiting drill review was refused: {review.reason}")
        return flushed.problem or reviewed.problem

    def submit(self, submission: Submission) -> Attempt:
        """Grades and stores an answer; it does not wait behind the others.

        Raises:
            QueuedError: the server is away or slow; the answer waits on the disk.
            RejectedError: the server refused it; it was set aside with the reason.
            OutboxError: the server is away, and the disk cannot be written.
        """
        if self._direct and not self.outbox.pending():
            return self._submit_directly(submission)
        try:
            self.outbox.add(submission)
        except OutboxError:
            if (stored := self._if_reached(submission)) is None:
                raise
            return stored
        try:
            attempt = self._backend.submit(submission)
        except UnavailableError as error:
            count = len(self.outbox.pending())
            raise QueuedError(f"{error}; {_KEPT} ({count} waiting)") from error
        except RejectedError as error:
            aside = self.outbox.set_aside(submission.submission_id, str(error))
            where = f" (kept in {aside.path})" if aside else ""
            raise RejectedError(
                f"the server refused the answer: {error}{where}", SET_ASIDE
            ) from error
        self.outbox.sent(submission.submission_id)
        self._sender.begin()
        return attempt

    def _if_reached(self, submission: Submission) -> Attempt | None:
        """Sends what the outbox has no room for; ``None`` if the server is away."""
        try:
            return self._backend.submit(submission)
        except UnavailableError:
            return None

    def _submit_directly(self, submission: Submission) -> Attempt:
        try:
            return self._backend.submit(submission)
        except UnavailableError as error:
            self.outbox.add(submission)
            raise QueuedError(f"{error}; {_KEPT} (1 waiting)") from error

    def purge(self, request: PurgeRequest) -> PurgeResult:
        """Deletes attempts for good, and with them what waits in the outbox."""
        result = self._backend.purge(request)
        answers = reviews = 0
        if request.everything or request.before is not None:
            answers = self.outbox.discard(before=request.before)
        if request.everything:
            reviews = self.reviews.discard()
        self._sender.begin()
        return PurgeResult(
            deleted=result.deleted + answers, drill_reviews=result.drill_reviews + reviews
        )

    def export_all(self) -> Archive:
        """Everything that is stored, with what waited as far as the server takes it soon."""
        self.send_waiting(within_s=_EXPORT_WAITS_S)
        return self._backend.export_all()

    @contextmanager
    def _then_send(self) -> Iterator[None]:
        """The server has just answered: a good moment to send what waits."""
        yield
        self._sender.begin()


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
