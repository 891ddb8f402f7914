"""Helpers for tests that queue jobs: short silences, and waiting for what a worker does."""

import threading
import time
from collections.abc import Callable
from typing import Any

from server.jobs.models import Job
from server.jobs.queue import JobQueue

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


def do_all(queue: JobQueue) -> None:
    """Does here and now what waits, as a worker would."""
    while (claim := queue.store.claim()) is not None:
        queue.runner.run(claim, threading.Event())
