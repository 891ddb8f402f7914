"""“Did you mean …?” in the terminal."""

from collections.abc import Iterator

import pytest
from rich.console import Console

from client.backend.embedded import open_embedded
from client.backend.protocol import Backend
from client.core.settings import ClientSettings
from client.terminal.keys import Keys
from client.terminal.meant import ask_what_was_meant
from tests.worlds.planted_report import CLAUSE, PHRASES, QUESTION, planted_attempt


class Pressed(Keys):
    """Keys pressed in advance; asking for one more is a defect."""

    def __init__(self, keys: str) -> None:
        self.keys = list(keys)

    def get(self, timeout_s: float) -> str | None:
        return self.keys.pop(0)


@pytest.fixture
def backend(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Backend]:
    made = open_embedded(ClientSettings(home=tmp_path_factory.mktemp("home")))
    made.import_attempts([planted_attempt(QUESTION, "a" * 32, PHRASES)])
    yield made
    made.close()


def asked(backend: Backend, keys: Keys, *, terminal: bool = True) -> str:
    console = Console(width=100, force_terminal=terminal, color_system=None)
    with console.capture() as captured:
        ask_what_was_meant(console, keys, backend, 1, backend.attempt(1).report)
    return captured.get()


@pytest.mark.parametrize(
    ("key", "status"), [("y", "covered"), ("xn", "missing"), ("\r", "possible")]
)
def test_one_key_answers_or_skips(backend: Backend, key: str, status: str) -> None:
    shown = asked(backend, Pressed(key))
    assert f"Did you mean “continuous batching”? You said “{CLAUSE}”." in shown
    report = backend.attempt(1).report
    assert report.coverage.phrases[4].status == status
    assert (f"Score {report.score:.0%} (corrected" in shown) == (status != "possible")


def test_without_a_terminal_nothing_is_asked(backend: Backend) -> None:
    assert asked(backend, Pressed(""), terminal=False) == ""


def test_what_was_answered_is_not_asked_again(backend: Backend) -> None:
    asked(backend, Pressed("y"))
    assert asked(backend, Pressed("")) == ""
