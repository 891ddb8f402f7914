"""A piece of sound, in the form that all of Aloud uses; at another rate; what may be said in it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import soxr

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


_QUALITY: Final = "HQ"


def at_sample_rate(clip: Clip, sample_rate_hz: int = SAMPLE_RATE_HZ) -> Clip:
    """The same sound at another rate; the clip itself if it already has that rate."""
    if clip.sample_rate_hz == sample_rate_hz:
        return clip
    stream = StreamResampler(clip.sample_rate_hz, sample_rate_hz)
    return Clip(stream.feed(clip.samples, is_last=True), sample_rate_hz)


class StreamResampler:
    """Resamples sound that arrives in blocks; the result equals that of `at_sample_rate`."""

    def __init__(self, from_hz: int, to_hz: int = SAMPLE_RATE_HZ, channels: int = 1) -> None:
        self._stream: Any = None
        if from_hz != to_hz:
            self._stream = soxr.ResampleStream(
                from_hz, to_hz, channels, dtype="float32", quality=_QUALITY
            )

    def feed(
        self, samples: npt.NDArray[np.float32], *, is_last: bool = False
    ) -> npt.NDArray[np.float32]:
        """The next samples at the new rate, within [-1, 1].

        Args:
            samples: float32 of shape ``(n,)``, or ``(channels, n)``.
            is_last: whether this is the last block, so that what was held back is returned too.
        """
        if self._stream is None:
            return samples
        # soxr needs the channels last and contiguous in memory
        changed = self._stream.resample_chunk(np.ascontiguousarray(samples.T), last=is_last)
        # the filter overshoots at full scale
        return np.clip(np.asarray(changed, np.float32), -1.0, 1.0).T


Parts = tuple[str, str, str]
"""A text: what is before a place, what is there, and what follows."""

LogProbs = tuple[tuple[float, ...], tuple[float, ...], tuple[float, ...]]
"""The natural logarithm of the probability of each token, in the parts of a text."""


@dataclass(frozen=True, eq=False)
class Passage:
    """Sound, and texts that may have been said in it.

    Attributes:
        clip: the sound, at most 30 s at 16 kHz.
        texts: in three parts each.
        prompt: a name that the decoder gets beforehand, as if it had just heard it: a rare name is
            then no less likely than an ordinary word of the same sound. Empty: none.
    """

    clip: Clip
    texts: tuple[Parts, ...]
    prompt: str = ""


Decode = Callable[[Sequence[Passage]], Sequence[Sequence[LogProbs]] | None]
"""The tokens of every text of every passage; ``None`` where there is no decoder, or it failed."""
