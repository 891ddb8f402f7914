"""Decides when the engine gets waiting pieces: soon enough to be fast, rarely enough to be free."""

from collections import deque
from typing import Final

import numpy as np

CONTEXT_SPEECH_S: Final = 4.0
"""Less speech than this is recognized worse on its own, and again with what follows."""

SHARE_OF_TIME: Final = 3.0
"""So many times what a run costs however short it is (Whisper: nearly all of it) of speech is
gathered first, so that the engine is idle for most of the time and "stop" seldom finds it busy."""

FALLEN_SILENT_S: Final = 1.0
"""Somebody who is silent for this long may be about to press stop: the tail is begun at once."""

QUICK_S: Final = 0.5
"""An engine as quick as this may be started at any moment, a slower one only in a pause or within
``YOUNG_S`` after it: speech that follows a pause lasts a while, and by then it is done."""

YOUNG_S: Final = 1.0

ROOM_S: Final = 2.0
"""The engine is given what waits when a segment has only this much room left, so that after "stop"
one segment holds all."""

_RUNS_REMEMBERED: Final = 8


class Pace:
    """Decides from what the engine's last runs have cost.

    Args:
        limit_s: the longest segment.
    """

    def __init__(self, limit_s: float) -> None:
        self._limit_s = limit_s
        self._runs: deque[tuple[float, float]] = deque(maxlen=_RUNS_REMEMBERED)

    def ran(self, sound_s: float, cost_s: float) -> None:
        """Record one run of the engine: how much sound, how long it took."""
        self._runs.append((sound_s, cost_s))

    @property
    def fixed_cost_s(self) -> float:
        """What a run costs however short it is, from a line through the last runs."""
        if not self._runs:
            return 0.0
        sounds_s, costs_s = np.array(self._runs).T
        spread = float(np.square(sounds_s - sounds_s.mean()).sum())
        if spread < 1.0:
            return float(costs_s.min())  # runs of one length do not tell: suppose the worst
        slope = float(((sounds_s - sounds_s.mean()) * (costs_s - costs_s.mean())).sum()) / spread
        at_zero_s = float(costs_s.mean()) - max(0.0, slope) * float(sounds_s.mean())
        return min(max(0.0, at_zero_s), float(costs_s.min()))

    def is_due(
        self, *, waiting_s: float, covered_s: float, silence_s: float, phrase_s: float
    ) -> bool:
        """Whether the engine is to run now on the pieces that wait.

        Args:
            waiting_s: speech in pieces that wait for the engine; none: there is nothing to run on.
            covered_s: length of the segment that all speech would make that is not recognized
                yet, that which continues now included.
            silence_s: for how long nobody has spoken.
            phrase_s: how long the speech that continues now has lasted; 0 in a pause.
        """
        if not waiting_s:
            return False
        if covered_s >= self._limit_s - ROOM_S:
            return True
        fixed_s = self.fixed_cost_s
        if silence_s >= max(FALLEN_SILENT_S, fixed_s / 2):
            return True
        last_s = self._runs[-1][1] if self._runs else 0.0
        enough = waiting_s >= max(CONTEXT_SPEECH_S, SHARE_OF_TIME * fixed_s)
        return enough and (phrase_s <= YOUNG_S or last_s <= QUICK_S)
