"""Everyday words that are a term's name in small letters, with and without evidence."""

import pytest

from pronunciation.hearing.everyday import MIN_CASED, is_everyday
from pronunciation.hearing.spotting import TermSpotter
from pronunciation.lexicon_loader import load_lexicon
from pronunciation.terms import Lexicon, Term


@pytest.fixture(scope="module")
def lexicon() -> Lexicon:
    return load_lexicon()


@pytest.fixture(scope="module")
def spotter(lexicon: Lexicon) -> TermSpotter:
    return TermSpotter(lexicon)


@pytest.mark.parametrize(
    ("text", "term", "is_named"),
    [
        ("We scale to zero at night.", "ZeRO", False),
        ("Zero downtime matters.", "ZeRO", False),
        ("It is one point zero.", "ZeRO", False),
        ("We use ZeRO at night.", "ZeRO", True),
        ("We use Zero at night.", "ZeRO", True),
        ("We use zero stage 3 here.", "ZeRO", True),
        ("We use zero three here.", "ZeRO", True),
        ("It is 1 point zero three.", "ZeRO", False),
        ("With FSDP or zero we shard.", "ZeRO", True),
        ("The zero optimizer is sharded.", "ZeRO", True),
        ("The rest of the team agrees.", "REST", False),
        ("We offer a REST endpoint.", "REST", True),
        ("It has a spark of hope.", "Spark", False),
        ("We run Spark jobs.", "Spark", True),
        ("Each team gets a fair share.", "FAIR", False),
        ("The queue is full.", "queue", True),
        ("We use cuda and k8s.", "CUDA", True),
        ("It runs over ordinary ethernet.", "Ethernet", True),
    ],
)
def test_an_everyday_word_names_a_term_only_with_capitals_or_evidence(
    spotter: TermSpotter, text: str, term: str, is_named: bool
) -> None:
    assert (term in spotter.named(text)) is is_named


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
