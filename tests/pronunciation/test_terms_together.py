"""Terms that belong to a question's, by the questions that name both."""

import pytest

from pronunciation.lexicon_loader import load_lexicon
from pronunciation.terms import companions, related, together

QUESTIONS = (
    frozenset(("RoCE", "InfiniBand", "GPU")),
    frozenset(("RoCE", "Ethernet", "GPU")),
    frozenset(("queue", "Kafka", "GPU")),
    frozenset(("Kafka", "Redis")),
)


def test_terms_of_questions_like_this_one_are_related_most() -> None:
    shares = related(("RoCE", "GPU"), QUESTIONS)
    assert shares["Ethernet"] == pytest.approx(shares["InfiniBand"])
    assert shares["Ethernet"] > shares["Kafka"] > 0
    assert {"RoCE", "GPU", "Redis"}.isdisjoint(shares)


def test_a_question_says_nothing_about_itself() -> None:
    """Its own terms are expected; what else it has in common with itself is no evidence."""
    shares = related(("RoCE", "InfiniBand", "GPU"), QUESTIONS)
    assert shares["Ethernet"] > 0.5
    assert shares["Ethernet"] + shares["Kafka"] == pytest.approx(1.0)


def test_unknown_terms_have_no_relatives() -> None:
    assert related((), QUESTIONS) == related(("nothing",), QUESTIONS) == {}


def test_a_companion_is_seldom_named_without_the_term() -> None:
    questions = (
        *(frozenset(("ZeRO", "FSDP", "GPU")),) * 2,
        frozenset(("ZeRO", "DDP")),
        *(frozenset(("GPU", "queue")),) * 5,
    )
    assert companions("ZeRO", questions) == {"FSDP"}  # DDP only once, and a GPU mostly without it
    assert companions("Redis", questions) == frozenset()


def test_the_shipped_questions_name_terms_of_the_lexicon() -> None:
    known = {term.term for term in load_lexicon()}
    assert len(together()) > 100
    assert all(terms <= known for terms in together())
