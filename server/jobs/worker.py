"""The worker of a server process: one thread that takes waiting jobs and runs them.

The table of jobs decides which process may run a job (a claim), on every database. So a worker
needs no broker: it polls for jobs often, and at once when its own process queues one.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from pronunciation.errors import LexiconError
from question_bank.errors import BankError
from server.core.errors import ServerError
from server.jobs.store import Claim, JobStore
from server.jobs.work import JobStoppedError, Kinds, Work

logger = logging.getLogger(__name__)

BEAT_S: Final = 5.0
SILENT_S: Final = 30.0
"""Six missed heartbeats: the process is dead, not just slow or waiting for a lock (5 s)."""

FILES_KEPT_S: Final = 24 * 3600.0
"""Long enough to download an export, which contains other people's answers and must not stay."""

JOBS_KEPT_S: Final = 30 * 24 * 3600.0

_POLL_S: Final = 0.5
"""How soon a worker sees a job queued by another process: two small queries per second."""
_RETRY_S: Final = 5.0
"""How soon it tries again when the database cannot be reached."""
_SWEEP_EVERY_S: Final = 600.0
_STOPS_WITHIN_S: Final = 5.0
"""Shutdown waits this long for a step of a job; the thread ends with the process."""


@dataclass(frozen=True)
class Runner:
    """Runs jobs that were claimed.

    Attributes:
        store: the jobs.
        kinds: the functions, by kind.
        beat_s: time between the heartbeats of a running job.
        silent_s: without a heartbeat for this long, another process takes the job over.
        tidy: what a worker does periodically besides its jobs.
    """

    store: JobStore
    kinds: Kinds
    beat_s: float = BEAT_S
    silent_s: float = SILENT_S
    tidy: Callable[[], None] = lambda: None

    def run(self, claim: Claim, ends: threading.Event) -> None:
        """Runs a job and records in the table how it ended.

        Args:
            claim: the job.
            ends: set when the process ends: the job then returns to the queue at its next step.
        """
        store = self.store
        work = Work(
            claim.payload,
            claim.owner_id,
            write=lambda done, total: store.progress(claim, done, total),
            store=lambda state: store.keep(claim, state),
            load=lambda: store.input(claim),
            kept=claim.kept,
        )
        label = f"job {claim.job_id} ({claim.kind})"
        try:
            task = self.kinds.get(claim.kind)
            if task is None:
                store.fail(claim, f"this version of Aloud knows no work of the kind {claim.kind!r}")
                return
            with _heartbeat(store, claim, work, ends, self.beat_s):
                outcome = task(work)
            if not store.finish(claim, outcome):
                logger.info("%s was cancelled or taken over at its end", label)
        except JobStoppedError:
            if ends.is_set() and store.give_back(claim):
                logger.info("%s was given back: the server ends", label)
            else:
                logger.info("%s was cancelled or taken over", label)
        except ServerError as error:
            logger.info("%s failed: %s", label, type(error).__name__)
            store.fail(claim, error.public_text)
        except (BankError, LexiconError) as error:
            logger.error("%s failed", label, exc_info=error)
            store.fail(claim, "the server's bank cannot be read; the server's log says why")
        except Exception as error:
            logger.exception("%s broke", label)
            store.fail(
                claim, f"the work broke ({type(error).__name__}); the server's log says more"
            )


class Worker:
    """Runs the job that has waited longest, again and again, and looks after the table of jobs.

    At the start, and three times within the time after which a silent process counts as dead, it
    requeues the jobs of dead processes and tidies up; every ten minutes it deletes old data.
    """

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self._ends = threading.Event()
        self._woken = threading.Event()
        self._thread: threading.Thread | None = None
        self._recover_at_s = self._sweep_at_s = float("-inf")

    def start(self) -> None:
        """Starts the thread."""
        self._ends.clear()
        self._thread = threading.Thread(target=self._loop, name="jobs", daemon=True)
        self._thread.start()

    def stop(self, within_s: float = _STOPS_WITHIN_S) -> bool:
        """Ends; a running job returns to the queue at its next step.

        Args:
            within_s: how long to wait for that step.

        Returns:
            Whether it has ended; otherwise it still works, and writes, until its process ends.
        """
        self._ends.set()
        self._woken.set()
        if self._thread is None:
            return True
        self._thread.join(within_s)
        if self._thread.is_alive():
            logger.warning("the jobs' worker did not end within %.0f s", within_s)
            return False
        self._thread = None
        return True

    def wake(self) -> None:
        """Notifies the worker of a new job, which it would otherwise find a little later."""
        self._woken.set()

    @property
    def is_alive(self) -> bool:
        """Whether the thread is running."""
        return self._thread is not None and self._thread.is_alive()

    def _loop(self) -> None:
        while not self._ends.is_set():
            self._woken.clear()
            wait_s = _POLL_S
            try:
                if self._step():
                    continue
            except ServerError as error:
                logger.error("the jobs cannot be reached: %s", error)
                wait_s = _RETRY_S
            except Exception:
                logger.exception("the worker stumbled")
                wait_s = _RETRY_S
            self._woken.wait(wait_s)

    def _step(self) -> bool:
        """Looks after the table and runs one job; false if none waits."""
        self._look_after(time.monotonic())
        store = self._runner.store
        # checked first, because a claim takes SQLite's only write lock
        claim = store.claim() if store.waiting() else None
        if claim is None:
            return False
        self._runner.run(claim, self._ends)
        return True

    def _look_after(self, now_s: float) -> None:
        if now_s < self._recover_at_s:
            return
        runner = self._runner
        runner.store.recover(runner.silent_s)
        runner.tidy()
        if now_s >= self._sweep_at_s:
            runner.store.sweep(jobs_kept_s=JOBS_KEPT_S, files_kept_s=FILES_KEPT_S)
            self._sweep_at_s = now_s + _SWEEP_EVERY_S
        self._recover_at_s = now_s + runner.silent_s / 3


@contextmanager
def _heartbeat(
    store: JobStore, claim: Claim, work: Work, ends: threading.Event, beat_s: float
) -> Iterator[None]:
    over = threading.Event()

    def beat() -> None:
        next_in_s = beat_s
        while not over.wait(min(next_in_s, 0.2)):
            if ends.is_set():
                work.stop.set()
            next_in_s -= 0.2
            if next_in_s > 0:
                continue
            next_in_s = beat_s
            try:
                if not store.beat(claim):
                    work.stop.set()
            except ServerError as error:  # a lock, a lost connection: the next beat may get through
                logger.warning("no heartbeat for job %d: %s", claim.job_id, error)

    thread = threading.Thread(target=beat, name=f"heartbeat of job {claim.job_id}", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
