"""The queue that suits the database: procrastinate on PostgreSQL, a thread on SQLite."""

from collections.abc import Callable

from server.core.errors import StoreError
from server.db.database import Database
from server.jobs.queue import JobQueue, Worker
from server.jobs.runner import BEAT_S, SILENT_S, Runner
from server.jobs.store import JobStore
from server.jobs.thread_worker import ThreadWorker
from server.jobs.work import Kinds

__all__ = ["create_queue"]


def create_queue(
    database: Database,
    kinds: Kinds,
    *,
    beat_s: float = BEAT_S,
    silent_s: float = SILENT_S,
    tidy: Callable[[], None] = lambda: None,
) -> JobQueue:
    """The queue; its worker is not yet started.

    Args:
        database: where the jobs are.
        kinds: what can be done, by kind.
        beat_s: time between the heartbeats of a job that runs.
        silent_s: without a heartbeat for so long, a job is taken up by another process.
        tidy: what the worker does now and then beside its jobs.

    Raises:
        StoreError: the extra for PostgreSQL is missing.
    """
    runner = Runner(JobStore(database), kinds, beat_s, silent_s, tidy)
    worker: Worker
    if database.is_postgresql:
        try:
            from server.jobs.postgres_worker import PostgresWorker
        except ImportError as error:
            raise StoreError(
                f"work in the background needs the extra 'postgres' ({error}): "
                "pip install 'aloud[postgres]'"
            ) from error
        worker = PostgresWorker(database.engine, runner)
    else:
        worker = ThreadWorker(runner)
    return JobQueue(runner, worker)
