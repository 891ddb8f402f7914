"""ARPAbet as plain letters that people can read: ``R AA1 K IY0`` → ``ROCK-ee``.

The lexicon's ``say`` is written by hand and goes first; this module spells the readings that have
none, above all the mistakes. The letters follow the respelling keys of English dictionaries
(Merriam-Webster, "Guide to Pronunciation").
"""

from typing import Final

from pronunciation.phones import SHORT_VOWELS, VOWELS, base_phone, parse_phones, syllables_of

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


def respell_phones(phones: str) -> str:
    """A reading in plain letters, hyphens between syllables, the stressed one in capitals.

    Raises:
        PhoneError: the string is not ARPAbet.
    """
    syllables = syllables_of(parse_phones(phones))
    written: list[str] = []
    for syllable in syllables:
        text = _spell(syllable)
        stressed = any(phone.endswith("1") for phone in syllable)
        written.append(text.upper() if stressed or len(syllables) == 1 else text)
    return "-".join(written)


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
    """The end of a syllable; doubled where a single letter would be read otherwise (ROCK, GAS)."""
    if short and consonants == ("K",):
        return "ck"
    if consonants == ("S",):
        return "ss"
    return "".join(_CONSONANTS[phone] for phone in consonants)
