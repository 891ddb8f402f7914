"""The data of the rubrics."""

import pytest

from question_bank.models import Beat, Kind
from server.grading.structure_parts import FITTED, KINDS, Part, parts_of, rubric_of, sentences


@pytest.mark.parametrize("kind", KINDS)
def test_each_part_has_examples_counterexamples_and_a_question(kind: Kind) -> None:
    parts = parts_of(kind)
    assert len({part.name for part in parts}) == len(parts) >= 4
    for part in parts:
        assert (12 if kind in FITTED else 8) <= len(part.says) <= 30, part.name
        assert len(part.not_) >= (5 if kind in FITTED else 3), part.name
        assert part.cues and part.ask.endswith("?"), part.name


def test_no_sentence_stands_twice() -> None:
    assert len(set(sentences())) == len(sentences())


@pytest.mark.parametrize("kind", KINDS)
def test_counterexamples_are_never_examples(kind: Kind) -> None:
    says = {each for part in parts_of(kind) for each in part.says}
    assert says.isdisjoint(each for part in parts_of(kind) for each in part.not_)


def test_beats_of_the_question_are_parts_as_well() -> None:
    beat = Beat(name="told the users", ask="What did the users hear?", ways=("I told them",))
    rubric = rubric_of("story", (beat,))
    assert [each.part.name for each in rubric.parts][-1] == "told the users"
    last = rubric.parts[-1]
    assert rubric.vectors.shape == (last.not_.stop, 384)
    assert last.says.stop - last.says.start == 1


def test_a_part_needs_known_facts() -> None:
    with pytest.raises(ValueError, match="needs"):
        Part.model_validate({"name": "a", "needs": ["luck"], "ask": "Why?", "says": ["because"]})
