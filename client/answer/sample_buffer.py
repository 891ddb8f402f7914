"""Holds the samples of an answer while it is worked on."""

import numpy as np
import numpy.typing as npt

from pronunciation.clip import SAMPLE_RATE_HZ, Clip


class SampleBuffer:
    """The answer's samples so far. Taking more costs the same however many there are."""

    def __init__(self) -> None:
        self._buffer: npt.NDArray[np.float32] = np.empty(0, np.float32)
        self._size = 0

    @property
    def duration_s(self) -> float:
        """Length in seconds."""
        return self._size / SAMPLE_RATE_HZ

    def append(self, samples: npt.NDArray[np.float32]) -> None:
        """Take the next samples, float32 of shape ``(n,)``."""
        end = self._size + samples.size
        if end > self._buffer.size:
            # sound that was cut from the old buffer stays valid
            grown = np.empty(max(end, 2 * self._size), np.float32)
            grown[: self._size] = self._buffer[: self._size]
            self._buffer = grown
        self._buffer[self._size : end] = samples
        self._size = end

    def cut(self, start_s: float, end_s: float) -> tuple[Clip, float]:
        """The sound between two times, and where exactly it starts, in seconds."""
        first = min(self._size, max(0, round(start_s * SAMPLE_RATE_HZ)))
        last = min(self._size, max(first, round(end_s * SAMPLE_RATE_HZ)))
        return Clip(self._buffer[first:last]), first / SAMPLE_RATE_HZ
