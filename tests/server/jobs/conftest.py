"""Queues over the databases that the store's tests run on, with quick heartbeats."""

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from server.attempts.store import Store
from server.db.database import Database
from server.jobs.assembly import create_queue
from server.jobs.models import Job
from server.jobs.queue import JobQueue
from server.jobs.store import JobStore
from server.jobs.work import Kinds

BEAT_S = 0.2
SILENT_S = 1.5


def wait_for(condition: Callable[[], Any], within_s: float = 60.0) -> Any:
    """What the condition returns as soon as it is true."""
    deadline = time.monotonic() + within_s
    while not (found := condition()):
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)
    return found


def wait_until_over(queue: JobQueue, job: Job, owner_id: int | None = None) -> Job:
    def over() -> Job | None:
        now = queue.status(job.id, owner_id)
        return now if now.is_over else None

    found: Job = wait_for(over)
    return found


def do_all(queue: JobQueue) -> None:
    """Does here and now what waits, as a worker would."""
    while (claim := queue.store.claim()) is not None:
        queue.runner.run(claim, threading.Event())


@pytest.fixture
def jobs(store: Store) -> JobStore:
    """The table alone; nothing works on it."""
    return JobStore(store.database)


@pytest.fixture
def make_queue(store: Store) -> Iterator[Callable[..., JobQueue]]:
    """Makes queues over the same database; what they started is stopped at the end."""
    made: list[JobQueue] = []

    def build(kinds: Kinds, database: Database | None = None, *, start: bool = True) -> JobQueue:
        queue = create_queue(database or store.database, kinds, beat_s=BEAT_S, silent_s=SILENT_S)
        if start:
            queue.worker.start()
        made.append(queue)
        return queue

    yield build
    for queue in made:
        queue.worker.stop()
