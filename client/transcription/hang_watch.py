"""Whether a process that should be working still does, by the processor time it uses."""

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

STILL_S: Final = 60.0
"""A process that is asked for something and uses no processor for so long will not answer:
on a busy machine too it would get some of a minute."""

LOADING_STILL_S: Final = 180.0
"""While it loads it may wait for a network or a slow disk, which have limits of their own."""

LONGEST_S: Final = 1800.0
"""Nothing takes longer to load on any machine that this is meant for: such work is a loop."""

LEAST_WORK_S: Final = 120.0
WORK_PER_SOUND_S: Final = 60.0
"""Processor time that a segment may take: so much in any case, and so much for each second of it.
``tiny.en`` takes 0.1 s a second and ``base`` 0.3 s; the largest weights some thirty times that, and
Whisper decodes again up to five times what comes out badly."""

_PROGRESS_TICKS: Final = 2
"""Clock ticks (0.01 s on Linux) of a minute: a sleeping process that wakes for nothing has less."""


def longest_work_s(sound_s: float) -> float:
    """How long an engine may work on so much sound; what goes on longer is a loop."""
    return LEAST_WORK_S + WORK_PER_SOUND_S * sound_s


class HangWatch:
    """Ends a process that stopped working while somebody waits for it; use it in ``with``.

    Args:
        pid: the process.
        end: ends it.
        still_s: after so long without processor time.
        longest_s: after so much processor time; after so long in any case where the system does
            not tell another process's processor time (not Linux).
    """

    def __init__(
        self,
        pid: int,
        end: Callable[[], None],
        still_s: float = STILL_S,
        longest_s: float = LONGEST_S,
    ) -> None:
        self.after_s: float | None = None
        """After how long it was ended; ``None`` where it was not."""
        self._pid = pid
        self._end = end
        self._still_s = still_s
        self._longest_s = longest_s
        self._moved_s = time.monotonic()
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="aloud-hang-watch", daemon=True)

    def __enter__(self) -> "HangWatch":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join()

    def note(self) -> None:
        """It has said something: it works."""
        self._moved_s = time.monotonic()

    def _watch(self) -> None:
        began_s = time.monotonic()
        first = ticks = _ticks(self._pid)
        while not self._is_over.wait(min(1.0, self._still_s / 10, self._longest_s / 10)):
            now_s, now = time.monotonic(), _ticks(self._pid)
            if ticks is None or now is None or now - ticks > _PROGRESS_TICKS:
                # where the system does not tell, only the longest time counts
                ticks, self._moved_s = now, now_s
            worked_s = now_s - began_s
            if first is not None and now is not None:
                worked_s = (now - first) * _TICK_S
            if now_s - self._moved_s > self._still_s or worked_s > self._longest_s:
                self.after_s = now_s - began_s
                self._end()
                return


_TICK_S: Final = 1 / os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 0.01


def _ticks(pid: int) -> int | None:
    """The processor time of a process in clock ticks; ``None`` where the system does not tell."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return int(fields[11]) + int(fields[12])
