"""ARPAbet as plain letters that people can read: ``R AA1 K IY0`` → ``ROCK-ee``.

The lexicon's ``say`` is written by hand and takes precedence; this module spells readings without
one, above all the mistakes. Ordinary words of a phrase get their phones from the dictionary and
their stress from eSpeak NG (``NCCL timeout`` → ``NICK-ul TIGHM-owt``). The letters follow the
respelling keys of English dictionaries (Merriam-Webster, "Guide to Pronunciation").
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from typing import Final

from pronunciation.errors import HearingError
from pronunciation.g2p import (
    Phones,
    dictionary,
    espeak_phones,
    pronunciations,
    spelled,
    stressed_syllable_of,
)
from pronunciation.phones import SHORT_VOWELS, VOWELS, base_phone, parse_phones, syllables_of
from pronunciation.terms import Lexicon
from pronunciation.written_terms import plain, split_words

_CONSONANTS: Final = {
    "B": "b", "CH": "ch", "D": "d", "DH": "th", "F": "f", "G": "g", "HH": "h", "JH": "j",
    "K": "k", "L": "l", "M": "m", "N": "n", "NG": "ng", "P": "p", "R": "r", "S": "s", "SH": "sh",
    "T": "t", "TH": "th", "V": "v", "W": "w", "Y": "y", "Z": "z", "ZH": "zh",
}  # fmt: skip
_OPEN: Final = {
    "AA": "ah", "AE": "a", "AH": "uh", "AO": "aw", "AW": "ow", "AY": "y", "EH": "eh", "ER": "er",
    "EY": "ay", "IH": "ih", "IY": "ee", "OW": "oh", "OY": "oy", "UH": "uu", "UW": "oo",
}  # fmt: skip
_CLOSED: Final = _OPEN | {"AA": "o", "AH": "u", "AY": "igh", "EH": "e", "IH": "i"}
_BEFORE_R: Final = {
    "AA": "ar", "AE": "air", "AO": "or", "AY": "ire", "AW": "our", "EH": "air", "IH": "eer",
    "IY": "eer", "OW": "or", "UH": "oor", "UW": "oor",
}  # fmt: skip


def respell_phones(phones: str, name: str = "") -> str:
    """A reading in plain letters, hyphens between syllables, the stressed one in capitals.

    Args:
        phones: ARPAbet.
        name: what is said, as it is written. No syllable reaches over the end of one of its words,
            and words that it writes apart are apart.

    Raises:
        PhoneError: the string is not ARPAbet.
    """
    words = spoken_words(parse_phones(phones), name)
    syllables = [(word, syllables_of(word.phones)) for word in words]
    is_only = sum(len(each) for _, each in syllables) == 1
    return "".join(
        word.joint + "-".join(_loud(each) if is_only else _marked(each) for each in of_word)
        for word, of_word in syllables
    )


def _marked(syllable: tuple[str, ...]) -> str:
    """A syllable in plain letters, in capitals if it is stressed."""
    is_stressed = any(phone.endswith("1") for phone in syllable)
    return _loud(syllable) if is_stressed else _spell(syllable)


def _loud(syllable: tuple[str, ...]) -> str:
    return _spell(syllable).upper()


def _spell(syllable: tuple[str, ...]) -> str:
    at = next((index for index, phone in enumerate(syllable) if base_phone(phone) in VOWELS), None)
    if at is None:
        return "".join(_CONSONANTS[phone] for phone in syllable)
    onset, vowel, coda = syllable[:at], base_phone(syllable[at]), syllable[at + 1 :]
    text = "".join(_CONSONANTS[phone] for phone in onset)
    if coda[:1] == ("R",) and vowel in _BEFORE_R:
        return text + _BEFORE_R[vowel] + _coda(coda[1:], short=False)
    if vowel == "AY" and not onset:
        return text + "eye" + _coda(coda, short=False)
    spelling = (_CLOSED if coda else _OPEN)[vowel]
    return text + spelling + _coda(coda, short=vowel in SHORT_VOWELS)


def _coda(consonants: tuple[str, ...], *, short: bool) -> str:
    """The end of a syllable, doubled if a single letter would be misread (ROCK, GAS)."""
    if short and consonants == ("K",):
        return "ck"
    if consonants == ("S",):
        return "ss"
    return "".join(_CONSONANTS[phone] for phone in consonants)


_SHORTEST_PART: Final = 3
"""Letters; below this, words without parts would seem to have some."""


def respell_phrase(text: str, lexicon: Lexicon) -> str:
    """How a phrase is said, for people; the stressed syllable of each word in capitals.

    Args:
        text: a term or a few words.
        lexicon: its terms take precedence, the longest at each place.

    Raises:
        HearingError: eSpeak NG's library, needed for the stress, cannot be loaded.
    """
    words = split_words(text)
    said: list[str] = []
    at = 0
    while at < len(words):
        for end in range(len(words), at, -1):
            name = " ".join(words[at:end])
            term = lexicon.get(name) or lexicon.get(plain(name))
            if term is not None:
                said.append(term.say)
                at = end
                break
        else:
            said += [_respelled(part) for part in words[at].split("-") if part]
            at += 1
    return " ".join(each for each in said if each)


@cache
def _respelled(word: str) -> str:
    """One ordinary word; empty for punctuation alone."""
    phones = next(iter(pronunciations(word)), ())
    stressed = stressed_syllable_of(word) or 0
    parts = _parts(plain(word), phones)
    if parts and stressed < _syllables(pronunciations(parts[0])[0]):
        return f"{_respelled(parts[0])}-{_respelled(parts[1]).lower()}"
    if _syllables(phones) <= stressed:
        phones = espeak_phones(word)
    if not phones:
        return ""
    marked, syllable = [], 0
    for phone in phones:
        if phone in VOWELS:
            marked.append(f"{phone}{int(syllable == stressed)}")
            syllable += 1
        else:
            marked.append(phone)
    return respell_phones(" ".join(marked)) if syllable else word


def _syllables(phones: tuple[str, ...]) -> int:
    return sum(phone in VOWELS for phone in phones)


def _parts(word: str, phones: tuple[str, ...]) -> tuple[str, str] | None:
    """The two words of a compound (``heartbeat``), whose stress is on the first; else ``None``."""
    known = dictionary()
    for cut in range(_SHORTEST_PART, len(word) - _SHORTEST_PART + 1):
        first, second = word[:cut], word[cut:]
        if any(a + b == phones for a in known.get(first, ()) for b in known.get(second, ())):
            return first, second
    return None


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
    """Where the words begin in the cheapest alignment, and the end; and its cost."""
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
    """For each index at which a word may end: the cost up to there, and where the word begins."""
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
