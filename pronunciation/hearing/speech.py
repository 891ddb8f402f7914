"""Whether there is any speech at all: frames louder than the clip's own background."""

import numpy as np

from pronunciation.clip import Clip
from pronunciation.hearing.labels import FRAME_S

__all__ = ["speech_frames"]

QUIETEST_DB = -62.0
"""dB below full scale; a muted microphone and digital silence lie under it, whispering above."""
ABOVE_BACKGROUND_DB = 8.0
"""Speech stands out from the clip's quietest tenth by more than this; steady noise does not."""


def speech_frames(clip: Clip) -> int:
    """How many 20 ms frames are loud enough to be speech."""
    size = round(FRAME_S * clip.sample_rate_hz)
    n = clip.samples.size // size
    if n == 0:
        return 0
    power = (clip.samples[: n * size].astype(np.float64).reshape(n, size) ** 2).mean(axis=1)
    level_db = 10 * np.log10(power + 1e-12)
    background_db = float(np.quantile(level_db, 0.1))
    floor_db = max(QUIETEST_DB, min(background_db + ABOVE_BACKGROUND_DB, -25.0))
    return int((level_db > floor_db).sum())
