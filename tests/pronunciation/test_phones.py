"""ARPAbet: what is taken, what is refused, and what it looks like in IPA."""

import re
from collections import Counter
from functools import cache
from itertools import takewhile

import pytest

from pronunciation.errors import PhoneError, PronunciationError
from pronunciation.g2p import dictionary
from pronunciation.lexicon_loader import load_lexicon
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


# As Merriam-Webster, Oxford and Cambridge (US) divide and stress them, in this module's symbols.
PRINTED = """\
queue           K Y UW1                                  ˈkju
cache           K AE1 SH                                 ˈkæʃ
word            W ER1 D                                  ˈwɝd
string          S T R IH1 NG                             ˈstɹɪŋ
screen          S K R IY1 N                              ˈskɹin
square          S K W EH1 R                              ˈskwɛɹ
rocky           R AA1 K IY0                              ˈɹɑki
docker          D AA1 K ER0                              ˈdɑkɚ
above           AH0 B AH1 V                              əˈbʌv
about           AH0 B AW1 T                              əˈbaʊt
apply           AH0 P L AY1                              əˈplaɪ
agree           AH0 G R IY1                              əˈɡɹi
request         R IH0 K W EH1 S T                        ɹɪˈkwɛst
compute         K AH0 M P Y UW1 T                        kəmˈpjut
accuse          AH0 K Y UW1 Z                            əˈkjuz
review          R IH0 V Y UW1                            ɹɪˈvju
mistake         M IH0 S T EY1 K                          mɪˈsteɪk
express         IH0 K S P R EH1 S                        ɪkˈspɹɛs
extreme         IH0 K S T R IY1 M                        ɪkˈstɹim
display         D IH0 S P L EY1                          dɪˈspleɪ
describe        D IH0 S K R AY1 B                        dɪˈskɹaɪb
transform       T R AE0 N S F AO1 R M                    tɹænsˈfɔɹm
hotel           HH OW0 T EH1 L                           hoʊˈtɛl
atlantic        AE0 T L AE1 N T IH0 K                    ætˈlæntɪk
object (verb)   AH0 B JH EH1 K T                         əbˈdʒɛkt
admit           AH0 D M IH1 T                            ədˈmɪt
parameter       P ER0 AE1 M AH0 T ER0                    pəˈɹæmətɚ
algorithm       AE1 L G ER0 IH2 DH AH0 M                 ˈælɡəˌɹɪðəm
hierarchy       HH AY1 ER0 AA2 R K IY0                   ˈhaɪəˌɹɑɹki
accelerator     AE0 K S EH1 L ER0 EY2 T ER0              ækˈsɛləˌɹeɪtɚ
database        D EY1 T AH0 B EY2 S                      ˈdeɪtəˌbeɪs
administrator   AH0 D M IH1 N AH0 S T R EY2 T ER0        ədˈmɪnəˌstɹeɪtɚ
architecture    AA1 R K AH0 T EH2 K CH ER0               ˈɑɹkəˌtɛktʃɚ
communication   K AH0 M Y UW2 N AH0 K EY1 SH AH0 N       kəˌmjunəˈkeɪʃən
configuration   K AH0 N F IH2 G Y ER0 EY1 SH AH0 N       kənˌfɪɡjəˈɹeɪʃən
virtualization  V ER2 CH AH0 W AH0 L AH0 Z EY1 SH AH0 N  ˌvɝtʃəwələˈzeɪʃən
economic        EH2 K AH0 N AA1 M IH0 K                  ˌɛkəˈnɑmɪk
backend         B AE1 K EH2 N D                          ˈbækˌɛnd
LLM             EH2 L EH2 L EH1 M                        ˌɛlˌɛlˈɛm
SQL             EH2 S K Y UW2 EH1 L                      ˌɛsˌkjuˈɛl
GPU             JH IY2 P IY2 Y UW1                       ˌdʒiˌpiˈju
"""


@pytest.mark.parametrize("line", PRINTED.splitlines(), ids=lambda line: line.split()[0])
def test_ipa_is_marked_as_dictionaries_print_it(line: str) -> None:
    _, phones, ipa = re.split(r" {2,}", line)
    assert to_ipa(phones) == ipa


IPA_PHONES = sorted((*VOWELS.values(), *CONSONANTS.values(), "ə", "ɚ"), key=len, reverse=True)
IPA_VOWELS = {*VOWELS.values(), "ə", "ɚ"}
IPA_SHORT = {"ɑ", "æ", "ʌ", "ɛ", "ɪ", "ʊ"}
POSSIBLE_FROM, USUAL_FROM = 2, 30
"""Words that begin so: the dictionary also has names such as Vlasic (16) and Tsai (25)."""


@cache
def beginnings() -> Counter[str]:
    """How many words of the dictionary begin with these consonants."""
    return Counter(
        " ".join(takewhile(lambda phone: phone in CONSONANTS, said[0]))
        for _, said in dictionary().items()
    )


@cache
def word_beginnings(at_least: int) -> frozenset[str]:
    """The consonants that begin this many words of the dictionary, in IPA."""
    return frozenset(
        "".join(CONSONANTS[phone] for phone in cluster.split())
        for cluster, words in beginnings().items()
        if words >= at_least
    )


def test_every_mark_of_the_lexicon_stands_before_a_whole_onset() -> None:
    """What follows a mark begins English words, and with one consonant more it would not.

    Only a short stressed vowel before it keeps one consonant that could begin the next syllable.
    """
    token = re.compile("[ˈˌ]|" + "|".join(IPA_PHONES))
    checked = 0
    for term in load_lexicon():
        for reading in (*term.readings, *(mistake.phones for mistake in term.mistakes)):
            ipa = token.findall(to_ipa(reading))
            for at in (index for index, each in enumerate(ipa) if each in "ˈˌ"):
                onset = list(takewhile(lambda each: each not in IPA_VOWELS, ipa[at + 1 :]))
                coda = list(takewhile(lambda each: each not in IPA_VOWELS, reversed(ipa[:at])))
                if at == 0 or len(coda) == at:
                    continue  # the first syllable takes all that there is
                before = ipa[at - len(coda) - 1]
                earlier = reversed(ipa[: at - len(coda) - 1])
                stressed = {"ˈ", "ˌ"} & set(takewhile(lambda each: each not in IPA_VOWELS, earlier))
                longer = "".join([*coda[:1], *onset])
                assert "".join(onset) in word_beginnings(POSSIBLE_FROM), (term.term, ipa)
                if coda and longer in word_beginnings(USUAL_FROM) and coda != ["ŋ"]:
                    assert stressed and before in IPA_SHORT and len(coda) == 1, (term.term, ipa)
                checked += 1
    assert checked > 1000


def test_ipa_of_what_is_no_arpabet_is_an_error() -> None:
    with pytest.raises(PhoneError):
        to_ipa("R QX1")


@pytest.mark.parametrize(("phone", "base"), [("IY0", "IY"), ("ER2", "ER"), ("SH", "SH")])
def test_base_phone(phone: str, base: str) -> None:
    assert base_phone(phone) == base
