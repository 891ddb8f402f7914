"""Changes the sample rate of sound, for whole clips, streams and files."""

from typing import Any, Final

import numpy as np
import numpy.typing as npt
import soxr

from pronunciation.clip import SAMPLE_RATE_HZ, Clip

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
