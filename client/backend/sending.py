"""A backend with an outbox, so that no answer or drill review is lost while the server is away.

What waits is sent by a ``Sender``, so that no request waits for it.
"""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from typing import Final, Protocol, Self, cast

from client.backend.outbox import AnswerOutbox, OutboxError, ReviewOutbox
from client.backend.protocol import (
    SET_ASIDE,
    Backend,
    BackendError,
    QueuedError,
    RejectedError,
    UnavailableError,
    Wrapped,
)
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

SLOW_AFTER_S: Final = 0.3
"""Before that, what waits is sent so quickly that no message is needed."""


@dataclass(frozen=True)
class Sending:
    """The progress of sending.

    Attributes:
        running: whether it is at work.
        sent: how many went out since it was last asked to begin.
        total: how many there were.
        problem: why the rest keeps waiting; empty if nothing does.
    """

    running: bool = False
    sent: int = 0
    total: int = 0
    problem: str = ""


class SendAll(Protocol):
    """Sends what waits, in order."""

    def __call__(self, go_on: Callable[[], bool], on_sent: Callable[[], None]) -> str:
        """Why the rest still waits; empty if nothing does."""


class Sender:
    """Runs ``send_all`` on its own thread on request; one run at a time."""

    def __init__(self, send_all: SendAll, waiting: Callable[[], int]) -> None:
        self._send_all = send_all
        self._waiting = waiting
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._stopped = threading.Event()
        self._again = False
        self._status = Sending()

    def status(self) -> Sending:
        """How far it is; quick."""
        return self._status

    def begin(self) -> None:
        """Begin to send what waits, if anything does; returns at once."""
        try:
            total = self._waiting()
        except OSError as error:  # what was asked for is here; a folder must not take it away
            logger.warning("what waits cannot be listed: %s", error)
            return
        with self._lock:
            if self._stopped.is_set() or not total:
                return
            if self._thread is not None:
                self._again = True
                return
            self._status = Sending(running=True, total=total)
            self._thread = threading.Thread(target=self._run, name="aloud-sender", daemon=True)
            self._thread.start()

    def wait(self, timeout_s: float) -> bool:
        """Wait until sending has ended; returns whether it has."""
        thread = self._thread
        if thread is not None:
            thread.join(timeout_s)
        return self._thread is None

    def end(self, within_s: float, tell: Callable[[str], None]) -> None:
        """Continue sending for at most this long, then stop after the one that is on its way.

        Args:
            within_s: the time budget.
            tell: takes one line for a person, where there is something to say.
        """
        if not self.wait(min(SLOW_AFTER_S, within_s)):
            before = self._status
            tell(f"sending {count_of(before.total - before.sent, 'waiting answer')} …")
            if not self.wait(within_s - SLOW_AFTER_S):
                self._stopped.set()
                now = self._status
                left = max(now.total - now.sent, 1)
                tell(f"{now.sent} of {now.total} sent; Aloud sends the other {left} next time")
        self._stopped.set()

    def _run(self) -> None:
        while True:
            problem = ""
            try:
                problem = self._send_all(lambda: not self._stopped.is_set(), self._count)
            except BackendError as error:
                problem = str(error)
            except Exception as error:  # closed meanwhile, or a defect: what waits is still there
                logger.info("what waits could not be sent", exc_info=error)
                problem = f"that failed ({type(error).__name__})"
            with self._lock:
                if self._again and not problem and not self._stopped.is_set():
                    self._again = False
                    continue
                self._again = False
                self._status = replace(self._status, running=False, problem=problem)
                self._thread = None
                return

    def _count(self) -> None:
        self._status = replace(self._status, sent=self._status.sent + 1)


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

    def __exit__(self, *_: object) -> None: ...


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
