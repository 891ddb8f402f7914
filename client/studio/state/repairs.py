"""Transcribes recordings again in the background, one by one, while the pages keep working."""

import logging
import threading
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from client.answering.session import Session
from client.backend.protocol import Backend
from client.data.own_recordings import OwnRecordings
from client.data.repair import transcribe_again

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class RepairProblem:
    """An answer that could not be transcribed again, and why; it keeps its report."""

    attempt_id: int
    problem: str


@dataclass(frozen=True)
class RepairStatus:
    """The progress of the work, or the result of the last one.

    Attributes:
        running: whether anything is left to do.
        attempt_ids: the answers, in order.
        done: how many are finished.
        share: of the next one, 0 to 1.
        problems: which of them failed.
    """

    running: bool = False
    attempt_ids: tuple[int, ...] = ()
    done: int = 0
    share: float = 0.0
    problems: tuple[RepairProblem, ...] = ()

    @property
    def total(self) -> int:
        """How many answers there are."""
        return len(self.attempt_ids)


class Repairs:
    """Transcribes kept recordings again; safe to use from several threads.

    Args:
        backend: has the answers.
        session: gives what transcribes them, by the engine that is there now.
        recordings: have their sound.
    """

    def __init__(
        self, backend: Backend, session: Callable[[], Session], recordings: OwnRecordings
    ) -> None:
        self._backend = backend
        self._session = session
        self._recordings = recordings
        self._lock = threading.Lock()
        self._waiting: deque[int] = deque()
        self._status = RepairStatus()

    def status(self) -> RepairStatus:
        """The progress."""
        return self._status

    def start(self, attempt_ids: Iterable[int]) -> None:
        """Begin with these answers, or queue them after the waiting ones; returns at once."""
        with self._lock:
            running = self._status.running
            known = set(self._waiting)
            new = [each for each in dict.fromkeys(attempt_ids) if each not in known]
            if not new:
                return
            before = self._status if running else RepairStatus()
            self._waiting.extend(new)
            self._status = replace(before, running=True, attempt_ids=(*before.attempt_ids, *new))
        if not running:
            threading.Thread(target=self._work, name="aloud-repairs", daemon=True).start()

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._waiting:
                    self._status = replace(self._status, running=False)
                    return
                attempt_id = self._waiting.popleft()
            problem = self._repair(attempt_id)
            with self._lock:
                status = self._status
                problems = (*status.problems, *([problem] if problem else ()))
                self._status = replace(status, done=status.done + 1, share=0.0, problems=problems)

    def _repair(self, attempt_id: int) -> RepairProblem | None:
        try:
            transcribe_again(
                self._backend, self._session(), self._recordings, attempt_id, self._progress
            )
        except Exception as error:  # shown on the page: nobody waits for this thread
            logger.info("attempt %d could not be transcribed again: %s", attempt_id, error)
            return RepairProblem(attempt_id, str(error))
        return None

    def _progress(self, share: float) -> None:
        with self._lock:
            self._status = replace(self._status, share=share)
