"""Running commands in-process, and a scripted engine in the place of a real one."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from client.audio.files import read_audio
from client.audio.wav import write_wav
from client.cli import common
from client.cli.app import app
from client.data import demo
from client.engines.base import Transcriber
from pronunciation.clip import Clip
from server.contract import Word

Run = Callable[..., Result]

ANSWER = (
    "So the KV cache keeps the keys and values which makes autoregressive decoding affordable "
    "and the memory is two times the number of layers times the KV heads"
)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run ``aloud`` with these arguments; the consoles are new for each run, and as wide as usual.

    The runner of the tests says in the environment how wide its own terminal is.
    """
    monkeypatch.delenv("COLUMNS", raising=False)

    def _run(*arguments: str, input: str | bytes | None = None) -> Result:
        common.out.cache_clear()
        common.errors.cache_clear()
        return CliRunner().invoke(app, list(arguments), input=input)

    return _run


class ScriptedEngine(Transcriber):
    """An engine that writes ``ANSWER`` whatever it hears, two words a second."""

    name = "scripted"
    model = "none"

    def recognize(self, clip: Clip) -> Sequence[Word]:
        return [
            Word(text=text, start_s=index / 2, end_s=index / 2 + 0.4, confidence=0.9)
            for index, text in enumerate(ANSWER.split())
        ]


@pytest.fixture
def scripted_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("client.cli.loading.begin_loading", lambda *_, **__: ScriptedEngine)


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """Three seconds of speech in a file."""
    path = tmp_path / "answer.wav"
    write_wav(read_audio(demo.AUDIO).slice(0.5, 3.5), path)
    return path
