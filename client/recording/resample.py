"""From a device's native rate to the one rate inside Aloud, and back."""

import numpy as np
import numpy.typing as npt

from pronunciation.clip import SAMPLE_RATE_HZ, Clip

__all__ = ["resample", "to_clip"]


def resample(samples: npt.NDArray[np.float32], from_hz: int, to_hz: int) -> npt.NDArray[np.float32]:
    """Mono samples, float32 of shape ``(n,)``, at another rate, kept within [-1, 1]."""
    if from_hz == to_hz or samples.size == 0:
        return samples
    import soxr  # here: nobody who only looks at the help waits for it

    changed = np.asarray(soxr.resample(samples, from_hz, to_hz, quality="HQ"), dtype=np.float32)
    return np.clip(changed, -1.0, 1.0)  # the filter overshoots at full scale


def to_clip(samples: npt.NDArray[np.float32], sample_rate_hz: int) -> Clip:
    """A `Clip` at 16 kHz from mono samples, float32 of shape ``(n,)``, at any rate."""
    return Clip(resample(samples, sample_rate_hz, SAMPLE_RATE_HZ))
