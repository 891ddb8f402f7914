"""A terminal that is made narrower and wider while a screen is redrawn: one screen, no debris.

In tmux, a real terminal: what is on its screen depends on how it wraps the lines that are there.
"""

import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

TMUX = shutil.which("tmux")
pytestmark = pytest.mark.skipif(TMUX is None, reason="needs tmux: apt install tmux")

ROOT = Path(__file__).parents[3]
QUESTION = "How do InfiniBand and RoCE differ, and when would you choose one over the other?"
WIDTHS = (60, 40, 120, 41)
_SCREEN = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from itertools import count
from rich.console import Console
from client.audio import Level
from client.terminal.keys import key_reader
from client.terminal.recording_screen import countdown, watch_recording

class Recorder:
    pause = resume = lambda self: None
    numbers = count()

    def wait(self, timeout_s=None):
        levels[0] = Level(-18.0, 100.0 + next(self.numbers) / 10, speech_begun=True)
        return False

levels = [Level(-18.0, 0.0, speech_begun=True)]
console = Console()
console.print({QUESTION!r}, soft_wrap=True)
with key_reader() as keys:
    countdown(console, keys, 600)
    end = watch_recording(console, keys, Recorder(), levels, 120.0)
print("ended:", end)
sys.stdin.read()
"""


class Terminal:
    """A terminal of tmux's with a program in it."""

    def __init__(self, folder: Path, program: Path) -> None:
        self._socket = str(folder / "tmux")
        self._tmux(
            *("new-session", "-d", "-s", "t", "-x", "100", "-y", "30"),
            f"{sys.executable} {program}",
        )

    def _tmux(self, *arguments: str) -> str:
        assert TMUX is not None
        command = [TMUX, "-f", "/dev/null", "-S", self._socket, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def press(self, key: str) -> None:
        self._tmux("send-keys", "-t", "t", key)

    def resize(self, width: int) -> None:
        self._tmux("resize-window", "-t", "t", "-x", str(width), "-y", "30")

    def lines(self) -> list[str]:
        """What is to be seen, lines that the terminal wrapped joined, without empty ones."""
        shown = self._tmux("capture-pane", "-p", "-J", "-S", "-", "-t", "t")
        return [line.rstrip() for line in shown.splitlines() if line.strip()]

    def wait(self, reached: Callable[[list[str]], bool]) -> list[str]:
        """The lines once they are as wanted."""
        give_up_s = time.monotonic() + 30
        while not reached(lines := self.lines()):
            assert time.monotonic() < give_up_s, lines
            time.sleep(0.05)
        return lines

    def close(self) -> None:
        self._tmux("kill-server")


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    program = tmp_path / "screen.py"
    program.write_text(_SCREEN, encoding="utf-8")
    opened = Terminal(tmp_path, program)
    yield opened
    opened.close()


def _shown(terminal: Terminal, width: int, screen: str) -> None:
    """Waits until a terminal of this width shows the question and one such screen, redrawn.

    Debris would stay; what is to be seen while the screen is being redrawn does not.

    Args:
        terminal: is resized.
        width: in columns.
        screen: a regular expression of all lines below the question.
    """
    terminal.resize(width)
    before = terminal.lines()
    whole = re.compile(f"{re.escape(QUESTION)}\n{screen}")
    terminal.wait(lambda lines: lines != before and whole.fullmatch("\n".join(lines)) is not None)


def test_a_resized_terminal_shows_each_screen_once_and_nothing_else(terminal: Terminal) -> None:
    terminal.wait(lambda lines: "any key: now" in lines)
    for width in WIDTHS:
        _shown(terminal, width, r"Think … recording starts in \d+ s\nany key: now")
    terminal.press("x")
    terminal.wait(lambda lines: "Esc discard and start again" in lines)
    keys = "Space stop · p pause · q leave\nEsc discard and start again"
    for width in WIDTHS:
        _shown(terminal, width, rf"● recording █+·+\n\d:\d\d of 2:00\n{keys}")
    terminal.press("q")
    asked = r"You have spoken for \d:\d\d\.\nk keep it for later and leave\nd delete [^\n]*"
    whole = re.compile(f"{re.escape(QUESTION)}\n{asked}")
    for width in WIDTHS:
        terminal.resize(width)  # nothing is redrawn while the question is open
        terminal.wait(lambda lines: whole.fullmatch("\n".join(lines)) is not None)
    terminal.press("k")
    terminal.wait(lambda lines: lines == [QUESTION, "ended: keep"])
