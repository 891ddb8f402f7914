"""16-bit PCM, little-endian, and float samples: the scale between them.

Full scale is 32768, as in FFmpeg and libsndfile, so that decoding and encoding 16-bit sound changes
no bit.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

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
