"""Holds the samples of an answer while it is worked on."""

import numpy as np
import numpy.typing as npt

from pronunciation.clip import SAMPLE_RATE_HZ, Clip


class SampleBuffer:
    """The answer's samples so far, without those that are no longer needed.

    Taking more costs the same however many there are. All of three hours would be 690 MB.
    """

    def __init__(self) -> None:
        self._buffer: npt.NDArray[np.float32] = np.empty(0, np.float32)
        self._held = 0
        self._forgotten = 0

    @property
    def duration_s(self) -> float:
        """Length in seconds, with what is forgotten."""
        return (self._forgotten + self._held) / SAMPLE_RATE_HZ

    @property
    def held_s(self) -> float:
        """How much of it is in memory."""
        return self._held / SAMPLE_RATE_HZ

    def append(self, samples: npt.NDArray[np.float32]) -> None:
        """Take the next samples, float32 of shape ``(n,)``."""
        if not self._held:
            # a recording comes at once: no copy of it. What is full is never written to.
            self._buffer, self._held = samples, samples.size
            return
        end = self._held + samples.size
        if end > self._buffer.size:
            grown = np.empty(max(end, 2 * self._held), np.float32)
            grown[: self._held] = self._buffer[: self._held]
            self._buffer = grown
        self._buffer[self._held : end] = samples
        self._held = end

    def forget_before(self, start_s: float) -> None:
        """Nothing before this time will be cut; gives its memory back where it is worth a copy."""
        count = min(self._held, round(start_s * SAMPLE_RATE_HZ) - self._forgotten)
        if count < max(self._held // 2, 1):
            return
        # a copy: sound that was cut from this one stays valid
        self._buffer = self._buffer[count : self._held].copy()
        self._held -= count
        self._forgotten += count

    def cut(self, start_s: float, end_s: float) -> tuple[Clip, float]:
        """The sound between two times, and where exactly it starts, in seconds."""
        first = min(self._held, max(0, round(start_s * SAMPLE_RATE_HZ) - self._forgotten))
        last = min(self._held, max(first, round(end_s * SAMPLE_RATE_HZ) - self._forgotten))
        return Clip(self._buffer[first:last]), (self._forgotten + first) / SAMPLE_RATE_HZ
