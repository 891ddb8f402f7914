"""Resamples between a device's native rate and Aloud's own rate."""

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pronunciation.clip import SAMPLE_RATE_HZ, Clip

_QUALITY: Final = "HQ"


def resample(samples: npt.NDArray[np.float32], from_hz: int, to_hz: int) -> npt.NDArray[np.float32]:
    """Mono samples, float32 of shape ``(n,)``, at another rate, kept within [-1, 1]."""
    if from_hz == to_hz or samples.size == 0:
        return samples
    import soxr  # here: `aloud --help` does not wait for it

    changed = np.asarray(soxr.resample(samples, from_hz, to_hz, quality=_QUALITY), dtype=np.float32)
    return np.clip(changed, -1.0, 1.0)  # the filter overshoots at full scale


def to_clip(samples: npt.NDArray[np.float32], sample_rate_hz: int) -> Clip:
    """A `Clip` at 16 kHz from mono samples, float32 of shape ``(n,)``, at any rate."""
    return Clip(resample(samples, sample_rate_hz, SAMPLE_RATE_HZ))


def at_sample_rate(clip: Clip, sample_rate_hz: int = SAMPLE_RATE_HZ) -> Clip:
    """The same sound at another rate; the clip itself where it has that rate already."""
    if clip.sample_rate_hz == sample_rate_hz:
        return clip
    return Clip(resample(clip.samples, clip.sample_rate_hz, sample_rate_hz), sample_rate_hz)


class StreamResampler:
    """Sound that comes in blocks, at 16 kHz; together the blocks are what `to_clip` gives.

    Args:
        sample_rate_hz: of the blocks that will come.
    """

    def __init__(self, sample_rate_hz: int) -> None:
        self._stream: Any = None
        if sample_rate_hz != SAMPLE_RATE_HZ:
            import soxr

            self._stream = soxr.ResampleStream(
                sample_rate_hz, SAMPLE_RATE_HZ, 1, dtype="float32", quality=_QUALITY
            )

    def feed(
        self, samples: npt.NDArray[np.float32], *, is_last: bool = False
    ) -> npt.NDArray[np.float32]:
        """What is ready at 16 kHz; with ``is_last`` all that was held back."""
        if self._stream is None:
            return samples
        changed = np.asarray(self._stream.resample_chunk(samples, last=is_last), dtype=np.float32)
        return np.clip(changed, -1.0, 1.0)
