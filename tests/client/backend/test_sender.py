"""Nobody waits for what waits: a slow server, and one that never answers."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from client.backend.opening import open_backend
from client.backend.outbox import AnswerOutbox
from client.backend.protocol import BackendError, QueuedError, UnavailableError
from client.backend.remote import RemoteBackend
from client.backend.sending import Sender
from client.core.settings import ClientSettings
from tests.worlds.ports import listening

WAITING = 33
FEW_SECONDS = 10.0
"""The longest wait for one question, with room for a busy machine."""


class Mute:
    """Accepts every connection, and never answers."""

    def __init__(self) -> None:
        self._listener = listening(0)
        self._listener.listen()
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._open: list[Any] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self._open.append(connection)

    def close(self) -> None:
        self._listener.close()
        for each in self._open:
            each.close()


@pytest.fixture
def mute(monkeypatch: pytest.MonkeyPatch) -> Iterator[Mute]:
    # a third of the true limits, so that the test is quick
    monkeypatch.setattr("client.backend.connection.ASKING", httpx.Timeout(1.3, connect=3.0))
    monkeypatch.setattr("client.backend.connection.DOING", httpx.Timeout(2.6, connect=3.0))
    server = Mute()
    yield server
    server.close()


def test_a_server_that_never_answers_holds_no_question_for_long(
    mute: Mute, tmp_path: Path, make: SimpleNamespace
) -> None:
    settings = ClientSettings(home=tmp_path, server=mute.url)
    began_s = time.monotonic()
    with open_backend(settings) as backend:
        with pytest.raises(UnavailableError, match="took too long"):
            backend.question("kv-cache")
        assert time.monotonic() - began_s < FEW_SECONDS
        again_s = time.monotonic()
        for _ in range(5):  # it was silent a moment ago
            with pytest.raises(UnavailableError):
                backend.history()
        with pytest.raises(QueuedError, match="kept and will be sent later"):
            backend.submit(make.submission())
        assert time.monotonic() - again_s < 5.0, "one after the other they take 7.8 s"
        closing_s = time.monotonic()
    assert time.monotonic() - closing_s < FEW_SECONDS
    assert len(AnswerOutbox.for_server(settings.outbox, mute.url).pending()) == 1


def test_a_server_that_was_silent_is_asked_again_later(
    mute: Mute, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("client.backend.connection._SILENT_S", 0.0)
    with RemoteBackend(mute.url) as backend:
        for _ in range(2):
            began_s = time.monotonic()
            with pytest.raises(UnavailableError):
                backend.question("kv-cache")
            assert time.monotonic() - began_s > 1.0


def test_a_command_does_not_wait_for_33_answers_that_wait(
    loopback_server: Any, tmp_path: Path, make: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = ClientSettings(home=tmp_path / "home", server=loopback_server.url)
    outbox = AnswerOutbox.for_server(settings.outbox, loopback_server.url)
    for n in range(WAITING):
        outbox.add(make.submission(f"answer {n}"))
    true_submit = RemoteBackend.submit

    def slowly(self: RemoteBackend, submission: Any) -> Any:
        time.sleep(0.5)
        return true_submit(self, submission)

    monkeypatch.setattr(RemoteBackend, "submit", slowly)
    message: list[str] = []
    began_s = time.monotonic()
    with open_backend(settings, tell=message.append) as backend:
        assert backend.history().total < WAITING
        asked_s = time.monotonic() - began_s
        fresh = backend.submit(make.submission("the newest"))  # gets its report at once
        assert fresh.submission.transcript.text == "the newest"
        assert backend.sending().running
        assert backend.sending().total == WAITING
    took_s = time.monotonic() - began_s
    assert asked_s < FEW_SECONDS, "one after the other they take 16 s"
    assert took_s < 2 * FEW_SECONDS
    left = len(outbox.pending())
    assert 0 < left < WAITING
    assert any(line.startswith("sending ") for line in message)
    assert any("next time" in line for line in message)

    monkeypatch.setattr(RemoteBackend, "submit", true_submit)
    with open_backend(settings) as backend:
        while backend.send_waiting(within_s=60).problem:  # the former one sends its last one
            time.sleep(0.05)
    assert outbox.pending() == []
    stored = loopback_server.stored()
    assert len(stored) == len(set(stored)) == WAITING + 1


def test_a_failure_is_told_and_ends_nothing_else() -> None:
    def fail(*_: object) -> str:
        raise BackendError("the folder is gone")

    sender = Sender(fail, lambda: 3)
    sender.begin()
    assert sender.wait(120)
    assert sender.status().problem == "the folder is gone"
