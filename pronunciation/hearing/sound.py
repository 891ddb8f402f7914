"""Whether the sound around a term is good enough for a verdict that it was said wrong."""

from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from pronunciation.clip import SAMPLE_RATE_HZ, Clip

Fault = Literal["clipped", "noisy", "far"]
"""Why sound is no evidence; the first one that applies."""

REASONS: Final[dict[Fault, str]] = {
    "clipped": "The sound is cut off at its peaks here, so how it was said cannot be told.",
    "noisy": "The noise here is too loud to tell how it was said.",
    "far": "The room's echo here is too strong to tell how it was said.",
}
"""Why a term is ``unclear``, for a person."""

Floats = npt.NDArray[np.floating[Any]]

NEAR_S: Final = 0.3
AROUND_S: Final = 1.5
ROOM_S: Final = 5.0
"""The time around a term that is examined for clipping, for noise, and for the room."""

FLAT_FROM: Final = 0.98
MAX_FLAT_SHARE: Final = 0.01
"""Share of the samples this close to the loudest one, three in a row in the same direction, and
alone. Of 150 words of dev's speakers, 95 % have less than 0.0004; at 6 dB over full scale, the
median has 0.036, and at 3 dB over 0.011."""
MIN_FLAT_RUNS: Final = 0.003

MIN_SNR_DB: Final = 10.0
"""The loud fifth of the 20 ms frames at the term relative to the quiet tenth around it. Of these
words, 95 % have more than 23.6. With pink noise 15 dB below the speech, 95 % have more than 12.2;
at 5 dB, half have less than 9.0; at 0 dB, all but 5 % have less than 8.1."""

MAX_FALL_DB: Final = -7.5
"""How fast speech falls silent: the 5th percentile of the level change in ``FALL_S``, over frames
within ``FALL_TOP_DB`` of the loudest, with high frequencies raised. A room's echo fills the gaps.
Of 120 sentences of dev's speakers, the slowest falls by 7.9 dB; in a room with 0.8 s of echo at
least as loud as the speech, 98 % or more fall by less than 8.7."""
MIN_RANGE_DB: Final = 25.0
"""If loud and quiet differ by less, noise fills the gaps, and nothing is known about the room."""
FALL_S: Final = 0.064
FALL_TOP_DB: Final = 20.0
MIN_FALLS: Final = 100

_PRE_EMPHASIS: Final = 0.97
_FALL_FRAME, _FALL_HOP = 256, 128
FALL_RATE_HZ: Final = SAMPLE_RATE_HZ / _FALL_HOP


def fault_around(clip: Clip, start_s: float, end_s: float) -> Fault | None:
    """What is wrong with the sound around a term; ``None`` if it is good enough.

    Args:
        clip: sound at 16 kHz.
        start_s: where the term begins in it.
        end_s: where it ends.
    """
    near = clip.slice(start_s - NEAR_S, end_s + NEAR_S).samples
    if is_clipped(near):
        return "clipped"
    if snr_db(near, clip.slice(start_s - AROUND_S, end_s + AROUND_S).samples) < MIN_SNR_DB:
        return "noisy"
    room = clip.slice(start_s - ROOM_S, end_s + ROOM_S).samples
    fall_db = fall_of(fall_levels_db(room))
    return "far" if fall_db is not None and fall_db > MAX_FALL_DB else None


def is_clipped(samples: Floats) -> bool:
    """Whether the peaks of a piece of sound are clipped, at any level."""
    alone, in_row = flat_shares(samples)
    return alone > MAX_FLAT_SHARE and in_row > MIN_FLAT_RUNS


def flat_shares(samples: Floats) -> tuple[float, float]:
    """The share of samples at the peak, and of those that are the third one there in a row."""
    if samples.size < 3:
        return 0.0, 0.0
    peak = float(np.abs(samples).max())
    if peak == 0.0:
        return 0.0, 0.0
    alone = in_row = 0
    for side in (samples >= FLAT_FROM * peak, samples <= -FLAT_FROM * peak):
        alone += int(side.sum())
        in_row += int((side[2:] & side[1:-1] & side[:-2]).sum())
    return alone / samples.size, in_row / samples.size


def snr_db(near: Floats, around: Floats) -> float:
    """How far speech is above its surroundings, in dB; large if there is too little sound."""
    loud, quiet = _levels_db(near, 320, 160), _levels_db(around, 320, 160)
    if loud.size < 5 or quiet.size < 10:
        return np.inf
    return float(np.quantile(loud, 0.8) - np.quantile(quiet, 0.1))


def fall_levels_db(samples: Floats) -> Floats:
    """Levels of ``FALL_RATE_HZ`` frames a second, high frequencies raised."""
    if samples.size < 2:
        return np.zeros(0)
    raised = samples[1:] - _PRE_EMPHASIS * samples[:-1]
    return _levels_db(raised, _FALL_FRAME, _FALL_HOP)


def fall_of(levels_db: Floats) -> float | None:
    """How fast the sound falls silent, dB in ``FALL_S``; ``None`` if it cannot be measured."""
    lag = round(FALL_S * FALL_RATE_HZ)
    if levels_db.size < lag + MIN_FALLS:
        return None
    top_db = float(np.quantile(levels_db, 0.95))
    if top_db - float(np.quantile(levels_db, 0.05)) < MIN_RANGE_DB:
        return None
    changes = levels_db[lag:] - levels_db[:-lag]
    changes = changes[levels_db[:-lag] > top_db - FALL_TOP_DB]
    return float(np.quantile(changes, 0.05)) if changes.size >= MIN_FALLS // 2 else None


def _levels_db(samples: Floats, size: int, hop: int) -> Floats:
    """The level of each frame; a hop divides a frame, and samples are squared once."""
    if samples.size < size:
        return np.zeros(0)
    hops = samples[: samples.size // hop * hop].reshape(-1, hop)
    sums = np.square(hops, dtype=np.float64).sum(axis=1)
    frames = len(sums) - size // hop + 1
    powers = sum(sums[first : first + frames] for first in range(size // hop)) / size
    levels: Floats = 10 * np.log10(powers + 1e-10)
    return levels
