"""Leaving while speaking: nothing that was said is gone without a question."""

import io
import os
import subprocess
import sys

import pytest
from rich.console import Console

from client.audio import Level
from client.terminal.keys import ESCAPE, Keys, key_reader, quiet_libraries
from client.terminal.recording_screen import End, watch_recording


class Pressed(Keys):
    def __init__(self, *keys: str) -> None:
        self.left = list(keys)

    def get(self, timeout_s: float) -> str | None:
        return self.left.pop(0)


class Recorder:
    def __init__(self) -> None:
        self.calls: list[str] = []

    def pause(self) -> None:
        self.calls.append("pause")

    def resume(self) -> None:
        self.calls.append("resume")

    def wait(self, timeout_s: float | None = None) -> bool:
        return False


def level(recorded_s: float, *, only_zeros: bool = False) -> Level:
    return Level(
        peak_dbfs=-20.0,
        recorded_s=recorded_s,
        paused=False,
        speech_begun=True,
        silence_s=0.0,
        only_zeros=only_zeros,
    )


def watch(*keys: str, said: Level | None) -> tuple[End, list[str], str]:
    shown, recorder = io.StringIO(), Recorder()
    console = Console(file=shown, width=100, force_terminal=True)
    levels = [said] if said else []
    end = watch_recording(console, Pressed(*keys), recorder, levels, 120.0)
    return end, recorder.calls, shown.getvalue()


@pytest.mark.parametrize(("key", "end"), [("k", End.keep), ("d", End.quit)])
def test_q_asks_before_20_seconds_are_gone(key: str, end: End) -> None:
    ended, calls, shown = watch("q", "x", key, said=level(20.0))
    assert ended is end
    assert calls == ["pause"], "nothing is recorded while the question stands"
    assert "You have spoken for 0:20." in shown
    assert "k keep it for later and leave" in shown


def test_escape_asks_from_five_seconds_on() -> None:
    assert watch(ESCAPE, said=level(4.0))[0] is End.discard
    ended, _, shown = watch(ESCAPE, "d", said=level(6.0))
    assert ended is End.discard
    assert "d delete it and start again" in shown


def test_what_was_said_until_the_key_counts() -> None:
    levels = [level(0.1)]

    class Speaking(Pressed):
        def get(self, timeout_s: float) -> str | None:
            levels[:] = [level(20.0)]
            return super().get(timeout_s)

    console = Console(file=io.StringIO(), width=100, force_terminal=True)
    ended = watch_recording(console, Speaking("q", "k"), Recorder(), levels, 120.0)
    assert ended is End.keep


def test_what_libraries_write_stays_off_the_screen(capfd: pytest.CaptureFixture[str]) -> None:
    with quiet_libraries():
        os.write(2, b"ALSA lib pcm.c: underrun\n")
    os.write(2, b"afterwards\n")
    assert capfd.readouterr().err == "afterwards\n"


def test_our_own_text_comes_out_meanwhile() -> None:
    program = (
        "import os, sys\n"
        "from client.terminal.keys import quiet_libraries\n"
        "with quiet_libraries():\n"
        "    os.write(2, b'library\\n')\n"
        "    print('ours', file=sys.stderr)\n"
        "print('after', file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "ours\nafter\n")


def test_a_terminal_that_is_gone_ends_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = os.openpty()
    with os.fdopen(theirs) as stdin, pytest.raises(KeyboardInterrupt):
        monkeypatch.setattr(sys, "stdin", stdin)
        with key_reader() as keys:
            os.close(ours)
            keys.get(5.0)
