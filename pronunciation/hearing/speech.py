"""Whether there is any speech: frames above the clip's background, and a changing sound."""

import numpy as np

from pronunciation.clip import Clip
from pronunciation.hearing.acoustic import FRAME_S
from pronunciation.hearing.features import log_mel_energies

QUIETEST_DB = -62.0
"""dB below full scale; a muted microphone and digital silence are below it, whispering is above."""
ABOVE_BACKGROUND_DB = 8.0
"""Speech stands out from the clip's quietest tenth by more than this; steady noise does not."""
STEADY_DB = 2.2
"""Noise of four colors varied by 1.2 to 1.9 dB. 900 words cut from dev's sentences varied by 2.7 or
more, and 80 of them with equally loud white noise by 2.5 or more."""
SMOOTHED_FRAMES = 10
SHORTEST_FRAMES = 20
"""Frames of 10 ms: the bands are averaged over the first number, and the second is enough to
judge."""


def is_steady(clip: Clip) -> bool:
    """Whether a sound keeps its spectrum, as hiss and fans do but speech does not.

    Measured by the mean spread over time of the quarter of mel bands that vary most. A clip of less
    than 0.2 s is never called steady.
    """
    energies = log_mel_energies(clip.samples)
    if energies.shape[1] < SHORTEST_FRAMES:
        return False
    window = np.ones(SMOOTHED_FRAMES) / SMOOTHED_FRAMES
    smooth = np.array([np.convolve(band, window, "valid") for band in 10.0**energies])
    spread_db = np.sort((10 * np.log10(smooth)).std(axis=1))
    return bool(spread_db[-len(spread_db) // 4 :].mean() < STEADY_DB)


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
