"""ARPAbet as plain letters that people can read: ``R AA1 K IY0`` → ``ROCK-ee``.

The lexicon's ``say`` is written by hand and goes first; this one spells the readings that have
none, the mistakes above all. The letters follow the respelling keys of English dictionaries
(Merriam-Webster, "Guide to Pronunciation"), the syllables the maximal onset principle, except that
a stressed short vowel keeps the consonant after it: ROCK-ee, not RO-kee.
"""

from itertools import pairwise
from typing import Final

from pronunciation.phones import VOWELS, base_phone, parse_phones

__all__ = ["respell_phones"]

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
_SHORT: Final = frozenset({"AA", "AE", "AH", "EH", "IH", "UH"})
_ONSETS: Final = frozenset({
    "P L", "P R", "B L", "B R", "T R", "T W", "D R", "D W", "K L", "K R", "K W", "G L", "G R",
    "G W", "F L", "F R", "TH R", "TH W", "SH R", "S P", "S T", "S K", "S M", "S N", "S L", "S W",
    "S F", "P Y", "B Y", "K Y", "G Y", "F Y", "M Y", "V Y", "HH Y", "S P L", "S P R", "S T R",
    "S K R", "S K W", "S P Y", "S K Y",
})  # fmt: skip
"""Consonants that together begin an English syllable (O'Connor and Trim 1953)."""


def respell_phones(phones: str) -> str:
    """A reading in plain letters, a syllable apart by hyphens, the stressed one in capitals.

    Raises:
        PhoneError: the string is not ARPAbet.
    """
    syllables = _syllables(parse_phones(phones))
    written: list[str] = []
    for syllable in syllables:
        text = _spell(syllable)
        stressed = any(phone.endswith("1") for phone in syllable)
        written.append(text.upper() if stressed or len(syllables) == 1 else text)
    return "-".join(written)


def _is_vowel(phone: str) -> bool:
    return base_phone(phone) in VOWELS


def _syllables(phones: tuple[str, ...]) -> list[tuple[str, ...]]:
    vowels = [index for index, phone in enumerate(phones) if _is_vowel(phone)]
    if not vowels:
        return [phones]
    starts = [0]
    for before, after in pairwise(vowels):
        starts.append(_boundary(phones, before, after))
    return [phones[a:b] for a, b in zip(starts, [*starts[1:], len(phones)], strict=True)]


def _boundary(phones: tuple[str, ...], before: int, after: int) -> int:
    """Where the syllable of the vowel at ``after`` begins."""
    between = phones[before + 1 : after]
    # NG begins no syllable.
    start = next(first for first in range(len(between) + 1) if _may_begin(between[first:]))
    vowel = phones[before]
    keeps_one = base_phone(vowel) in _SHORT and vowel[-1] in "12"
    if keeps_one and start == 0 and between and _may_begin(between[1:]):
        start = 1
    return before + 1 + start


def _may_begin(consonants: tuple[str, ...]) -> bool:
    if len(consonants) < 2:
        return consonants != ("NG",)
    return " ".join(consonants) in _ONSETS


def _spell(syllable: tuple[str, ...]) -> str:
    at = next((index for index, phone in enumerate(syllable) if _is_vowel(phone)), None)
    if at is None:
        return "".join(_CONSONANTS[phone] for phone in syllable)
    onset, vowel, coda = syllable[:at], base_phone(syllable[at]), syllable[at + 1 :]
    text = "".join(_CONSONANTS[phone] for phone in onset)
    if coda[:1] == ("R",) and vowel in _BEFORE_R:
        return text + _BEFORE_R[vowel] + _coda(coda[1:], short=False)
    if vowel == "AY" and not onset:
        return text + "eye" + _coda(coda, short=False)
    spelling = (_CLOSED if coda else _OPEN)[vowel]
    return text + spelling + _coda(coda, short=vowel in _SHORT)


def _coda(consonants: tuple[str, ...], *, short: bool) -> str:
    """The end of a syllable; doubled where a single letter would be read otherwise (ROCK, GAS)."""
    if short and consonants == ("K",):
        return "ck"
    if consonants == ("S",):
        return "ss"
    return "".join(_CONSONANTS[phone] for phone in consonants)
