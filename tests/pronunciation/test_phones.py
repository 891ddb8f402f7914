"""ARPAbet: what is taken, what is refused, and what it looks like in IPA."""

import pytest

from pronunciation.errors import PhoneError, PronunciationError
from pronunciation.phones import CONSONANTS, VOWELS, base_phone, parse_phones, to_ipa


def test_the_inventory_is_the_cmu_dictionary_s() -> None:
    assert len(VOWELS) == 15
    assert len(CONSONANTS) == 24
    assert not set(VOWELS) & set(CONSONANTS)
    ipa = [*VOWELS.values(), *CONSONANTS.values()]
    assert len(set(ipa)) == 39, "two phones would look the same"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("R AA1 K IY0", ("R", "AA1", "K", "IY0")),
        ("  r aa1\tk\niy0 ", ("R", "AA1", "K", "IY0")),
        ("AA", ("AA",)),
        ("ER2", ("ER2",)),
        ("S", ("S",)),
    ],
)
def test_good_phones(text: str, expected: tuple[str, ...]) -> None:
    assert parse_phones(text) == expected


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", "at least one"),
        ("   ", "at least one"),
        ("R QX1 K", "'QX1'"),
        ("R AA3", "'AA3'"),
        ("R AA11", "'AA11'"),
        ("K1 AA1", "consonant K"),
        ("R AA1-K", "'AA1-K'"),
        ("ˈrɑki", "'ˈR"),
        ("AX0", "'AX0'"),
        ("1", "'1'"),
    ],
)
def test_bad_phones_are_named(text: str, named: str) -> None:
    with pytest.raises(PhoneError) as error:
        parse_phones(text)
    assert named in str(error.value)
    assert isinstance(error.value, PronunciationError)
    assert isinstance(error.value, ValueError), "so that pydantic names the field"


@pytest.mark.parametrize("phone", [*VOWELS, *CONSONANTS])
def test_every_phone_is_accepted_and_has_its_ipa(phone: str) -> None:
    assert parse_phones(phone.lower()) == (phone,)
    assert to_ipa(phone) == {**VOWELS, **CONSONANTS}[phone]


@pytest.mark.parametrize(
    ("phones", "ipa"),
    [
        ("R AA1 K IY0", "ˈɹɑki"),
        ("K AE1 SH", "ˈkæʃ"),
        ("EY2 AY1", "ˌeɪˈaɪ"),
        ("AH0 B AH1 V", "əˈbʌv"),
        ("D AA1 K ER0", "ˈdɑkɚ"),
        ("W ER1 K", "ˈwɝk"),
    ],
)
def test_ipa(phones: str, ipa: str) -> None:
    assert to_ipa(phones) == ipa


def test_ipa_of_what_is_no_arpabet_is_an_error() -> None:
    with pytest.raises(PhoneError):
        to_ipa("R QX1")


@pytest.mark.parametrize(("phone", "base"), [("IY0", "IY"), ("ER2", "ER"), ("SH", "SH")])
def test_base_phone(phone: str, base: str) -> None:
    assert base_phone(phone) == base
