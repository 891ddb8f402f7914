"""Runs one job to its end, with a heartbeat beside it."""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from pronunciation.errors import LexiconError
from question_bank.errors import BankError
from server.errors import ServerError
from server.jobs.store import Claim, JobStore
from server.jobs.work import JobStoppedError, Kinds, Work

__all__ = ["BEAT_S", "SILENT_S", "run"]

logger = logging.getLogger(__name__)

BEAT_S: Final = 5.0
SILENT_S: Final = 30.0
"""Six beats missed: the process is dead, and not only slow or waiting for a lock (5 s)."""


def run(
    store: JobStore,
    kinds: Kinds,
    claim: Claim,
    *,
    server_ends: threading.Event,
    beat_s: float = BEAT_S,
) -> None:
    """Does a job that was claimed; every way it can end is in the table afterwards.

    Args:
        store: the jobs.
        kinds: the functions, by kind.
        claim: the job.
        server_ends: set when the process ends: the job is then given back at its next step.
        beat_s: time between heartbeats.
    """
    work = Work(
        claim.payload,
        claim.owner_id,
        write=lambda done, total: store.progress(claim, done, total),
        store=lambda state: store.keep(claim, state),
        kept=claim.kept,
    )
    label = f"job {claim.job_id} ({claim.kind})"
    try:
        task = kinds.get(claim.kind)
        if task is None:
            store.fail(claim, f"this version of Aloud knows no work of the kind {claim.kind!r}")
            return
        with _heart(store, claim, work, server_ends, beat_s):
            outcome = task(work)
        if not store.finish(claim, outcome):
            logger.info("%s was cancelled or taken over at its end", label)
    except JobStoppedError:
        if server_ends.is_set() and store.give_back(claim):
            logger.info("%s was given back: the server ends", label)
        else:
            logger.info("%s was cancelled or taken over", label)
    except (ServerError, BankError, LexiconError) as error:
        logger.info("%s failed: %s", label, type(error).__name__)
        store.fail(claim, str(error))
    except Exception as error:
        logger.exception("%s broke", label)
        store.fail(claim, f"the work broke ({type(error).__name__}); the server's log says more")


@contextmanager
def _heart(
    store: JobStore, claim: Claim, work: Work, server_ends: threading.Event, beat_s: float
) -> Iterator[None]:
    over = threading.Event()

    def beat() -> None:
        next_in_s = beat_s
        while not over.wait(min(next_in_s, 0.2)):
            if server_ends.is_set():
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
