import os
import subprocess
import sys
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from filelock import FileLock, Timeout

from client.backend.outbox import AnswerOutbox, OutboxError
from client.backend.protocol import RejectedError, UnavailableError
from server.contract import Attempt, Submission


@pytest.fixture
def outbox(tmp_path: Path) -> AnswerOutbox:
    return AnswerOutbox(tmp_path / "outbox")


class FakeServer:
    """Stores each answer once; refuses or is away as told."""

    def __init__(self, make: SimpleNamespace) -> None:
        self.make = make
        self.asked: list[str] = []
        self.stored: list[str] = []
        self.away = False
        self.refuses: set[str] = set()

    def submit(self, submission: Submission) -> Attempt:
        text = submission.transcript.text
        if self.away:
            raise UnavailableError("the server cannot be reached")
        self.asked.append(text)
        if text in self.refuses:
            raise RejectedError("the bank has no such question", "not-found")
        if text not in self.stored:
            self.stored.append(text)
        attempt: Attempt = self.make.attempt(submission)
        return attempt


@pytest.fixture
def server(make: SimpleNamespace) -> FakeServer:
    return FakeServer(make)


def test_a_refused_answer_is_set_aside_with_its_reason(
    outbox: AnswerOutbox, server: FakeServer, make: SimpleNamespace
) -> None:
    server.refuses = {"bad"}
    for text in ("one", "bad", "three"):
        outbox.add(make.submission(text))
    flushed = outbox.flush(server.submit)
    assert server.stored == ["one", "three"]
    (refused,) = flushed.rejected
    assert refused.reason == "the bank has no such question"
    (kept,) = outbox.rejected()
    assert kept == refused
    assert kept.read().transcript.text == "bad"
    assert outbox.pending() == []

    server.refuses = set()
    outbox.retry(kept)
    assert outbox.rejected() == []
    outbox.flush(server.submit)
    assert server.stored == ["one", "three", "bad"]
    assert not any(path.is_file() for path in kept.path.parent.iterdir())


def test_a_damaged_file_is_set_aside_and_kept(
    outbox: AnswerOutbox, server: FakeServer, make: SimpleNamespace
) -> None:
    damaged = outbox.add(make.submission("damaged"))
    outbox.add(make.submission("whole"))
    damaged.path.write_bytes(damaged.path.read_bytes()[:40])
    outbox.flush(server.submit)
    assert server.stored == ["whole"]
    (kept,) = outbox.rejected()
    assert "is damaged" in kept.reason
    assert len(kept.path.read_bytes()) == 40


def test_adding_syncs_the_file_and_its_folder_before_it_returns(
    outbox: AnswerOutbox, make: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []
    fsync, rename = os.fsync, os.replace

    def noted_fsync(handle: int) -> None:
        steps.append("folder" if os.path.isdir(f"/proc/self/fd/{handle}") else "file")
        fsync(handle)

    def noted_rename(source: Path, target: Path) -> None:
        steps.append("rename")
        rename(source, target)

    monkeypatch.setattr(os, "fsync", noted_fsync)
    monkeypatch.setattr(os, "replace", noted_rename)
    outbox.add(make.submission())
    assert steps == ["file", "rename", "folder"]


def test_the_same_answer_waits_once(outbox: AnswerOutbox, make: SimpleNamespace) -> None:
    submission = make.submission()
    assert outbox.add(submission) == outbox.add(submission)
    assert len(outbox.pending()) == 1


def test_each_server_has_its_own_outbox(tmp_path: Path, make: SimpleNamespace) -> None:
    one = AnswerOutbox.for_server(tmp_path, "http://a.example:8000")
    two = AnswerOutbox.for_server(tmp_path, "https://a.example:8000")
    one.add(make.submission())
    assert len(AnswerOutbox.for_server(tmp_path, "http://a.example:8000").pending()) == 1
    assert two.pending() == []
    names = sorted(path.name for path in tmp_path.iterdir())
    assert all(name.startswith("a.example-8000-") for name in names)


def test_discarding(outbox: AnswerOutbox, server: FakeServer, make: SimpleNamespace) -> None:
    noon = datetime(2026, 1, 1, 12, tzinfo=UTC)
    server.refuses = {"old refused"}
    outbox.add(make.submission("old refused", created_at=noon - timedelta(hours=2)))
    outbox.flush(server.submit)
    outbox.add(make.submission("old", created_at=noon - timedelta(seconds=1)))
    outbox.add(make.submission("new", created_at=noon))
    assert outbox.discard(before=noon) == 2
    assert [each.read().transcript.text for each in outbox.pending()] == ["new"]
    assert outbox.discard() == 1
    assert outbox.pending() == outbox.rejected() == []


def test_an_answer_that_was_refused_twice_is_withdrawn_whole(
    outbox: AnswerOutbox, server: FakeServer, make: SimpleNamespace
) -> None:
    server.refuses = {"bad"}
    answer = make.submission("bad")
    for _ in range(2):
        outbox.add(answer)
        outbox.flush(server.submit)
    assert len(outbox.rejected()) == 2
    outbox.withdraw(answer.submission_id)
    assert outbox.rejected() == []


def test_a_folder_that_cannot_be_written(tmp_path: Path, make: SimpleNamespace) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(OutboxError, match="check its permissions"):
        AnswerOutbox(tmp_path / "file").add(make.submission())


def run_in_threads(work: Callable[[], None], count: int) -> None:
    threads = [threading.Thread(target=work) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_two_senders_at_once_send_each_answer_once(
    tmp_path: Path, server: FakeServer, make: SimpleNamespace
) -> None:
    texts = [f"answer {n}" for n in range(20)]
    for text in texts:
        AnswerOutbox(tmp_path).add(make.submission(text))
    run_in_threads(lambda: AnswerOutbox(tmp_path).flush(server.submit, timeout_s=20) and None, 3)
    assert server.asked == texts


def test_while_another_process_sends_this_one_leaves_it_alone(
    tmp_path: Path, server: FakeServer, make: SimpleNamespace
) -> None:
    outbox = AnswerOutbox(tmp_path)
    outbox.add(make.submission())
    code = (
        "import sys; from filelock import FileLock\n"
        "with FileLock(sys.argv[1], timeout=5):\n"
        "    print('locked', flush=True); sys.stdin.read()"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path / "send.lock")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert other.stdin is not None
    assert other.stdout is not None
    try:
        assert other.stdout.readline() == "locked\n"
        flushed = outbox.flush(server.submit)
        assert (flushed.waiting, flushed.problem) == (1, "another process is sending them")
        assert server.asked == []
        with pytest.raises(Timeout), FileLock(tmp_path / "send.lock", timeout=0.1):
            pass
    finally:
        other.kill()  # the lock must not outlive its holder
        other.wait()
        other.stdin.close()
        other.stdout.close()
    assert outbox.flush(server.submit).waiting == 0
    assert len(server.asked) == 1
