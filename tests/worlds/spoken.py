"""Short sentences put together from words that a synthetic voice says, every word's time known."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
from hibari import Hibari

from pronunciation.clip import SAMPLE_RATE_HZ, Clip, at_sample_rate

SECONDS_PER_WORD = 1.0
_AUDIBLE = 0.01
"""Of full scale; the voice's noise floor lies below."""


@dataclass(frozen=True, eq=False)
class Sentence:
    """Sound, and the words in it with their times in seconds."""

    samples: npt.NDArray[np.float32]
    words: tuple[str, ...]
    times_s: tuple[tuple[float, float], ...]


@cache
def _voice() -> Any:
    return Hibari()


@cache
def recorded(word: str) -> npt.NDArray[np.float32]:
    """One word at 16 kHz, without silence around it."""
    spoken = Clip(_voice()(f"{word}.", seed=0).astype(np.float32), Hibari.sample_rate)
    samples = at_sample_rate(spoken).samples
    audible = np.flatnonzero(np.abs(samples) > _AUDIBLE)
    return samples[audible[0] : audible[-1] + 1]


def say(
    words: Sequence[str],
    start_s: float = 0.4,
    *,
    end_s: float = 0.5,
    every_s: float = SECONDS_PER_WORD,
) -> Sentence:
    """Say one word after another.

    Args:
        words: what is said.
        start_s: when the first word starts.
        end_s: silence at the end.
        every_s: from the start of one word to the start of the next, or to its end if that is
            later.
    """
    times_s: list[tuple[float, float]] = []
    at_s = start_s
    for word in words:
        times_s.append((at_s, at_s + recorded(word).size / SAMPLE_RATE_HZ))
        at_s = max(at_s + every_s, times_s[-1][1])
    samples = np.zeros(round((times_s[-1][1] + end_s) * SAMPLE_RATE_HZ) + 1, dtype=np.float32)
    for word, (begin_s, _) in zip(words, times_s, strict=True):
        begin, sound = round(begin_s * SAMPLE_RATE_HZ), recorded(word)
        samples[begin : begin + sound.size] += sound
    return Sentence(samples, tuple(words), tuple(times_s))
