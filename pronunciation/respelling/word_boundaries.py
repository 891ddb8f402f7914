"""Where the words of a name meet in a reading, which is one line of phones: ``device|plugin``."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final

from pronunciation.errors import HearingError
from pronunciation.g2p import Phones, pronunciations, spelled
from pronunciation.phones import VOWELS, base_phone

_JOINT: Final = re.compile(r"([\s‐‑–/-]+)")
_ADDED: Final = 1.0
_LEFT_OUT: Final = 1.0
_OTHER_VOWEL: Final = 0.5
_OTHER_CONSONANT: Final = 0.7
_OTHER_KIND: Final = 1.5
"""Costs of the alignment: a vowel is taken for a vowel, as mistakes and accents do, or left out,
but hardly ever for a consonant. With 81 sets of costs from 0.3 to 2.0, in this order, the 227
readings and mistakes of the lexicon's 51 names of several words were cut alike."""
_MOST_PER_PHONE: Final = 1.0
"""Of the cost: above it, other words were said. The dearest in the lexicon, CRI-O, has 0.8."""
_NEVER: Final = float("inf")


@dataclass(frozen=True)
class SpokenWord:
    """The phones of one word; ``joint`` is what stands before it in writing: `` `` or ``-``."""

    phones: tuple[str, ...]
    joint: str


@lru_cache(maxsize=4096)
def spoken_words(phones: tuple[str, ...], name: str) -> tuple[SpokenWord, ...]:
    """A reading of a name, cut where its words meet; in one piece if that cannot be told.

    The reading is aligned with how a dictionary, or eSpeak NG, has each word.

    Args:
        phones: ARPAbet.
        name: as it is written: ``device plugin``, ``SR-IOV``.
    """
    whole = (SpokenWord(phones, ""),)
    words, joints = _words_of(name)
    if len(words) < 2:
        return whole
    try:
        usual = [_ways(word) for word in words]
    except HearingError:
        return whole
    if not all(usual):
        return whole
    bounds, cost = _bounds([base_phone(each) for each in phones], usual)
    if cost > _MOST_PER_PHONE * len(phones):
        return whole
    pieces = [phones[start:end] for start, end in pairwise(bounds)]
    if not all(any(base_phone(each) in VOWELS for each in piece) for piece in pieces):
        return whole
    return tuple(map(SpokenWord, pieces, joints))


def _words_of(name: str) -> tuple[list[str], list[str]]:
    """The words of a name, and what stands before each."""
    first, *rest = _JOINT.split(name.strip())
    return [first, *rest[1::2]], ["", *(" " if each.isspace() else "-" for each in rest[::2])]


def _ways(word: str) -> list[Phones]:
    """How a word may be said; an R at its end may be a phone of its own, as before a vowel."""
    ways = list(pronunciations(word))
    if word.isascii() and word.isalpha() and word.isupper():  # the dictionary reads SR as "senior"
        ways.append(spelled(word))
    return ways + [(*way[:-1], "AH", "R") for way in ways if way[-1:] == ("ER",)]


def _bounds(phones: Sequence[str], words: Sequence[Sequence[Phones]]) -> tuple[list[int], float]:
    """Where the words begin in the cheapest alignment, and the end, as indices of ``phones``.

    Args:
        phones: of the reading, without stress.
        words: how each word may be said, without stress.

    Returns:
        The indices, and the cost.
    """
    costs = [0.0] + [_NEVER] * len(phones)
    begins: list[list[int]] = []
    for ways in words:
        ends = [
            min(each) for each in zip(*(_ends(phones, costs, way) for way in ways), strict=True)
        ]
        costs = [cost for cost, _ in ends]
        begins.append([begin for _, begin in ends])
    bounds = [len(phones)]
    for begin in reversed(begins):
        bounds.append(begin[bounds[-1]])
    return bounds[::-1], costs[-1]


def _ends(phones: Sequence[str], costs: Sequence[float], way: Phones) -> list[tuple[float, int]]:
    """For each index at which a word may end: the cost up to there, and where the word begins.

    Args:
        phones: of the reading.
        costs: for each index, that of everything before this word if it begins there.
        way: the phones of the word.
    """
    row = [(cost, begin) for begin, cost in enumerate(costs)]
    for at in range(1, len(row)):
        row[at] = min(row[at], _plus(row[at - 1], _ADDED))
    for wanted in way:
        after = [_plus(row[0], _LEFT_OUT)]
        for at, said in enumerate(phones, start=1):
            swap = _plus(row[at - 1], _swap(base_phone(wanted), said))
            after.append(min(swap, _plus(row[at], _LEFT_OUT), _plus(after[-1], _ADDED)))
        row = after
    return row


def _plus(reached: tuple[float, int], cost: float) -> tuple[float, int]:
    return reached[0] + cost, reached[1]


def _swap(wanted: str, said: str) -> float:
    if wanted == said:
        return 0.0
    if (wanted in VOWELS) != (said in VOWELS):
        return _OTHER_KIND
    return _OTHER_VOWEL if said in VOWELS else _OTHER_CONSONANT
