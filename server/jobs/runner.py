"""What the workers of both databases have in common: they run jobs, each with a heartbeat."""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from pronunciation.errors import LexiconError
from question_bank.errors import BankError
from server.core.errors import ServerError
from server.jobs.store import Claim, JobStore
from server.jobs.upkeep import Upkeep
from server.jobs.work import JobStoppedError, Kinds, Work

__all__ = ["BEAT_S", "SILENT_S", "Runner"]

logger = logging.getLogger(__name__)

BEAT_S: Final = 5.0
SILENT_S: Final = 30.0
"""Six beats missed: the process is dead, and not only slow or waiting for a lock (5 s)."""


@dataclass(frozen=True)
class Runner:
    """Runs jobs that were claimed.

    Attributes:
        store: the jobs.
        kinds: the functions, by kind.
        beat_s: time between heartbeats.
        silent_s: without a heartbeat for so long, a job is taken up by another process.
        tidy: what a worker does now and then beside its jobs.
    """

    store: JobStore
    kinds: Kinds
    beat_s: float = BEAT_S
    silent_s: float = SILENT_S
    tidy: Callable[[], None] = lambda: None

    def upkeep(self) -> Upkeep:
        """What a worker looks after besides; each has one of its own."""
        return Upkeep(self.store, silent_s=self.silent_s, tidy=self.tidy)

    def run(self, claim: Claim, ends: threading.Event) -> None:
        """Does a job; every way it can end is in the table afterwards.

        Args:
            claim: the job.
            ends: set when the process ends: the job is then given back at its next step.
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
            with _heart(store, claim, work, ends, self.beat_s):
                outcome = task(work)
            if not store.finish(claim, outcome):
                logger.info("%s was cancelled or taken over at its end", label)
        except JobStoppedError:
            if ends.is_set() and store.give_back(claim):
                logger.info("%s was given back: the server ends", label)
            else:
                logger.info("%s was cancelled or taken over", label)
        except (ServerError, BankError, LexiconError) as error:
            logger.info("%s failed: %s", label, type(error).__name__)
            store.fail(claim, str(error))
        except Exception as error:
            logger.exception("%s broke", label)
            store.fail(
                claim, f"the work broke ({type(error).__name__}); the server's log says more"
            )


@contextmanager
def _heart(
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
            except ServerError as error:  # a lock, a connection lost: the next beat may get through
                logger.warning("no heartbeat for job %d: %s", claim.job_id, error)

    thread = threading.Thread(target=beat, name=f"heartbeat of job {claim.job_id}", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
