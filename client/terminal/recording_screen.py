"""The recording screen: countdown, level meter, live timer, and the keys that steer it.

What is redrawn has lines of at most ``MAX_CELLS``. A terminal that is made narrower wraps a longer
line that is on it already. How it does so is unknown, so redrawing would leave the rest of the line
or erase lines above it.
"""

import time
from collections.abc import Callable
from enum import StrEnum
from typing import Final, Protocol

from rich.console import Console
from rich.live import Live
from rich.text import Text

from client.audio import Level
from client.terminal.keys import ESCAPE, Keys, one_of
from server.contract import clock

MAX_CELLS: Final = 40
"""Half of the usual 80: half a window. Below that, a terminal shows little of anything."""
_POLL_S: Final = 0.1
_METER_CELLS: Final = 24
_METER_FLOOR_DBFS: Final = -60.0
"""The meter's left end: quiet rooms measure below, speech at arm's length -40 to -10 dBFS."""
_TOO_LOUD_DBFS: Final = -1.0
"""Peaks above this are about to be clipped."""
_ASK_FROM_S: Final = 0.5
_ASK_TO_REPEAT_FROM_S: Final = 5.0
"""As in the studio: discarding a shorter recording is not asked about."""
_MUTED_AFTER_S: Final = 4.0
"""No room is silent that long; a headset with a noise gate is, while nobody speaks."""
_AGAIN: Final = "\nh hear the question again"
_FULL: Final = "█"
_EMPTY: Final = "·"


class End(StrEnum):
    """How a take ended."""

    stop = "stop"
    discard = "discard"
    keep = "keep"
    """The person leaves; what was said is kept to be finished later."""
    quit = "quit"


Repeat = Callable[[Live], object]
"""Says the question once more and comes back when it is said; may show that it does."""


class RunningRecorder(Protocol):
    """What the screen needs of a recorder."""

    def pause(self) -> None:
        """Take no sound until ``resume``."""

    def resume(self) -> None:
        """Go on after ``pause``."""

    def wait(self, timeout_s: float | None = None) -> bool:
        """Whether the take has ended by itself."""


def countdown(
    console: Console, keys: Keys, seconds: int, repeat: Repeat | None = None
) -> float | None:
    """Time to think: the seconds used, without those of ``h``, which says the question again.

    Any other key ends it early. ``q`` gives ``None``: the person wants to leave.
    """
    began_s = time.monotonic()
    with Live(console=console, transient=True, auto_refresh=False) as live:
        for left in range(seconds, 0, -1):
            text = Text.assemble(
                ("Think … recording starts in ", "dim"),
                (f"{left} s", "bold"),
                ("\nany key: now" + (_AGAIN if repeat else ""), "dim"),
            )
            live.update(text, refresh=True)
            key = keys.get(1.0)
            if key == "h" and repeat is not None:
                from_s = time.monotonic()
                repeat(live)
                began_s += time.monotonic() - from_s
            elif key is not None:
                return None if key == "q" else time.monotonic() - began_s
    return time.monotonic() - began_s


def watch_recording(
    console: Console,
    keys: Keys,
    recorder: RunningRecorder,
    levels: list[Level],
    target_s: float,
    repeat: Repeat | None = None,
) -> End:
    """Show the level and the time until the take ends.

    Space or Enter stops, ``p`` pauses, Escape discards, ``q`` leaves, after a question where what
    was said would be gone. ``h`` does what ``repeat`` does, while nothing is recorded.
    ``levels``: a list of one, whose entry the recorder's callback replaces. ``target_s``: how long
    the answer should take.
    """
    paused = False
    with Live(console=console, transient=True, auto_refresh=False) as live:
        while True:
            live.update(_screen(_last(levels), target_s, paused, repeat), refresh=True)
            if recorder.wait(0.0):
                return End.stop
            key = keys.get(_POLL_S)
            if key in (" ", "\r", "\n"):
                return End.stop
            if key in (ESCAPE, "q") or (key == "h" and repeat is not None):
                recorder.pause()
                if key == "h" and repeat is not None:
                    repeat(live)
                elif end := _asked(live, keys, _last(levels), leaving=key == "q"):
                    return end
                if not paused:
                    recorder.resume()
            if key == "p":
                paused = not paused
                (recorder.pause if paused else recorder.resume)()


def _last(levels: list[Level]) -> Level | None:
    return levels[-1] if levels else None


def _asked(live: Live, keys: Keys, level: Level | None, *, leaving: bool) -> End | None:
    """How the take ends, after asking the user; ``None``: it continues."""
    said_s = 0.0 if level is None or level.only_zeros else level.recorded_s
    if said_s < (_ASK_FROM_S if leaving else _ASK_TO_REPEAT_FROM_S):
        return End.quit if leaving else End.discard
    length = clock(said_s)
    if leaving:
        choices = "k keep it for later and leave\nd delete it and leave · g continue"
    else:
        choices = "d delete it and start again · g continue"
    text = Text.assemble((f"You have spoken for {length}.", "bold"), ("\n" + choices, "yellow"))
    live.update(text, refresh=True)
    key = one_of(keys, "kdg" if leaving else "dg")
    if key == "k":
        return End.keep
    if key == "d":
        return End.quit if leaving else End.discard
    return None


def level_bar(peak_dbfs: float) -> Text:
    """A level as a bar, red where it is too loud."""
    share = (peak_dbfs - _METER_FLOOR_DBFS) / -_METER_FLOOR_DBFS
    cells = round(_METER_CELLS * min(max(share, 0.0), 1.0))
    style = "red" if peak_dbfs > _TOO_LOUD_DBFS else "green"
    bar = Text(_FULL * cells, style)
    bar.append(_EMPTY * (_METER_CELLS - cells), "dim")
    return bar


def _screen(level: Level | None, target_s: float, paused: bool, repeat: Repeat | None) -> Text:
    sign = Text("‖ paused    ", "yellow bold") if paused else Text("● recording ", "red bold")
    recorded_s = level.recorded_s if level else 0.0
    over = recorded_s > target_s
    time = Text(f"\n{clock(recorded_s)} of {clock(target_s)}", "yellow" if over else "bold")
    text = Text.assemble(sign, level_bar(level.peak_dbfs if level else _METER_FLOOR_DBFS), time)
    if level is not None and level.only_zeros and level.recorded_s > 1.0:
        text.append("\nno sound at all: is the microphone\nmuted or not allowed?", "yellow")
    elif level is not None and level.zeros_s > _MUTED_AFTER_S and not paused:
        text.append("\nexact silence: if you are speaking,\nthe microphone is muted", "yellow")
    elif level is not None and level.peak_dbfs > _TOO_LOUD_DBFS:
        text.append("  too loud", "red")
    elif level is not None and level.silence_s > 1.0 and not paused:
        text.append(f"  silent for {level.silence_s:.0f} s", "dim")
    text.append("\nSpace stop · p pause · q leave\nEsc discard and start again", "dim")
    text.append(_AGAIN if repeat else "", "dim")
    return text
