"""Where a clip's speech is, and whether there is any: loud frames, and a changing sound."""

import numpy as np
import numpy.typing as npt

from pronunciation.clip import Clip
from pronunciation.hearing.acoustic import FRAME_S, log_mel_energies

QUIETEST_DB = -62.0
"""dB below full scale; a muted microphone and digital silence are below it, whispering is above."""
ABOVE_BACKGROUND_DB = 8.0
"""Speech stands out from the clip's quietest tenth by more than this; steady noise does not."""
STEADY_DB = 2.2
"""Noise of four colors varied by 1.2 to 1.9 dB. 900 words cut from dev's sentences varied by 2.7 or
more, and 80 of them with equally loud white noise by 2.5 or more."""
FLOOR_DB = 25.0
"""Speech begins and ends this far below its loudest 20 ms, whatever is around it: where the quiet
before and after a word decided, more of it moved the word's ends. Of 180 drill items, each with two
noises around it, 0.98 keep their verdict; 0.96 with 30 dB. For learners there is no difference."""
STEP_S = 0.001
SHORTEST_LOUD_S = 0.04
"""Shorter loud sounds are clicks."""
AROUND_SHARE, AROUND_S = 0.12, (0.1, 0.5)
"""Sound kept on either side of speech, as a share of the speech, and its limits. Of 150 drill items
by the natural voice, 127 are heard as right with 0.1 s around them, 116 with 0.3 s and 97 with
1.5 s. Held-out learners' sentences need more: one unrelated phone is right in 0.929 with 0.25 s, in
0.940 with the 0.45 s that they were recorded with."""
MOST_PADDED_S = 0.25
"""So much of it may be digital silence, where the clip has less: with 0.6 s, 29 of 34 terms in the
bank's prompts by the natural voice are heard as right, with 0.25 s all but one."""
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


def speech_span(clip: Clip) -> tuple[int, int]:
    """The first sample of a clip's speech and the one after its last; (0, 0) if none is."""
    step, frame = (round(span_s * clip.sample_rate_hz) for span_s in (STEP_S, FRAME_S))
    steps = clip.samples.size // step
    if steps < frame // step:
        return 0, clip.samples.size
    squares = np.square(clip.samples[: steps * step], dtype=np.float64)
    energies = np.convolve(
        squares.reshape(steps, step).sum(axis=1), np.ones(frame // step), "valid"
    )
    level_db = 10 * np.log10(energies / frame + 1e-12)
    is_loud = level_db > max(QUIETEST_DB, level_db.max() - FLOOR_DB)
    run = min(round(SHORTEST_LOUD_S / STEP_S), is_loud.size)
    begins = np.flatnonzero(np.lib.stride_tricks.sliding_window_view(is_loud, run).all(axis=1))
    if not begins.size:
        return 0, 0
    return int(begins[0]) * step, (int(begins[-1]) + run - 1) * step + frame


def speech_part(clip: Clip) -> tuple[Clip, int]:
    """A clip's speech with a little around it, and the part's first sample in the clip.

    What the network says of a sound depends on all that it gets (the mean of its channels, the
    clip's loudest samples), so it must not get more silence from one recording than from another.
    Digital silence before and after is no part of the clip.
    Where the clip has less, there is digital silence, and the first sample may be negative.
    """
    audible = np.flatnonzero(clip.samples)
    before = int(audible[0]) if audible.size else 0
    clip = Clip(clip.samples[before : audible[-1] + 1 if audible.size else 0], clip.sample_rate_hz)
    rate, size = clip.sample_rate_hz, clip.samples.size
    begin, end = speech_span(clip)
    around_s = float(np.clip(AROUND_SHARE * (end - begin) / rate, *AROUND_S))
    most, least = round(around_s * rate), round(min(around_s, MOST_PADDED_S) * rate)
    first = min(begin - least, max(0, begin - most))
    behind = max(end + least, min(size, end + most))
    inside = clip.samples[max(0, first) : behind]
    part = Clip(np.pad(inside, (max(0, -first), max(0, behind - size))), rate)
    return part, before + first


def _levels_db(clip: Clip) -> npt.NDArray[np.float64]:
    size = round(FRAME_S * clip.sample_rate_hz)
    n = clip.samples.size // size
    power = (clip.samples[: n * size].astype(np.float64).reshape(n, size) ** 2).mean(axis=1)
    level_db: npt.NDArray[np.float64] = 10 * np.log10(power + 1e-12)
    return level_db


def speech_frames(clip: Clip) -> int:
    """How many 20 ms frames are loud enough to be speech."""
    level_db = _levels_db(clip)
    if level_db.size == 0:
        return 0
    background_db = float(np.quantile(level_db, 0.1))
    floor_db = max(QUIETEST_DB, min(background_db + ABOVE_BACKGROUND_DB, -25.0))
    return int((level_db > floor_db).sum())
