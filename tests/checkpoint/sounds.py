"""Short sentences put together from recorded words, so that every word's time is known."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from client.audio.files import read_audio

SAMPLE_RATE_HZ = 16_000
FOLDER = Path(__file__).parent
WORDS = ("memory", "network", "latency", "model", "server", "cache", "token", "storage")
VOICES = ("slt",)
SECONDS_PER_WORD = 1.0
MAX_LATE_S = 0.2


@dataclass(frozen=True, eq=False)
class Sentence:
    """Sound, and the words in it with their times in seconds."""

    samples: npt.NDArray[np.float32]
    words: tuple[str, ...]
    times_s: tuple[tuple[float, float], ...]


@cache
def recorded(voice: str) -> dict[str, npt.NDArray[np.float32]]:
    """Each word as the voice says it, without silence around."""
    samples = read_audio(FOLDER / f"words-{voice}.flac").samples
    times = json.loads((FOLDER / "words.json").read_text())[voice]
    return {
        word: samples[round(start_s * SAMPLE_RATE_HZ) : round(end_s * SAMPLE_RATE_HZ)]
        for word, (start_s, end_s) in times.items()
    }


def say(
    words: Sequence[str],
    voice: str,
    start_s: float = 0.4,
    late_s: Sequence[float] = (),
    *,
    end_s: float = 0.5,
) -> Sentence:
    """Say a word a second, which a model of this size can follow.

    Args:
        words: of ``WORDS``.
        voice: of ``VOICES``.
        start_s: when the first word starts.
        late_s: by how much each word comes after its second, at most ``MAX_LATE_S``.
        end_s: silence at the end.
    """
    late_s = late_s or [0.0] * len(words)
    times_s: list[tuple[float, float]] = []
    for index, (word, late) in enumerate(zip(words, late_s, strict=True)):
        begin_s = start_s + index * SECONDS_PER_WORD + late
        times_s.append((begin_s, begin_s + recorded(voice)[word].size / SAMPLE_RATE_HZ))
    samples = np.zeros(round((times_s[-1][1] + end_s) * SAMPLE_RATE_HZ), dtype=np.float32)
    for word, (begin_s, _) in zip(words, times_s, strict=True):
        begin, sound = round(begin_s * SAMPLE_RATE_HZ), recorded(voice)[word]
        samples[begin : begin + sound.size] += sound
    return Sentence(samples, tuple(words), tuple(times_s))
