"""Which syllable was stressed: duration, energy and pitch of the aligned vowels.

A stressed vowel is longer, louder and higher than its neighbours (Fry 1955, "Duration and
intensity as physical correlates of linguistic stress"; Fry 1958). The weights are fitted on
synthetic voices with moved stress by ``pronunciation.training.calibrate_stress``.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from pronunciation.clip import Clip
from pronunciation.hearing.labels import FRAME_S
from pronunciation.phones import VOWELS, base_phone

__all__ = [
    "STRESS_PATH",
    "StressHeard",
    "StressWeights",
    "judge_stress",
    "stress_features",
    "stress_log_probabilities",
    "syllable_log_probabilities",
]

Floats = npt.NDArray[np.float64]

STRESS_PATH = Path(__file__).parent / "model" / "stress.json"
LOWEST_HZ, HIGHEST_HZ = 65.0, 400.0
VOICED = 0.35
"""Normalised autocorrelation from which a frame counts as voiced."""


@dataclass(frozen=True)
class StressWeights:
    """Fitted weights, and the probability from which a verdict is given.

    The features are each vowel's difference from the word's mean, see ``stress_features``.
    """

    weights: tuple[float, ...]
    decided_from: float


@dataclass(frozen=True)
class StressHeard:
    """Which syllable carried the stress.

    Attributes:
        verdict: as for a reading; ``unclear`` where no syllable stands out enough.
        syllable: index of the most stressed syllable.
        expected: index of the syllable that should be.
        confidence: probability of the verdict's side.
        probabilities: of each syllable.
    """

    verdict: str
    syllable: int
    expected: int
    confidence: float
    probabilities: tuple[float, ...]


@cache
def default_weights() -> StressWeights:
    """The shipped weights."""
    raw = json.loads(STRESS_PATH.read_text(encoding="utf-8"))
    return StressWeights(tuple(raw["weights"]), raw["decided_from"])


def _pitch_hz(samples: npt.NDArray[np.float32], rate_hz: int) -> float:
    """Pitch of a short piece by autocorrelation; 0 where it is not voiced."""
    x = samples.astype(np.float64) - samples.mean()
    longest = int(rate_hz / LOWEST_HZ)
    if x.size < 2 * longest or float(np.abs(x).max()) < 1e-5:
        return 0.0
    size = 1 << (2 * x.size - 1).bit_length()
    spectrum = np.fft.rfft(x, size)
    correlation = np.fft.irfft(spectrum.real**2 + spectrum.imag**2, size)[: longest + 1]
    correlation /= correlation[0] + 1e-12
    correlation *= x.size / (x.size - np.arange(longest + 1))
    shortest = int(rate_hz / HIGHEST_HZ)
    lag = shortest + int(correlation[shortest:].argmax())
    return rate_hz / lag if correlation[lag] > VOICED else 0.0


def stress_features(
    clip: Clip, states: npt.NDArray[np.int64], start_s: float, phones: Sequence[str]
) -> Floats | None:
    """Log duration, level (10 dB) and log pitch of each vowel less the word's mean, last, first.

    Args:
        clip: the sound.
        states: state of each 20 ms frame from ``start_s`` in the chain of the phones alone (state
            0 is the silence before, state i + 1 the i-th phone).
        start_s: where the first frame lies in the clip.
        phones: the word's phones.

    Returns:
        Shape (vowels, 5), or ``None`` for a word of fewer than two vowels.
    """
    vowels = [i for i, p in enumerate(phones) if base_phone(p) in VOWELS]
    if len(vowels) < 2:
        return None
    rate = clip.sample_rate_hz
    rows = []
    for order, vowel in enumerate(vowels):
        frames = np.flatnonzero(states == vowel + 1)
        if not frames.size:
            return None
        first_s = start_s + float(frames[0]) * FRAME_S
        last_s = start_s + float(frames[-1] + 1) * FRAME_S
        sound = clip.slice(first_s, last_s).samples
        loud = (
            10 * np.log10(float((sound.astype(np.float64) ** 2).mean()) + 1e-9)
            if sound.size
            else -90.0
        )
        middle_s = (first_s + last_s) / 2
        span = clip.slice(middle_s - 0.03, middle_s + 0.03).samples
        pitch = _pitch_hz(span, rate)
        rows.append([
            np.log(frames.size), loud / 10, np.log(pitch) if pitch else np.nan,
            float(order == len(vowels) - 1), float(order == 0),
        ])  # fmt: skip
    table = np.array(rows)
    pitch_column = table[:, 2]
    known = pitch_column[~np.isnan(pitch_column)]
    table[:, 2] = np.where(
        np.isnan(pitch_column), known.mean() if known.size else 0.0, pitch_column
    )
    table[:, :3] -= table[:, :3].mean(axis=0)
    table[:, 2] = np.clip(table[:, 2], -0.6, 0.6)
    return table


def syllable_log_probabilities(features: Floats, weights: StressWeights) -> Floats:
    """Log probability of each syllable being the stressed one, shape (vowels,)."""
    scores = features @ np.array(weights.weights)
    top = scores.max()
    result: Floats = scores - top - np.log(np.exp(scores - top).sum())
    return result


def stressed_syllable(phones: Sequence[str]) -> int | None:
    """Index of the syllable with primary stress, ``None`` where none is marked."""
    digits = [p[-1] for p in phones if base_phone(p) in VOWELS]
    return digits.index("1") if "1" in digits else None


def stress_log_probabilities(
    clip: Clip, states: npt.NDArray[np.int64], start_s: float, readings: Sequence[str]
) -> Floats | None:
    """Log probability of each reading's place of stress, for readings of the same phones.

    ``None`` where the stress cannot be judged or no reading marks it.
    """
    places = [stressed_syllable(reading.split()) for reading in readings]
    features = stress_features(clip, states, start_s, readings[0].split())
    if features is None or all(place is None for place in places):
        return None
    logs = syllable_log_probabilities(features, default_weights())
    unknown = float(np.log(1.0 / len(logs)))
    return np.array([unknown if place is None else logs[place] for place in places])


def judge_stress(
    clip: Clip, states: npt.NDArray[np.int64], start_s: float, reading: str
) -> StressHeard | None:
    """Whether the expected syllable was stressed; ``None`` where that cannot be judged."""
    phones = reading.split()
    expected = stressed_syllable(phones)
    features = stress_features(clip, states, start_s, phones)
    if features is None or expected is None:
        return None
    weights = default_weights()
    shares = np.exp(syllable_log_probabilities(features, weights))
    heard = int(shares.argmax())
    right = float(shares[expected])
    verdict = "unclear"
    if right >= 1 - weights.decided_from:
        verdict = "correct" if heard == expected else "unclear"
    elif 1 - right >= weights.decided_from:
        verdict = "mispronounced"
    confidence = right if heard == expected else 1 - right
    return StressHeard(verdict, heard, expected, confidence, tuple(float(s) for s in shares))
