"""The worker for SQLite: one thread in each server process."""

import logging
import threading
import time
from typing import Final

from server.core.errors import ServerError
from server.jobs.runner import Runner

__all__ = ["ThreadWorker"]

logger = logging.getLogger(__name__)

POLL_S: Final = 1.0
"""How soon a job is seen that another process queued."""


class ThreadWorker:
    """Takes the job that waits longest, again and again."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self._upkeep = runner.upkeep()
        self._ends = threading.Event()
        self._woken = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begins to work."""
        self._ends.clear()
        self._thread = threading.Thread(target=self._loop, name="jobs", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Ends; a job that runs is given back at its next step."""
        self._ends.set()
        self._woken.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def wake(self, job_id: int) -> None:
        """A job was queued."""
        self._woken.set()

    @property
    def is_alive(self) -> bool:
        """Whether it works or waits for work."""
        return self._thread is not None and self._thread.is_alive()

    def _loop(self) -> None:
        while not self._ends.is_set():
            self._woken.clear()
            try:
                worked = self._step()
            except ServerError as error:
                logger.error("the jobs cannot be reached: %s", error)
                worked = False
            except Exception:
                logger.exception("the worker stumbled")
                worked = False
            if not worked:
                self._woken.wait(POLL_S)

    def _step(self) -> bool:
        self._upkeep.when_due(time.monotonic())
        # Looked at first, because a claim takes SQLite's one write lock.
        store = self._runner.store
        claim = store.claim() if store.waiting() else None
        if claim is None:
            return False
        self._runner.run(claim, self._ends)
        return True
