"""A drill as a person does it: a terminal, keys, a real microphone, and the real hearing."""

import os
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.client.practice.drills.conftest import RIGHT, WRONG
from tests.worlds.pulseaudio import PulseAudio

pty = pytest.importorskip("pty", reason="a pseudo-terminal is there on Linux and macOS only")

_ALOUD = [sys.executable, "-c", "from client.cli import main; main()"]
_LIMIT_S = 120.0


class Terminal:
    """A program on a terminal of its own."""

    def __init__(self, command: list[str], environment: dict[str, str]) -> None:
        self._master, slave = pty.openpty()
        self.process = subprocess.Popen(
            command, env=environment, stdin=slave, stdout=slave, stderr=slave, close_fds=True
        )
        os.close(slave)
        self.shown = ""
        self._seen = 0

    def wait_for(self, text: str) -> None:
        """Read until ``text`` comes up after what was waited for before."""
        give_up_at_s = time.monotonic() + _LIMIT_S
        while (found := self.shown.find(text, self._seen)) < 0:
            left_s = give_up_at_s - time.monotonic()
            ready, _, _ = select.select([self._master], [], [], max(0.0, left_s))
            assert ready, f"no {text!r} in {self.shown}"
            try:
                piece = os.read(self._master, 65536)
            except OSError:  # Linux: the other end is closed
                piece = b""
            assert piece, f"ended without {text!r}: {self.shown}"
            self.shown += piece.decode("utf-8", "replace")
        self._seen = found + len(text)

    def press(self, key: str) -> None:
        os.write(self._master, key.encode())

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._master)


def flite(path: Path, phones: str) -> Path:
    if shutil.which("flite") is None:
        pytest.skip("no flite to speak given phones: apt install flite")
    named = " ".join(phone.lower().rstrip("02") for phone in phones.split())
    said = ["flite", "-voice", "slt", "-p", f"pau {named} pau", "-o", str(path)]
    subprocess.run(said, check=True)
    return path


@pytest.fixture
def microphone(pulseaudio: PulseAudio, tmp_path: Path) -> Iterator[PulseAudio]:
    """A microphone in a room that is never quite silent."""
    with pulseaudio.room_noise(tmp_path):
        yield pulseaudio


def test_wrong_then_right_over_a_real_microphone(microphone: PulseAudio, tmp_path: Path) -> None:
    right, wrong = flite(tmp_path / "r.wav", RIGHT), flite(tmp_path / "w.wav", WRONG)
    home = tmp_path / "home"
    environment = {
        **microphone.environment,
        "ALOUD_HOME": str(home),
        "ALOUD_OFFLINE": "1",
        "TERM": "xterm",
        "COLUMNS": "100",
    }
    own = tmp_path / "own.csv"
    own.write_text(f"term,readings,mistakes,tip\nRoCE,{RIGHT},{WRONG},Like the boxer.\n")
    subprocess.run([*_ALOUD, "drill", "--import", str(own)], env=environment, check=True)
    terminal = Terminal([*_ALOUD, "drill", "own"], environment)
    try:
        terminal.wait_for("RoCE")
        terminal.wait_for("recording")
        time.sleep(1.0)
        microphone.play(wrong).wait()
        terminal.wait_for("✗ mispronounced")
        terminal.wait_for("ROHSS")
        terminal.wait_for("ROCK-ee")
        terminal.wait_for("Like the boxer.")
        terminal.wait_for("comes back")
        terminal.wait_for("q leave")
        terminal.press("o")  # hear oneself: plays and comes back to the same choice
        time.sleep(2.0)
        terminal.press("\n")
        terminal.wait_for("recording")
        time.sleep(1.0)
        microphone.play(right).wait()
        terminal.wait_for("✓ said right")
        terminal.wait_for("next in ")
        terminal.press("\n")
        terminal.wait_for("0 right at once · 1 to work on")
        assert terminal.process.wait(_LIMIT_S) == 0
    finally:
        terminal.close()
    listed = subprocess.run(
        [*_ALOUD, "drill", "own", "--list"], env=environment, capture_output=True, text=True
    )
    assert "0 due, 0 new" in listed.stdout, listed.stdout + listed.stderr
    [said] = home.rglob("*.wav")
    assert said.parent.name == "speech", "the voice said the item; takes are not kept"


def test_without_a_microphone_the_remedy_is_one_line(tmp_path: Path) -> None:
    environment = {"ALOUD_HOME": str(tmp_path), "PATH": "", "ALOUD_OFFLINE": "1", "COLUMNS": "300"}
    terminal = Terminal([*_ALOUD, "drill", "--device", "no such microphone"], environment)
    try:
        terminal.wait_for("\n")
        assert terminal.process.wait(_LIMIT_S) == 1
        assert terminal.shown.count("\n") == 1
        assert "microphone" in terminal.shown or "libportaudio2" in terminal.shown
    finally:
        terminal.close()
