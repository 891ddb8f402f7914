"""A piece of sound, in the form that all of Aloud uses."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pronunciation.errors import AudioError
from pronunciation.pcm import encode_pcm16

SAMPLE_RATE_HZ = 16_000
"""The only rate inside Aloud; other rates are resampled at the edge."""


@dataclass(frozen=True, eq=False)
class Clip:
    """Mono sound, normalized once at the edge.

    Attributes:
        samples: float32, shape ``(n,)``, within [-1, 1].
        sample_rate_hz: samples per second, ``SAMPLE_RATE_HZ`` unless stated.
    """

    samples: npt.NDArray[np.float32]
    sample_rate_hz: int = SAMPLE_RATE_HZ

    def __post_init__(self) -> None:
        if self.samples.ndim != 1 or self.samples.dtype != np.float32:
            shape, dtype = self.samples.shape, self.samples.dtype
            raise AudioError(f"a clip is float32 of shape (n,), not {dtype} of shape {shape}")
        if self.sample_rate_hz <= 0:
            raise AudioError(f"the sample rate must be positive, not {self.sample_rate_hz} Hz")
        if not np.isfinite(self.samples).all():
            raise AudioError("the clip has samples that are not finite")

    @property
    def duration_s(self) -> float:
        """Length in seconds."""
        return self.samples.size / self.sample_rate_hz

    def slice(self, start_s: float, end_s: float) -> "Clip":
        """The piece from ``start_s`` to ``end_s``, within the clip's bounds."""
        first = max(0, round(start_s * self.sample_rate_hz))
        last = min(self.samples.size, round(end_s * self.sample_rate_hz))
        return Clip(self.samples[first : max(first, last)], self.sample_rate_hz)

    def pcm16(self) -> bytes:
        """The samples as little-endian signed 16-bit PCM."""
        return encode_pcm16(self.samples)
