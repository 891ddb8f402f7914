"""Helpers for tests that queue jobs: short silences, and waiting for what a worker does."""

import time
from collections.abc import Callable
from typing import Any

from server.db.database import Database
from server.jobs.job import Job, Kinds
from server.jobs.queue import JobQueue
from server.jobs.worker import Worker

BEAT_S = 0.2
SILENT_S = 1.5
"""For tests of dead workers only: on a busy machine a living one stands still for that long too."""

ENDS_WITHIN_S = 120.0


def wait_for(condition: Callable[[], Any], within_s: float = 120.0) -> Any:
    """What the condition returns as soon as it is true."""
    deadline = time.monotonic() + within_s
    while not (found := condition()):
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)
    return found


def wait_until_over(
    queue: JobQueue, job: Job, owner_id: int | None = None, within_s: float = 120.0
) -> Job:
    def over() -> Job | None:
        now = queue.status(job.id, owner_id)
        return now if now.is_over else None

    found: Job = wait_for(over, within_s)
    return found


class WorkedQueue(JobQueue):
    """A queue with a worker, which does not run yet."""

    def __init__(self, database: Database, kinds: Kinds, **options: float) -> None:
        super().__init__(database)
        self.worker = Worker(self, kinds, **options)  # type: ignore[arg-type]


def do_all(worker: Worker) -> None:
    """Does here and now what waits."""
    while (claim := worker.queue.claim()) is not None:
        worker.run(claim)
