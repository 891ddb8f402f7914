"""Jobs run by the real worker of each database."""

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from server.attempts.store import Store
from server.core.errors import InvalidInputError
from server.db.tables import JobRow
from server.jobs.job import MadeFile, Outcome, Work
from server.jobs.queue import JobQueue
from tests.worlds.queues import (
    BEAT_S,
    ENDS_WITHIN_S,
    SILENT_S,
    WorkedQueue,
    wait_for,
    wait_until_over,
)

MakeQueue = Callable[..., WorkedQueue]


def count(work: Work) -> Outcome:
    total = work.payload["to"]
    for done in range(1, total + 1):
        work.progress(done, total)
    return Outcome({"counted": total}, MadeFile("counted.txt", b"%d" % total))


@pytest.mark.every_database
def test_a_job_is_done_with_result_progress_and_file(make_queue: MakeQueue) -> None:
    queue = make_queue({"count": count})
    job = wait_until_over(queue, queue.enqueue("count", {"to": 5}, None))
    assert job.state == "done" and job.problem is None
    assert job.result == {"counted": 5}
    assert (job.progress_done, job.progress_total) == (5, 5)
    assert queue.file(job.id, None) == MadeFile("counted.txt", b"5")
    assert queue.worker.is_alive


def test_a_failure_is_told_in_one_line_and_a_bug_without_its_insides(make_queue: MakeQueue) -> None:
    def refuse(work: Work) -> Outcome:
        raise InvalidInputError("there is nothing to count")

    def crash(work: Work) -> Outcome:
        raise ZeroDivisionError("secret insides")

    queue = make_queue({"refuse": refuse, "crash": crash, "count": count})
    refused = wait_until_over(queue, queue.enqueue("refuse", {}, None))
    assert (refused.state, refused.problem) == ("failed", "there is nothing to count")
    crashed = wait_until_over(queue, queue.enqueue("crash", {}, None))
    assert crashed.state == "failed"
    assert "ZeroDivisionError" in (crashed.problem or "")
    assert "secret" not in (crashed.problem or "")
    after = wait_until_over(queue, queue.enqueue("count", {"to": 1}, None))
    assert after.state == "done"


@pytest.mark.every_database
def test_a_running_job_stops_when_it_is_cancelled(make_queue: MakeQueue) -> None:
    stopped = threading.Event()

    def endless(work: Work) -> Outcome:
        try:
            while True:
                work.progress(1, 2)
                time.sleep(0.01)
        finally:
            stopped.set()

    queue = make_queue({"endless": endless})
    job = queue.enqueue("endless", {}, None)
    wait_for(lambda: queue.status(job.id, None).state == "running")
    assert queue.cancel(job.id, None).state == "cancelled"
    assert stopped.wait(ENDS_WITHIN_S)
    assert queue.status(job.id, None).state == "cancelled"


def test_a_running_job_is_given_back_when_the_server_ends(make_queue: MakeQueue) -> None:
    begun = threading.Event()

    def endless(work: Work) -> Outcome:
        while True:
            begun.set()
            work.progress(1, 2)
            time.sleep(0.01)

    queue = make_queue({"work": endless})
    job = queue.enqueue("work", {"to": 3}, None)
    assert begun.wait(ENDS_WITHIN_S)
    assert queue.worker.stop(ENDS_WITHIN_S)
    given_back = queue.status(job.id, None)
    assert (given_back.state, given_back.begun) == ("queued", 0)
    assert not queue.worker.is_alive
    restarted = make_queue({"work": count})
    assert wait_until_over(restarted, job).result == {"counted": 3}


@pytest.mark.every_database
def test_a_job_of_a_dead_process_is_taken_up_from_what_it_kept(
    make_queue: MakeQueue, store: Store
) -> None:
    jobs = JobQueue(store.database)
    job = jobs.enqueue("go-on", {}, None)
    dead = jobs.claim()
    assert dead is not None and jobs.checkpoint(dead, {"at": 7})

    kinds = {"go-on": lambda work: Outcome({"from": work.checkpoint})}
    queue = make_queue(kinds, beat_s=BEAT_S, silent_s=SILENT_S)
    done = wait_until_over(queue, job)
    assert (done.state, done.begun, done.result) == ("done", 2, {"from": {"at": 7}})


def test_work_of_an_unknown_kind_fails(make_queue: MakeQueue) -> None:
    queue = make_queue({"count": count})
    job = queue.enqueue("from-a-newer-version", {}, None)
    assert "knows no work" in (wait_until_over(queue, job).problem or "")


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
