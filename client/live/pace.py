"""When the engine is given what waits: early enough to be quick, seldom enough to be free."""

from typing import Final

__all__ = ["CONTEXT_SPEECH_S", "Pace"]

CONTEXT_SPEECH_S: Final = 4.0
"""Less speech than this is recognised worse on its own, and again with what follows."""

SHARE_OF_TIME: Final = 3.0
"""So many times its own duration of speech is gathered for a run of the engine, so that it is idle
for most of the time and "stop" seldom finds it busy."""

FALLEN_SILENT_S: Final = 1.0
"""Who is silent for so long may be about to press stop: the tail is begun at once."""

QUICK_S: Final = 0.5
"""An engine as quick as this may be started at any moment, a slower one only in a pause: whoever
goes on after a pause speaks for a while, and by then it is done."""

ROOM_S: Final = 2.0
"""The engine is given what waits when a segment has only this much room left, so that after "stop"
one segment holds all."""


class Pace:
    """Decides from what the engine's last run has cost.

    Args:
        limit_s: the longest segment.
    """

    def __init__(self, limit_s: float) -> None:
        self._limit_s = limit_s
        self._cost_s = 0.0

    def ran(self, cost_s: float) -> None:
        """The engine has run once, and took so long."""
        self._cost_s = cost_s

    def is_due(self, *, waiting_s: float, covered_s: float, silence_s: float) -> bool:
        """Whether the engine is to run now on the pieces that wait.

        Args:
            waiting_s: speech in pieces that wait for the engine; none: there is nothing to run on.
            covered_s: length of the segment that all speech would make that is not recognised
                yet, that which goes on now included.
            silence_s: for how long nobody has spoken.
        """
        if not waiting_s:
            return False
        if covered_s >= self._limit_s - ROOM_S:
            return True
        if silence_s >= max(FALLEN_SILENT_S, self._cost_s / 2):
            return True
        enough = waiting_s >= max(CONTEXT_SPEECH_S, SHARE_OF_TIME * self._cost_s)
        return enough and (silence_s > 0.0 or self._cost_s <= QUICK_S)
