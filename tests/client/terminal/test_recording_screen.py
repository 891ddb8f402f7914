"""The recording screen is never wider than half a window, whatever it has to say."""

import io
import re

import pytest
from rich.console import Console
from rich.live import Live

from client.audio import Level
from client.terminal.recording_screen import MAX_CELLS, countdown, watch_recording
from tests.client.terminal.test_leaving import Pressed, Recorder

SPEECH = Level(-18.0, 754.0, speech_begun=True)
LEVELS = {
    "speech": SPEECH,
    "silence": Level(-70.0, 754.0, speech_begun=True, silence_s=125.0),
    "loud": Level(-0.5, 754.0, speech_begun=True),
    "muted halfway": Level(-100.0, 754.0, speech_begun=True, zeros_s=4.5),
    "muted": Level(-100.0, 754.0, only_zeros=True),
}
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


@pytest.fixture
def written() -> io.StringIO:
    return io.StringIO()


@pytest.fixture
def console(written: io.StringIO) -> Console:
    return Console(file=written, force_terminal=True, width=200)


def lines(written: io.StringIO) -> list[str]:
    return _CONTROL.sub("", written.getvalue()).replace("\r", "\n").split("\n")


@pytest.mark.parametrize("keys", [" ", "p ", "h ", "qk", "\x1bd"])
@pytest.mark.parametrize("level", LEVELS.values(), ids=LEVELS)
def test_no_line_of_a_recording_is_wrapped_in_half_a_window(
    console: Console, written: io.StringIO, level: Level, keys: str
) -> None:
    watch_recording(console, Pressed(*keys), Recorder(), [level], 600.0, lambda live: None)
    shown = lines(written)
    assert any("12:34 of 10:00" in line for line in shown)
    assert max(map(len, shown)) <= MAX_CELLS


def test_nor_of_the_countdown(console: Console, written: io.StringIO) -> None:
    heard: list[Live] = []
    assert countdown(console, Pressed("h", "h", " "), 600, heard.append) is not None
    assert "any key: now" in lines(written)
    assert max(map(len, lines(written))) <= MAX_CELLS
    recorder = Recorder()
    watch_recording(console, Pressed("h", "p", "h", " "), recorder, [SPEECH], 600.0, heard.append)
    assert len(heard) == 4
    assert recorder.calls == ["pause", "resume", "pause", "pause"], "paused stays paused"


@pytest.mark.parametrize(
    ("level", "words"),
    [
        *(("silence", "silent for 125 s"), ("loud", "too loud"), ("muted", "muted")),
        ("muted halfway", "the microphone is muted"),
    ],
)
def test_what_is_wrong_is_said(
    console: Console, written: io.StringIO, level: str, words: str
) -> None:
    watch_recording(console, Pressed(" "), Recorder(), [LEVELS[level]], 600.0)
    assert words in "\n".join(lines(written))
