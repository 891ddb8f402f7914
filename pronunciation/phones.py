"""ARPAbet: the 39 phones of the CMU dictionary, with stress digits on the vowels.

Source: the CMU Pronouncing Dictionary's phone set; IPA values after its documentation (General
American).
"""

from pronunciation.errors import PhoneError

__all__ = ["CONSONANTS", "VOWELS", "base_phone", "parse_phones", "to_ipa"]

VOWELS: dict[str, str] = {
    "AA": "ɑ", "AE": "æ", "AH": "ʌ", "AO": "ɔ", "AW": "aʊ", "AY": "aɪ", "EH": "ɛ", "ER": "ɝ",
    "EY": "eɪ", "IH": "ɪ", "IY": "i", "OW": "oʊ", "OY": "ɔɪ", "UH": "ʊ", "UW": "u",
}  # fmt: skip
CONSONANTS: dict[str, str] = {
    "B": "b", "CH": "tʃ", "D": "d", "DH": "ð", "F": "f", "G": "ɡ", "HH": "h", "JH": "dʒ",
    "K": "k", "L": "l", "M": "m", "N": "n", "NG": "ŋ", "P": "p", "R": "ɹ", "S": "s", "SH": "ʃ",
    "T": "t", "TH": "θ", "V": "v", "W": "w", "Y": "j", "Z": "z", "ZH": "ʒ",
}  # fmt: skip

_UNSTRESSED_IPA = {"AH": "ə", "ER": "ɚ"}


def base_phone(phone: str) -> str:
    """The phone without its stress digit: ``IY0`` → ``IY``."""
    return phone.rstrip("012")


def parse_phones(text: str) -> tuple[str, ...]:
    """Split and check an ARPAbet string; case does not matter.

    Args:
        text: phones apart by spaces, e.g. ``R AA1 K IY0``. A vowel may carry stress 0, 1 or 2.

    Returns:
        The phones in upper case.

    Raises:
        PhoneError: nothing there, an unknown phone, or a stress digit on a consonant.
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


def to_ipa(phones: str) -> str:
    """ARPAbet to IPA, the stress mark before the stressed vowel's onset consonant.

    Raises:
        PhoneError: the string is not ARPAbet.
    """
    parsed = parse_phones(phones)
    out: list[str] = []
    for phone in parsed:
        base, digit = base_phone(phone), phone[-1] if phone[-1] in "012" else ""
        if base in CONSONANTS:
            out.append(CONSONANTS[base])
            continue
        ipa = _UNSTRESSED_IPA.get(base, VOWELS[base]) if digit == "0" else VOWELS[base]
        mark = {"1": "ˈ", "2": "ˌ"}.get(digit, "")
        onset_follows_consonant = bool(out) and base_phone(parsed[len(out) - 1]) in CONSONANTS
        if mark and onset_follows_consonant:
            out[-1] = mark + out[-1]
        else:
            ipa = mark + ipa
        out.append(ipa)
    return "".join(out)
