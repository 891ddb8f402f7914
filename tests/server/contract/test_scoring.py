"""How the score of an answer is composed: points that add up."""

import pytest

from question_bank.models import Kind
from server.contract import (
    OFF_TOPIC,
    SOUNDS_WRONG,
    Coverage,
    PhraseCoverage,
    Structure,
    StructurePart,
    content_score,
    coverage_score,
    score_rule,
)
from server.contract.scoring import OFF_TOPIC_MOST, PHRASE_SHARE, ContentScore

KINDS: tuple[Kind, ...] = ("explain", "story", "design", "code", "introduction")


def score(
    kind: Kind, coverage: float, structure: float, *, taken_off: float = 0.0, off: bool = False
) -> ContentScore:
    parts = (StructurePart(name="reasons", status="said"),)
    return content_score(
        Coverage(score=coverage, phrases=()),
        Structure(kind=kind, parts=parts, score=structure),
        taken_off=taken_off,
        off_topic=off,
    )


def test_an_open_phrase_counts_by_its_chance() -> None:
    def of(chance: float | None) -> float:
        return coverage_score([PhraseCoverage(phrase="a", status="possible", confidence=chance)])

    assert of(0.9) == pytest.approx(0.75)
    assert of(0.3) == 0.0
    assert of(None) == pytest.approx(0.5)
    assert of(0.7) < of(0.8) < 1.0


def test_a_denied_phrase_counts_nothing() -> None:
    denied = PhraseCoverage(phrase="a", status="covered", negated=True, confidence=0.9)
    said = PhraseCoverage(phrase="b", status="covered", confidence=0.9)
    assert coverage_score([denied, said]) == pytest.approx(0.5)


@pytest.mark.parametrize("kind", KINDS)
def test_all_phrases_and_parts_earn_all_and_nothing_earns_nothing(kind: Kind) -> None:
    assert score(kind, 1.0, 1.0).score == pytest.approx(1.0)
    assert score(kind, 0.0, 0.0).score == 0.0


@pytest.mark.parametrize("kind", KINDS)
def test_the_parts_add_up_to_the_score(kind: Kind) -> None:
    found = score(kind, 0.4, 0.6, taken_off=0.13)
    assert found.score == pytest.approx(sum(part.share * part.value for part in found.parts))
    assert [part.name for part in found.parts] == ["key phrases", "structure", SOUNDS_WRONG]


@pytest.mark.parametrize("kind", KINDS)
def test_more_said_never_scores_less(kind: Kind) -> None:
    steps = [at / 20 for at in range(21)]
    by_phrases = [score(kind, each, 0.5).score for each in steps]
    by_structure = [score(kind, 0.5, each).score for each in steps]
    assert by_phrases == sorted(by_phrases)
    assert by_structure == sorted(by_structure)


def test_half_of_the_phrases_earn_most_of_their_points() -> None:
    assert score("explain", 0.5, 0.0).score > 0.85 * PHRASE_SHARE["explain"]


def test_an_answer_to_another_question_earns_next_to_nothing() -> None:
    found = score("explain", 0.2, 1.0, off=True)
    assert found.score == pytest.approx(OFF_TOPIC_MOST)
    assert found.parts[-1].name == OFF_TOPIC


def test_no_more_is_taken_off_than_was_earned() -> None:
    assert score("story", 0.1, 0.1, taken_off=1.0).score == 0.0


def test_where_a_fact_is_asked_for_structure_stays_out() -> None:
    structure = Structure(kind="explain", parts=(), score=0.0, asked=False)
    found = content_score(Coverage(score=1.0, phrases=()), structure)
    assert (found.score, len(found.parts)) == (1.0, 1)


def test_a_fact_in_other_words_and_a_story_of_its_own_get_points_without_the_phrases() -> None:
    structure = Structure(kind="explain", parts=(), score=0.0, asked=False)
    found = content_score(Coverage(score=0.0, phrases=()), structure, taken_off=-0.7)
    assert (found.score, [each.name for each in found.parts]) == (
        0.7,
        ["key phrases", "to the point"],
    )
    scores = [score(kind, 0.0, 0.0, taken_off=-0.7).score for kind in ("story", "explain")]
    assert scores == pytest.approx([0.7, 0.35])


def test_of_a_rough_transcript_the_score_is_a_lower_bound() -> None:
    structure = Structure(kind="explain", parts=(), score=0.0)
    assert content_score(Coverage(score=1.0, phrases=()), structure).score < 1.0


@pytest.mark.parametrize("kind", KINDS)
def test_the_rule_says_the_shares(kind: Kind) -> None:
    assert f"{PHRASE_SHARE[kind]:.0%}" in score_rule(kind)
