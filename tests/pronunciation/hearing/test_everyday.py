"""Everyday words that are a term's name in small letters, with and without evidence."""

from pathlib import Path

import pytest

from pronunciation.hearing.everyday import MIN_CASED, is_everyday
from pronunciation.hearing.spotting import TermSpotter
from pronunciation.lexicon_loader import load_lexicon
from pronunciation.terms import Lexicon, Term

EVERYDAY = Path(__file__).parents[2] / "data" / "one_form" / "everyday.txt"


@pytest.fixture(scope="module")
def lexicon() -> Lexicon:
    return load_lexicon()


@pytest.fixture(scope="module")
def spotter(lexicon: Lexicon) -> TermSpotter:
    return TermSpotter(lexicon)


@pytest.mark.parametrize("line", EVERYDAY.read_text("utf-8").splitlines())
def test_an_everyday_word_names_a_term_only_with_capitals_or_evidence(
    spotter: TermSpotter, line: str
) -> None:
    named, term, text = line.split(maxsplit=2)
    assert (term in spotter.named(text)) is (named == "yes")


def test_where_the_question_is_about_the_term_the_word_is_the_term(spotter: TermSpotter) -> None:
    words = ["Then", "zero", "takes", "the", "rest"]
    found = [spot.term for spot in spotter.spot(words, expected={"ZeRO"})]
    assert found == ["ZeRO"]


def test_an_engine_that_writes_no_capitals_says_nothing_by_it(spotter: TermSpotter) -> None:
    short = "we train with zero"
    long = " ".join(["we train"] * MIN_CASED) + " with zero"
    assert spotter.named(short) == frozenset()
    assert spotter.named(long) == {"ZeRO"}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("ZeRO", True),
        ("REST", True),
        ("Spark", True),
        ("Ethernet", False),
        ("RoCE", False),
        ("queue", False),
    ],
)
def test_everyday_are_names_with_capitals_that_are_words_without(
    lexicon: Lexicon, name: str, expected: bool
) -> None:
    term = lexicon.get(name)
    assert term is not None
    assert is_everyday(term) is expected


def test_letters_said_one_by_one_are_no_word() -> None:
    assert not is_everyday(Term(term="OS", kind="letters", say="oh-ESS", readings=("OW2 EH1 S",)))
