"""How the score of an answer is composed."""

import pytest

from question_bank.models import Kind
from server.contract import (
    Coverage,
    PhraseCoverage,
    Structure,
    content_score,
    coverage_score,
    score_rule,
)
from server.contract.scoring import (
    COVERAGE_RANGE,
    COVERAGE_SHARE,
    MOST,
    RELEVANT_FROM,
    STRUCTURE_RANGE,
)


def _score(kind: Kind, coverage: float, structure: float, believed: float | None = None) -> float:
    return content_score(
        Coverage(score=coverage, phrases=()),
        Structure(kind=kind, parts=(), score=structure, believed=believed),
    ).score


def test_a_possible_phrase_counts_by_its_confidence() -> None:
    sure, unsure = (
        PhraseCoverage(phrase="a", status="possible", confidence=share) for share in (0.9, 0.3)
    )
    assert coverage_score([sure]) == pytest.approx(0.72)
    assert coverage_score([unsure]) == pytest.approx(0.24)
    assert coverage_score([PhraseCoverage(phrase="a", status="possible")]) == pytest.approx(0.4)


@pytest.mark.parametrize("kind", ["explain", "story", "design", "code"])
def test_a_good_answer_earns_most_only_a_whole_one_all_and_chance_hits_nothing(kind: Kind) -> None:
    nothing, most = COVERAGE_RANGE[kind]
    assert _score(kind, most, STRUCTURE_RANGE[1]) == pytest.approx(MOST)
    assert _score(kind, 1.0, 1.0) == pytest.approx(1.0)
    assert MOST < _score(kind, 0.95, 1.0) < 1.0
    assert MOST < _score(kind, 1.0, 0.95) < 1.0
    assert _score(kind, nothing, STRUCTURE_RANGE[0]) == 0.0
    assert 0.4 < _score(kind, (nothing + most) / 2, sum(STRUCTURE_RANGE) / 2) < 0.6


def test_a_list_of_key_phrases_earns_little() -> None:
    assert _score("explain", 1.0, 0.0) == pytest.approx(0.25)
    some = 0.15  # of the structure
    named, built = 0.5 + 0.5 * some / 0.35, MOST * (some - 0.05) / 0.65
    assert _score("explain", 1.0, some) == pytest.approx(0.5 * named + 0.5 * built)


@pytest.mark.parametrize("kind", ["explain", "design", "code"])
def test_a_well_built_answer_about_something_else_earns_little(kind: Kind) -> None:
    assert _score(kind, 0.0, 1.0) == 0.0
    built = 1 - COVERAGE_SHARE[kind]
    half = RELEVANT_FROM[kind] / 2
    assert _score(kind, half, 1.0) == pytest.approx(built * 0.5)
    assert _score(kind, 0.6, 1.0) > _score(kind, 0.6, 0.5) > _score(kind, 0.3, 0.5)


def test_a_story_needs_few_of_the_phrases_and_earns_a_third_without_any() -> None:
    assert _score("story", 0.2, 1.0) == pytest.approx(0.4 * MOST * 0.15 / 0.55 + 0.6)
    assert _score("story", 0.05, 1.0) == pytest.approx(0.6 * (0.3 + 0.7 * 0.05 / 0.2))
    assert _score("story", 0.0, 1.0) == pytest.approx(0.6 * 0.3)


@pytest.mark.parametrize("kind", ["explain", "story", "design", "code"])
def test_what_sounds_wrong_earns_no_structure_however_well_it_is_built(kind: Kind) -> None:
    named = COVERAGE_SHARE[kind]
    assert _score(kind, 1.0, 1.0, believed=0.0) == pytest.approx(named)
    assert _score(kind, 1.0, 1.0, believed=0.5) == pytest.approx(named + (1 - named) / 2)
    assert _score(kind, 1.0, 1.0, believed=1.0) == _score(kind, 1.0, 1.0, believed=None)


@pytest.mark.parametrize("kind", ["explain", "story", "design", "code"])
def test_the_rule_names_the_limits_that_it_goes_by(kind: Kind) -> None:
    rule = score_rule(kind)
    for share in (*COVERAGE_RANGE[kind], *STRUCTURE_RANGE, MOST, RELEVANT_FROM[kind]):
        assert f"{share:.0%}" in rule
    assert ("without any it counts 30%" in rule) == (kind == "story")
    assert "as far as it sounds right" in rule


def test_the_parts_make_the_score() -> None:
    found = content_score(
        Coverage(score=0.5, phrases=()), Structure(kind="story", parts=(), score=0.5)
    )
    assert [part.name for part in found.parts] == ["key phrases", "structure"]
    assert sum(part.share for part in found.parts) == pytest.approx(1.0)
    assert sum(part.share * part.value for part in found.parts) == pytest.approx(found.score)


def test_a_story_is_judged_more_by_its_structure_than_an_explanation() -> None:
    assert _score("story", 0.1, 1.0) > _score("explain", 0.1, 1.0)
