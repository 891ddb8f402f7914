"""A name that stands in a sentence about something else is asked about, and not credited."""

import pytest

from pronunciation.lexicon_loader import load_lexicon
from question_bank.loader import load_bank
from server.grading import cover_question
from server.grading.sense.vectors import sense_of


def status(question_id: str, phrase: str, text: str) -> str:
    question = load_bank().question(question_id)
    assert question is not None
    words = text.split()
    coverage = cover_question(question, words, load_lexicon(), sense_of(words))
    return next(each.status for each in coverage.phrases if each.phrase == phrase)


def test_a_name_in_a_sentence_about_something_else_is_asked_about() -> None:
    said = "The data hall we rented had an escape hatch in the roof, and a marshal kept it clear."
    assert status("dse-parallelism-api", "escape hatch", said) == "possible"


@pytest.mark.parametrize(
    ("question_id", "phrase", "way"),
    [
        (
            "mlp-fair-share-and-priority",
            "borrowing idle capacity",
            "unused cards are lent and not left empty",
        ),
        (
            "mlp-design-llm-gateway",
            "team authentication",
            "when a key leaks, I revoke one team's key and not the company's vendor account",
        ),
        (
            "dse-detecting-dead-workers",
            "false alarms",
            "from outside you cannot tell a slow machine from a dead one",
        ),
    ],
)
def test_a_way_of_the_bank_is_never_doubted(question_id: str, phrase: str, way: str) -> None:
    assert status(question_id, phrase, way) == "covered"
    opening = "That is a good question, and I have thought about it before."
    assert status(question_id, phrase, f"{opening} {way}") == "covered"
