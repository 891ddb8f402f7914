"""Answers as a transcriber writes them when it does not understand the speaker's accent.

Words become common words that sound nearly the same, alone, two as one, or one as two: "the value
cache" → "duh values catch". On 59 answers that a natural voice said in the accents of
``benchmarks/accents.py`` and ``tiny.en`` wrote (32 % word errors), grading covered 0.44 of what was
said, and 0.44 with these errors in their place.
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from pronunciation.confusions import distance, merged
from pronunciation.g2p import dictionary
from server.grading.english import rank
from server.grading.phones import phones_of

COMMON: Final = 20_000
"""A transcriber writes words up to this rank in place of what it does not understand."""
FARTHEST: Final = 0.4
"""The distance up to which a word may stand for another (``confusions.distance``)."""
CHOICES: Final = 8
SPREAD: Final = 0.06
"""The distance by which a word gets less likely by a factor of e."""
TWO_AT_ONCE: Final = 0.3
"""How often an error takes two words at once."""
AS_TWO: Final = 0.45
"""How often a long word becomes two."""
LONG: Final = 6
"""Phones of a word that may become two."""


@dataclass(frozen=True)
class Garbled:
    """A text with errors.

    Attributes:
        words: its words.
        source: for each, the word of the text that it stands for.
    """

    words: tuple[str, ...]
    source: tuple[int, ...]


@dataclass(frozen=True)
class _Word:
    text: str
    phones: str
    classes: str
    rank: int


def garble(words: Sequence[str], share: float, seed: int) -> Garbled:
    """A text in which about this share of the words was misunderstood.

    Args:
        words: the text; numbers stay as they are, and so does punctuation.
        share: of the words, 0 to 1.
        seed: chooses the words and what becomes of them.
    """
    random = np.random.RandomState(seed)
    written: list[str] = []
    source: list[int] = []
    at = 0
    while at < len(words):
        used, said = 1, [words[at]]
        if _sound(words[at]) and random.rand() < share:
            used, said = _misunderstood(words, at, random)
        written += said
        source += [at] * len(said)
        at += used
    return Garbled(tuple(written), tuple(source))


def _misunderstood(
    words: Sequence[str], at: int, random: np.random.RandomState
) -> tuple[int, list[str]]:
    """How many words an error takes, and what is written for them."""
    first = _sound(words[at])
    second = _sound(words[at + 1]) if at + 1 < len(words) and not _mark(words[at]) else ""
    if second and random.rand() < TWO_AT_ONCE:
        whole = first + second
        moved = len(first) + (1 if random.rand() < 0.5 else -1)
        said = _one(whole, random) if random.rand() < 0.5 else _two(whole, moved, random)
        if said:
            return 2, _as_written(said, words[at], words[at + 1])
    said = []
    if len(first) >= LONG and random.rand() < AS_TWO:
        said = _two(first, len(first) // 2 + random.randint(-1, 2), random)
    said = said or _one(first, random)
    return 1, _as_written(said, words[at], words[at]) if said else [words[at]]


def _one(phones: str, random: np.random.RandomState) -> list[str]:
    near = _near(phones)
    if not near:
        return []
    chances = np.exp(-np.array([away for away, _ in near]) / SPREAD)
    return [near[random.choice(len(near), p=chances / chances.sum())][1]]


def _two(phones: str, cut: int, random: np.random.RandomState) -> list[str]:
    left, right = _one(phones[:cut], random), _one(phones[cut:], random)
    return left + right if left and right else []


@cache
def _near(phones: str) -> tuple[tuple[float, str], ...]:
    """The common words that sound most like these phones, with how far each is away."""
    classes = merged(phones)
    alike = [word for size in (-1, 0, 1) for word in _common().get(len(classes) + size, ())]
    found = process.extract(
        classes,
        [word.classes for word in alike],
        scorer=Levenshtein.distance,
        score_cutoff=max(1, len(classes) // 3),
        limit=60,
    )
    away = sorted((distance(phones, alike[at].phones), at) for _, _, at in found)
    near = [(far, alike[at]) for far, at in away if 0 < far <= FARTHEST][:CHOICES]
    return tuple((far + 0.02 * np.log10(1 + word.rank), word.text) for far, word in near)


@cache
def _common() -> dict[int, list[_Word]]:
    """The common words, by their number of phones."""
    found = defaultdict(list)
    for entry in dictionary():
        text = entry.rstrip(".")
        if text.isalpha() and (len(text) > 1 or text in "ai") and rank(text) < COMMON:
            phones = phones_of(text)
            found[len(phones)].append(_Word(text, phones, merged(phones), rank(text)))
    return dict(found)


def _sound(word: str) -> str:
    """Its phones; empty for a number and for what has no sound."""
    bare = re.sub(r"[^a-z']", "", word.casefold())
    return phones_of(bare) if bare and not re.search(r"\d", word) else ""


def _mark(word: str) -> str:
    """The punctuation that ends a word."""
    end = re.search(r"[.,;:!?]+$", word)
    return end.group() if end else ""


def _as_written(said: list[str], first: str, last: str) -> list[str]:
    """With the capital of the first word, and the punctuation of the last one."""
    head = said[0].capitalize() if first[:1].isupper() else said[0]
    *before, end = [head, *said[1:]]
    return [*before, end + _mark(last)]
