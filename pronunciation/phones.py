"""ARPAbet: the 39 phones of the CMU dictionary, with stress digits on the vowels.

Source: the CMU Pronouncing Dictionary's phone set; IPA values follow its documentation (General
American).
"""

from collections.abc import Sequence
from itertools import pairwise

from pronunciation.errors import PhoneError

VOWELS: dict[str, str] = {
    "AA": "ɑ", "AE": "æ", "AH": "ʌ", "AO": "ɔ", "AW": "aʊ", "AY": "aɪ", "EH": "ɛ", "ER": "ɝ",
    "EY": "eɪ", "IH": "ɪ", "IY": "i", "OW": "oʊ", "OY": "ɔɪ", "UH": "ʊ", "UW": "u",
}  # fmt: skip
CONSONANTS: dict[str, str] = {
    "B": "b", "CH": "tʃ", "D": "d", "DH": "ð", "F": "f", "G": "ɡ", "HH": "h", "JH": "dʒ",
    "K": "k", "L": "l", "M": "m", "N": "n", "NG": "ŋ", "P": "p", "R": "ɹ", "S": "s", "SH": "ʃ",
    "T": "t", "TH": "θ", "V": "v", "W": "w", "Y": "j", "Z": "z", "ZH": "ʒ",
}  # fmt: skip

SHORT_VOWELS = frozenset({"AA", "AE", "AH", "EH", "IH", "UH"})

_ONSETS = frozenset({
    "P L", "P R", "B L", "B R", "T R", "T W", "D R", "D W", "K L", "K R", "K W", "G L", "G R",
    "G W", "F L", "F R", "TH R", "TH W", "SH R", "S P", "S T", "S K", "S M", "S N", "S L", "S W",
    "P Y", "B Y", "T Y", "D Y", "K Y", "G Y", "F Y", "V Y", "S Y", "Z Y", "HH Y", "M Y",
    "N Y", "L Y", "S P L", "S P R", "S T R", "S K R", "S K W", "S P Y", "S K Y",
})  # fmt: skip
"""Consonants that together begin an English syllable (O'Connor and Trim 1953), without S F,
which only Greek words such as "sphere" have: it is trans-former, not tran-sformer."""

_UNSTRESSED_IPA = {"AH": "ə", "ER": "ɚ"}


def base_phone(phone: str) -> str:
    """The phone without its stress digit: ``IY0`` → ``IY``."""
    return phone.rstrip("012")


def bare_phones(reading: str) -> tuple[str, ...]:
    """A reading's phones without stress."""
    return tuple(base_phone(phone) for phone in parse_phones(reading))


def parse_phones(text: str) -> tuple[str, ...]:
    """Split and check an ARPAbet string; case does not matter.

    Args:
        text: phones separated by spaces, e.g. ``R AA1 K IY0``. A vowel may carry stress 0, 1 or 2.

    Returns:
        The phones in upper case.

    Raises:
        PhoneError: no phones, an unknown phone, or a stress digit on a consonant.
    """
    phones = tuple(text.upper().split())
    if not phones:
        raise PhoneError("a reading needs at least one ARPAbet phone")
    for phone in phones:
        if phone in CONSONANTS or phone in VOWELS:
            continue
        if phone[:-1] in VOWELS and phone[-1] in "012":
            continue
        if phone[:-1] in CONSONANTS and phone[-1] in "012":
            raise PhoneError(f"the consonant {phone[:-1]} carries no stress digit (in {text!r})")
        raise PhoneError(f"{phone!r} is not an ARPAbet phone (in {text!r})")
    return phones


def stressed_vowel(phones: Sequence[str]) -> int | None:
    """Which vowel, from 0, carries the first primary stress; ``None`` if no digit says so."""
    vowels = [phone for phone in phones if base_phone(phone) in VOWELS]
    return next((n for n, vowel in enumerate(vowels) if vowel.endswith("1")), None)


def syllables_of(phones: Sequence[str]) -> list[tuple[str, ...]]:
    """The phones by syllable; phones without a vowel are one syllable.

    A syllable takes as many of the consonants before its vowel as can begin an English syllable
    (the maximal onset principle), but a stressed short vowel, which cannot end a syllable, keeps
    the one after it: ROCK-ee, not RO-kee; L-L-M, not EH-LEH-LEHM. Phones alone do not show
    where words and prefixes meet: time-out and trans-late come out as TY-mout and tran-SLATE.
    """
    vowels = [index for index, phone in enumerate(phones) if base_phone(phone) in VOWELS]
    if not vowels:
        return [tuple(phones)]
    starts = [0, *(_boundary(phones, before, after) for before, after in pairwise(vowels))]
    return [tuple(phones[a:b]) for a, b in pairwise([*starts, len(phones)])]


def _boundary(phones: Sequence[str], before: int, after: int) -> int:
    """Where the syllable of the vowel at ``after`` begins."""
    between = phones[before + 1 : after]
    start = next(first for first in range(len(between) + 1) if _may_begin(between[first:]))
    keeps_one = base_phone(phones[before]) in SHORT_VOWELS and phones[before][-1] in "12"
    if keeps_one and start == 0 and between and _may_begin(between[1:]):
        start = 1
    return before + 1 + start


def _may_begin(consonants: Sequence[str]) -> bool:
    """Whether a syllable may begin with these consonants; no English one begins with NG."""
    if len(consonants) < 2:
        return "NG" not in consonants
    return " ".join(consonants) in _ONSETS


def to_ipa(phones: str) -> str:
    """ARPAbet to IPA, the stress mark before the whole stressed syllable, as dictionaries print it.

    Raises:
        PhoneError: the string is not ARPAbet.
    """
    parsed: list[str] = []
    for phone, following in pairwise([*parse_phones(phones), ""]):
        # The r before a stressed vowel begins its syllable: /pəˈɹæmətɚ/, not /pɚˈæmətɚ/.
        parsed += ["AH0", "R"] if phone == "ER0" and following[-1:] in {"1", "2"} else [phone]
    return "".join(map(_syllable_ipa, syllables_of(parsed)))


def _syllable_ipa(syllable: Sequence[str]) -> str:
    mark, ipa = "", ""
    for phone in syllable:
        base, digit = base_phone(phone), phone[-1]
        if base in CONSONANTS:
            ipa += CONSONANTS[base]
        else:
            ipa += _UNSTRESSED_IPA.get(base, VOWELS[base]) if digit == "0" else VOWELS[base]
            mark = {"1": "ˈ", "2": "ˌ"}.get(digit, "")
    return mark + ipa


LEARNERS_CONFUSE = (
    "TH S", "TH F", "DH D", "DH Z", "V W", "V F", "IH IY", "EH AE", "AA AH", "AO OW", "UH UW",
    "R L", "R W", "L N", "N NG", "S SH", "S Z", "P B", "T D", "K G", "CH SH", "JH ZH", "CH JH",
)  # fmt: skip
"""Pairs of phones that learners and listeners mistake for each other."""


def partners(pairs: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Pairs of phones as a table from each to its partners, both ways."""
    table: dict[str, tuple[str, ...]] = {}
    for pair in pairs:
        one, two = pair.split()
        table[one] = (*table.get(one, ()), two)
        table[two] = (*table.get(two, ()), one)
    return table


CONFUSABLE = partners(LEARNERS_CONFUSE)
