"""Key phrases that take over a general point of stories by its name."""

from typing import Any

from question_bank.loader import load_bank
from question_bank.source import general_points
from tests.question_bank.conftest import problems_of

RESULT = "measured result"


def test_a_key_phrase_has_what_its_point_says_after_what_it_says_itself(
    write_bank: Any, question: dict[str, Any]
) -> None:
    own = {"point": RESULT, "aliases": ["two weeks late"], "weight": 1.5}
    bank = load_bank([write_bank({"x.yaml": [question | {"key_phrases": [own]}]})])
    (phrase,) = bank.question("own-question").key_phrases
    point = general_points()[RESULT]
    assert (phrase.phrase, phrase.why, phrase.weight) == (RESULT, point["why"], 1.5)
    assert phrase.aliases == ("two weeks late", *point["aliases"])
    assert phrase.ways == tuple(point["ways"])


def test_an_unknown_point_is_named_with_its_place(
    write_bank: Any, question: dict[str, Any]
) -> None:
    listed = [{"phrase": "own"}, {"point": "measured results"}]
    (problem,) = problems_of(write_bank({"x.yaml": [question | {"key_phrases": listed}]}))
    assert "key_phrases[1]" in problem and f"did you mean {RESULT!r}?" in problem


def test_a_bank_of_ones_own_is_told_that_it_has_no_points(write_bank: Any) -> None:
    (problem,) = problems_of(write_bank({"points.yaml": [{"phrase": "own point"}]}))
    assert "only the built-in bank has points" in problem


def test_each_point_is_used_by_more_than_one_story() -> None:
    questions = load_bank().questions
    uses = {
        name: sum(name in {each.phrase for each in question.key_phrases} for question in questions)
        for name in general_points()
    }
    assert min(uses.values()) > 1, uses
