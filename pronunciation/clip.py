"""A piece of sound, in the form that all of Aloud uses."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from pronunciation.errors import AudioError

BYTES_PER_SAMPLE: Final = 2
_FULL_SCALE: Final = 32768.0
_TYPE: Final = "<i2"


def encode_pcm16(samples: npt.NDArray[np.float32]) -> bytes:
    """Samples, float32 of any shape, as 16-bit PCM; values outside [-1, 1) are clipped."""
    scaled = np.rint(samples * np.float32(_FULL_SCALE))
    whole: npt.NDArray[np.int16] = np.clip(scaled, -_FULL_SCALE, _FULL_SCALE - 1).astype(_TYPE)
    return whole.tobytes()


def decode_pcm16(content: bytes) -> npt.NDArray[np.float32]:
    """16-bit PCM as float32 of shape ``(n,)`` within [-1, 1); drops half a sample at the end."""
    count = len(content) // BYTES_PER_SAMPLE
    samples = np.frombuffer(content, _TYPE, count).astype(np.float32)
    return samples / np.float32(_FULL_SCALE)


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
