"""Respelling, and a check by eSpeak NG itself that it reads our phonemes as the taught reading."""

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from pronunciation.drill_sets import load_drills
from pronunciation.errors import PhoneError
from pronunciation.lexicon_loader import load_lexicon
from pronunciation.phones import base_phone
from pronunciation.respelling.for_voices import RespellingStyle, respell, to_espeak, to_natural
from pronunciation.terms import Lexicon, Term
from scripts.natural_speech import from_natural

ONE_FORM = Path(__file__).parents[2] / "data" / "one_form"
NATURAL_PHONES, PLAIN = ONE_FORM / "natural_phones.txt", ONE_FORM / "plain_respelling.txt"


def term(name: str, kind: str, say: str, reading: str) -> Term:
    return Term.model_validate({"term": name, "kind": kind, "say": say, "readings": (reading,)})


LEXICON = Lexicon(
    version="test",
    terms=(
        term("RoCE", "word", "ROCK-ee", "R AA1 K IY0"),
        term("KV", "letters", "kay-VEE", "K EY2 V IY1"),
        term("KV cache", "hybrid", "kay-vee CASH", "K EY2 V IY2 K AE1 SH"),
        term("GPU", "letters", "jee-pee-YOU", "JH IY2 P IY2 Y UW1"),
        term("IT", "letters", "eye-TEE", "AY2 T IY1"),
        term("CI/CD", "letters", "see-eye see-DEE", "S IY2 AY2 S IY2 D IY1"),
        term("SR-IOV", "hybrid", "ess-ar-eye-oh-VEE", "EH2 S AA2 R AY2 OW2 V IY1"),
    ),
)


@pytest.mark.parametrize("line", PLAIN.read_text("utf-8").splitlines())
def test_plain(line: str) -> None:
    text, expected = line.split(" > ")
    assert respell(text, LEXICON, "plain") == expected
    assert respell("", LEXICON, "plain") == ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("RoCE is fast.", "[[r|'A:|k|i]] is fast."),
        ("(RoCE)", "( [[r|'A:|k|i]])"),
        ("GPUs", "[[dZ|,i:|p|,i:|j|'u:|z]]"),
        ("KV cache's", "[[k|,eI|v|,i:|k|'a|S|I|z]]"),
        ("echo [[h@l'oU]]", "echo [ [h@l'oU]]"),
    ],
)
def test_espeak(text: str, expected: str) -> None:
    assert respell(text, LEXICON, "espeak") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("RoCE is fast.", "[RoCE](/ɹˈɑki/) is fast."),
        ("(RoCE)", "([RoCE](/ɹˈɑki/))"),
        ("RoCE-based", "[RoCE](/ɹˈɑki/)-based"),
        ("GPUs", "[GPU](/ʤˌipˌijˈuz/)"),
        ("KV cache's", "[KV cache](/kˌAvˌikˈæʃɪz/)"),
        ("our CI/CD pipeline", "our [CI/CD](/sˌiˌIsˌidˈi/) pipeline"),
        ("see [the page](/tmp/x)", "see [the page] (/tmp/x)"),
    ],
)
def test_natural(text: str, expected: str) -> None:
    assert respell(text, LEXICON, "natural") == expected


@pytest.mark.parametrize("line", NATURAL_PHONES.read_text("utf-8").splitlines())
def test_to_natural(line: str) -> None:
    phones, expected = line.split(" > ")
    assert to_natural(phones) == expected
    assert from_natural(expected) == tuple(map(base_phone, phones.split()))


@pytest.mark.parametrize(
    ("letters", "expected"),
    [("bˈʌTᵊn,", "B AH T AH N"), ("vˈɜki", "V ER K IY"), ("xa", ""), ("—", "")],
)
def test_from_natural(letters: str, expected: str) -> None:
    assert from_natural(letters) == tuple(expected.split())


@pytest.mark.parametrize(
    ("phones", "expected"),
    [
        ("AH0 B AH1 V", "[[@|b|'V|v]]"),
        ("T SH IY1", "[[t|S|'i:]]"),  # not the CH of "tSi:"
        ("K AA1 R", "[[k|'A@]]"),
        ("K AA1 R IY0", "[[k|'A:|r|i]]"),
        ("M AA1 R K AH0 T", "[[m|'A@|k|@|t]]"),
    ],
)
def test_to_espeak(phones: str, expected: str) -> None:
    assert to_espeak(phones) == expected


def test_what_is_no_arpabet_is_an_error() -> None:
    with pytest.raises(PhoneError):
        to_espeak("R QQ1")
    with pytest.raises(PhoneError):
        to_natural("R QQ1")


@pytest.mark.parametrize("style", ["plain", "espeak", "natural"])
def test_an_empty_lexicon_changes_nothing(style: RespellingStyle) -> None:
    assert respell("RoCE", Lexicon(version="0", terms=()), style) == "RoCE"


_IPA = {
    "tʃ": "CH", "dʒ": "JH", "eɪ": "EY", "aɪ": "AY", "aʊ": "AW", "ɔɪ": "OY", "oʊ": "OW",
    "i": "IY", "u": "UW", "ɑ": "AA", "ɔ": "AO", "o": "AO", "ɜ": "ER", "ɚ": "ER", "ə": "AH",
    "ʌ": "AH", "ɐ": "AH", "æ": "AE", "ɛ": "EH", "ɪ": "IH", "ʊ": "UH", "ɹ": "R", "ɡ": "G",
    "h": "HH", "j": "Y", "ŋ": "NG", "ʃ": "SH", "ʒ": "ZH", "θ": "TH", "ð": "DH", "ɾ": "T",
    "ɫ": "L", **{letter: letter.upper() for letter in "bdfklmnpstvwz"},
}  # fmt: skip


def from_ipa(ipa: str) -> list[str]:
    """ARPAbet without stress; fails on a symbol that is not General American."""
    rest, phones = re.sub("[ˈˌː\u200d\u0329 \n]", "", ipa), []
    while rest:
        size = 2 if rest[:2] in _IPA else 1
        phones.append(_IPA[rest[:size]])
        rest = rest[size:]
    return phones


@pytest.fixture(scope="module")
def espeak_ipa() -> Iterator[Callable[[str], str]]:
    """What eSpeak NG makes of a text, in IPA: its library's own answer, no sound."""
    reader = Path(__file__).parents[2] / "worlds" / "espeak_reader.py"
    with subprocess.Popen(
        [sys.executable, str(reader)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        texts, answers = process.stdin, process.stdout

        def ipa(text: str) -> str:
            texts.write(json.dumps(text) + "\n")
            texts.flush()
            return str(json.loads(answers.readline()))

        yield ipa
        texts.close()


def heard(ipa: str) -> list[str]:
    return without_assimilation(without_linking_r(from_ipa(ipa)))


def without_assimilation(phones: list[str]) -> list[str]:
    """N before K or G becomes NG in fluent speech, also between words ("run cost")."""
    following = [*phones[1:], ""]
    return [
        "N" if p == "NG" and n in ("K", "G") else p for p, n in zip(phones, following, strict=True)
    ]


def without_linking_r(phones: list[str]) -> list[str]:
    """ER before a vowel glides over R, whether it is written or not."""
    return [p for i, p in enumerate(phones) if not (p == "R" and i and phones[i - 1] == "ER")]


@cache
def taught(reading: str) -> list[str]:
    phones = [base_phone(phone) for phone in reading.split()]
    return without_assimilation(without_linking_r(phones))


def test_the_voice_reads_every_term_as_it_is_taught(espeak_ipa: Callable[[str], str]) -> None:
    wrong = {
        t.term: (t.readings[0], spoken)
        for t in load_lexicon()
        if heard(spoken := espeak_ipa(respell(t.term, load_lexicon(), "espeak")))
        != taught(t.readings[0])
    }
    assert wrong == {}


def test_the_voice_reads_every_drill_as_it_is_taught(espeak_ipa: Callable[[str], str]) -> None:
    wrong = {
        item.id: (item.readings[0], spoken)
        for drill in load_drills().values()
        for item in drill
        if heard(spoken := espeak_ipa(to_espeak(item.readings[0]))) != taught(item.readings[0])
    }
    assert wrong == {}


@pytest.mark.parametrize(
    "text", ["(RoCE)", '"RoCE"', "“RoCE”", "a/RoCE", "pre-RoCE", "—RoCE—", "RoCE-based", "RoCE?"]
)
def test_the_term_is_said_next_to_any_punctuation(
    espeak_ipa: Callable[[str], str], text: str
) -> None:
    assert "ɹˈɑːki" in espeak_ipa(respell(text, LEXICON, "espeak"))


def test_a_term_late_in_a_long_sentence_is_not_cut(espeak_ipa: Callable[[str], str]) -> None:
    """eSpeak NG cuts clauses after 725 bytes; phonemes cut in two would be spelled out."""
    cut = []
    for offset in range(680, 740):
        text = "so " * (offset // 3) + "a" * (offset % 3) + " GPU and RoCE"
        ipa = espeak_ipa(respell(text, LEXICON, "espeak"))
        if "dʒˌiːpˌiːjˈuː" not in ipa or "ɹˈɑːki" not in ipa:
            cut.append((offset, ipa[-60:]))
    assert cut == []
