"""About a hundred ways of writing numbers, units and names: equal ones are equal, others are not.

Kinds that users of such programs reported; see docs/reported.md.
"""

import unicodedata
from pathlib import Path

import pytest

from pronunciation.terms import Lexicon
from question_bank.models import KeyPhrase, Question
from server.grading import cover_question
from server.grading.english import lemma
from server.grading.tokenizer import tokenize

DATA = Path(__file__).parents[2] / "data" / "normal_forms"


def written(name: str) -> list[str]:
    return (DATA / f"{name}.txt").read_text("utf-8").splitlines()


def form(text: str) -> list[str]:
    return [lemma(token.text) for token in tokenize(text.split())]


def _pairs() -> list[tuple[str, str]]:
    lines = (line.split(" = ") for line in written("equal"))
    return [(first, other) for first, *others in lines for other in others]


@pytest.mark.parametrize(("one", "other"), _pairs())
def test_written_another_way_it_is_the_same(one: str, other: str) -> None:
    assert form(one) == form(other)


@pytest.mark.parametrize("pair", written("different"))
def test_what_only_looks_alike_is_not(pair: str) -> None:
    one, other = pair.split(" / ")
    assert form(one) != form(other)


@pytest.mark.parametrize("line", written("as_they_are"))
def test_other_words_stay_as_they_are(line: str) -> None:
    said, read = line.split(" = ")
    assert " ".join(form(said)) == read


@pytest.mark.parametrize("word", ["naïve", "façade", "résumé", "Ångström"])
def test_composed_and_decomposed_letters_are_equal(word: str) -> None:
    assert form(unicodedata.normalize("NFD", word)) == form(unicodedata.normalize("NFC", word))


def test_tokens_point_at_their_words() -> None:
    tokens = tokenize(["we", "saw", "two", "and", "a", "half", "million", "users"])
    assert [(t.text, t.first, t.last) for t in tokens[2:]] == [
        ("2.5", 2, 6),
        ("million", 2, 6),
        ("users", 7, 7),
    ]


def _status(pair: str, lexicon: Lexicon) -> str:
    phrase, said = pair.split(" | ")
    question = Question(
        id="planted",
        round="domain-deep-dive",
        topic="Any",
        prompt="How did you do it?",
        model_answer=f"We did it with {phrase} in the end, and it was good.",
        answer_seconds=60,
        key_phrases=(KeyPhrase(phrase=phrase),),
    )
    return cover_question(question, said.split(), lexicon).phrases[0].status


@pytest.mark.parametrize("pair", written("said"))
def test_a_quantity_or_a_name_is_said_in_any_form(pair: str, lexicon: Lexicon) -> None:
    assert _status(pair, lexicon) == "covered"


@pytest.mark.parametrize("pair", written("not_said"))
def test_another_quantity_or_name_is_not(pair: str, lexicon: Lexicon) -> None:
    assert _status(pair, lexicon) != "covered"


@pytest.mark.parametrize(
    "said", ["nine seconds", "one and a half seconds", ".5 seconds", "fifteen seconds", "5 hours"]
)
def test_another_quantity_is_not_even_asked_about(said: str, lexicon: Lexicon) -> None:
    assert _status(f"5 seconds | It took {said} in the end.", lexicon) == "missing"
