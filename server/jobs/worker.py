"""The worker of a server process: one thread that takes waiting jobs and runs them.

The table of jobs decides which process may run a job (a claim), on every database. So a worker
needs no broker: it polls for jobs.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from pronunciation.lexicon_loader import LexiconError
from question_bank.errors import BankError
from server.core.errors import ServerError
from server.jobs.job import JobStoppedError, Kinds, Work
from server.jobs.queue import Claim, JobQueue

logger = logging.getLogger(__name__)

BEAT_S: Final = 5.0
SILENT_S: Final = 30.0
"""Six missed heartbeats: the process is dead, not just slow or waiting for a lock (5 s)."""

FILES_KEPT_S: Final = 24 * 3600.0
"""Long enough to download an export, which contains other people's answers and must not stay."""

JOBS_KEPT_S: Final = 30 * 24 * 3600.0

_POLL_S: Final = 0.5
"""How soon a worker sees a new job: two small queries per second."""
_RETRY_S: Final = 5.0
"""How soon it tries again when the database cannot be reached."""
_SWEEP_EVERY_S: Final = 600.0
_STOPS_WITHIN_S: Final = 5.0
"""Shutdown waits this long for a step of a job; the thread ends with the process."""


class Worker:
    """Runs the job that has waited longest, again and again, and looks after the table of jobs.

    At the start, and three times within the time after which a silent process counts as dead, it
    requeues the jobs of dead processes and tidies up; every ten minutes it deletes old data.

    Args:
        queue: the jobs.
        kinds: the functions, by kind.
        beat_s: time between the heartbeats of a running job.
        silent_s: without a heartbeat for this long, another process takes the job over.
        tidy: what a worker does periodically besides its jobs.
    """

    def __init__(
        self,
        queue: JobQueue,
        kinds: Kinds,
        *,
        beat_s: float = BEAT_S,
        silent_s: float = SILENT_S,
        tidy: Callable[[], None] = lambda: None,
    ) -> None:
        self.queue = queue
        self._kinds = kinds
        self._beat_s = beat_s
        self._silent_s = silent_s
        self._tidy = tidy
        self._ends = threading.Event()
        self._thread: threading.Thread | None = None
        self._recover_at_s = self._sweep_at_s = float("-inf")

    def start(self) -> None:
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
        if self._thread is None:
            return True
        self._thread.join(within_s)
        if self._thread.is_alive():
            logger.warning("the jobs' worker did not end within %.0f s", within_s)
            return False
        self._thread = None
        return True

    @property
    def is_alive(self) -> bool:
        """Whether the thread is running."""
        return self._thread is not None and self._thread.is_alive()

    def run(self, claim: Claim) -> None:
        """Runs a claimed job and records in the table how it ended."""
        queue = self.queue
        work = Work(
            claim.payload,
            claim.owner_id,
            write=lambda done, total: queue.progress(claim, done, total),
            store=lambda state: queue.checkpoint(claim, state),
            load=lambda: queue.input(claim),
            checkpoint=claim.checkpoint,
            ends=self._ends,
        )
        label = f"job {claim.job_id} ({claim.kind})"
        try:
            task = self._kinds.get(claim.kind)
            if task is None:
                queue.fail(claim, f"this version of Aloud knows no work of the kind {claim.kind!r}")
                return
            with self._heartbeat(claim, work):
                outcome = task(work)
            if not queue.finish(claim, outcome):
                logger.info("%s was cancelled or taken over at its end", label)
        except JobStoppedError:
            if self._ends.is_set() and queue.requeue(claim):
                logger.info("%s is queued again: the server ends", label)
            else:
                logger.info("%s was cancelled or taken over", label)
        except ServerError as error:
            logger.info("%s failed: %s", label, type(error).__name__)
            queue.fail(claim, error.public_text)
        except (BankError, LexiconError) as error:
            logger.error("%s failed", label, exc_info=error)
            queue.fail(claim, "the server's bank cannot be read; the server's log says why")
        except Exception as error:
            logger.exception("%s broke", label)
            queue.fail(
                claim, f"the work broke ({type(error).__name__}); the server's log says more"
            )

    @contextmanager
    def _heartbeat(self, claim: Claim, work: Work) -> Iterator[None]:
        over = threading.Event()

        def beat() -> None:
            while not over.wait(self._beat_s):
                try:
                    if not self.queue.beat(claim):
                        work.stop.set()
                except ServerError as error:  # a lock, a lost connection: the next may get through
                    logger.warning("no heartbeat for job %d: %s", claim.job_id, error)

        name = f"heartbeat of job {claim.job_id}"
        thread = threading.Thread(target=beat, name=name, daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    def _loop(self) -> None:
        wait_s = 0.0
        while not self._ends.wait(wait_s):
            try:
                self._look_after(time.monotonic())
                claim = self.queue.claim()
                if claim is not None:
                    self.run(claim)
                wait_s = _POLL_S if claim is None else 0.0
            except ServerError as error:
                logger.error("the jobs cannot be reached: %s", error)
                wait_s = _RETRY_S
            except Exception:
                logger.exception("the worker stumbled")
                wait_s = _RETRY_S

    def _look_after(self, now_s: float) -> None:
        if now_s < self._recover_at_s:
            return
        self.queue.recover(self._silent_s)
        self._tidy()
        if now_s >= self._sweep_at_s:
            self.queue.sweep(jobs_kept_s=JOBS_KEPT_S, files_kept_s=FILES_KEPT_S)
            self._sweep_at_s = now_s + _SWEEP_EVERY_S
        self._recover_at_s = now_s + self._silent_s / 3
