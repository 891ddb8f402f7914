"""Several processes, one queue: each job is done once, and what a killed one did is done again."""

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from server.attempts.store import Store
from server.db.tables import JobRow
from server.jobs.queue import JobQueue
from tests.worlds.queues import wait_for

pytestmark = pytest.mark.every_database


Start = Callable[[], "subprocess.Popen[bytes]"]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    file = tmp_path / "log"
    file.touch()
    return file


@pytest.fixture
def start(store: Store, store_url: str, log: Path, project_root: Path) -> Iterator[Start]:
    """Starts a worker in a process of its own and waits until it works."""
    started: list[subprocess.Popen[bytes]] = []

    def begin() -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-m", "tests.worlds.worker_process", store_url, str(log)]
        process = subprocess.Popen(command, cwd=project_root)
        started.append(process)
        wait_for(lambda: f"ready {process.pid}" in log.read_text().splitlines(), 120)
        return process

    yield begin
    for process in started:
        process.kill()
        process.wait()


def notes(log: Path, what: str) -> list[tuple[int, int]]:
    """The job's number and the process of each line."""
    lines = [line.split() for line in log.read_text().splitlines()]
    return [(int(line[1]), int(line[2])) for line in lines if line[0] == what]


def test_a_job_of_a_killed_process_is_done_by_another_and_all_others_once(
    store: Store, start: Start, log: Path
) -> None:
    jobs = JobQueue(store.database)
    first, second = start(), start()
    long = jobs.enqueue("steps", {"number": 0, "steps": 100_000}, None)
    (_, victim_pid) = wait_for(lambda: notes(log, "begin"))[0]
    victim = first if first.pid == victim_pid else second
    survivor = second if victim is first else first
    others = [jobs.enqueue("steps", {"number": n, "steps": 5}, None) for n in range(1, 11)]
    wait_for(lambda: len(notes(log, "end")) >= 3)

    victim.send_signal(signal.SIGKILL)
    victim.wait()
    assert jobs.status(long.id, None).state == "running"
    with store.database.write() as session:  # as if it had been silent for months
        row = session.get_one(JobRow, long.id)
        row.heartbeat_at = datetime(2026, 3, 1, tzinfo=UTC)
    assert wait_for(lambda: (0, survivor.pid) in notes(log, "begin"))
    assert jobs.status(long.id, None).begun == 2
    jobs.cancel(long.id, None)

    wait_for(lambda: all(jobs.status(job.id, None).state == "done" for job in others))
    assert sorted(number for number, _ in notes(log, "end")) == list(range(1, 11))
    assert sorted(number for number, _ in notes(log, "begin")) == [0, 0, *range(1, 11)]
    assert [jobs.status(job.id, None).begun for job in others] == [1] * 10
    assert jobs.status(long.id, None).state == "cancelled"
