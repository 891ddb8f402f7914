"""Sends what waits for a server on its own thread, and reports the progress."""

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, Protocol

from client.backend.protocol import BackendError
from client.core.wording import count_of

logger = logging.getLogger(__name__)

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
        """Why the rest still waits; empty if nothing does.

        Args:
            go_on: asked before each one.
            on_sent: called after each one.
        """


class Sender:
    """Runs ``send_all`` on its own thread on request; one run at a time.

    Args:
        send_all: sends what waits.
        waiting: how many wait.
    """

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
