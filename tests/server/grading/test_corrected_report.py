"""The rule by which corrections change a report."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from server.contract import (
    Correction,
    Coverage,
    CoverageEvidence,
    Delivery,
    PhraseCoverage,
    Pronunciation,
    Report,
    Structure,
    TermVerdict,
    Transcript,
    Word,
    content_score,
)
from server.grading.corrected_report import corrected, corrected_coverage
from tests.worlds.planted_report import PHRASES, QUESTION, planted_report

NOW = datetime(2026, 3, 1, tzinfo=UTC)

REPORT = Report(
    question_id="kv-cache",
    created_at=NOW,
    grader_version="1",
    bank_version="1",
    transcript=Transcript(text="we shard RoCE and then RoCE again"),
    coverage=Coverage(
        score=0.25,
        phrases=(
            PhraseCoverage(phrase="sharding", status="missing", weight=2, why="It is asked for."),
            PhraseCoverage(
                phrase="RoCE",
                status="covered",
                how="exact",
                evidence=CoverageEvidence(text="RoCE", word_indices=(2,)),
            ),
            PhraseCoverage(phrase="paging", status="covered", negated=True),
        ),
    ),
    pronunciation=Pronunciation(
        terms=tuple(
            TermVerdict(
                term="RoCE",
                verdict="mispronounced",
                heard="ROHSS",
                phones="R OW1 S",
                expected="ROCK-ee",
                confidence=0.98,
                source="acoustic",
                tip="Two syllables.",
                word_indices=(place,),
            )
            for place in (2, 5)
        )
    ),
    delivery=Delivery(words=7, target_s=60),
)


def given(target: str, name: str, verdict: str, *, minute: int = 0, **more: object) -> Correction:
    return Correction.model_validate(
        {
            "external_id": uuid4().hex,
            "target": target,
            "name": name,
            "verdict": verdict,
            "author": "Cleo",
            "created_at": NOW + timedelta(minutes=minute),
            **more,
        }
    )


def test_a_corrected_phrase_says_by_whom_and_what_the_grader_found() -> None:
    found = corrected(REPORT, [given("phrase", "sharding", "covered", note="He said “shard”.")])
    phrase = found.coverage.phrases[0]
    assert phrase.status == "covered"
    assert phrase.corrected is not None
    assert (phrase.corrected.by, phrase.corrected.was) == ("Cleo", "missing")
    assert phrase.corrected.note == "He said “shard”."
    assert found.coverage.phrases[1:] == REPORT.coverage.phrases[1:]
    # 2 and 1 of 4
    assert (found.coverage.score, found.coverage.graded_score) == (0.75, 0.25)


def test_the_summary_follows_the_corrected_verdicts() -> None:
    found = corrected(
        REPORT, [given("phrase", "sharding", "covered"), given("term", "RoCE", "correct")]
    )
    to_do = " ".join(each.text for each in found.summary.work_on)
    assert "sharding" not in to_do
    assert "Practice" not in to_do
    assert "You brought up “sharding”." in [each.text for each in found.summary.went_well]


def test_the_first_point_follows_the_corrected_phrases() -> None:
    words = [Word(text=w, start_s=at) for at, w in enumerate(REPORT.transcript.tokens)]
    report = REPORT.model_copy(update={"transcript": Transcript(text="", words=tuple(words))})
    named = given("phrase", "sharding", "covered", note="again", by_owner=True)
    sooner = given("phrase", "paging", "covered", note="shard RoCE", by_owner=True)
    found = [corrected(report, each).delivery for each in ([named], [named, sooner])]
    assert [each.first_point_s for each in found] == [6.0, 1.0]


def test_words_that_do_not_say_a_phrase_are_no_evidence_of_it() -> None:
    phrase = corrected(REPORT, [given("phrase", "RoCE", "missing")]).coverage.phrases[1]
    assert (phrase.status, phrase.how, phrase.evidence) == ("missing", None, None)


def test_a_phrase_taken_for_denied_can_be_said_after_all() -> None:
    phrase = corrected(REPORT, [given("phrase", "paging", "covered")]).coverage.phrases[2]
    assert not phrase.negated
    assert phrase.corrected is not None
    assert phrase.corrected.was_negated


def test_a_term_is_corrected_at_the_place_meant_or_at_every_place() -> None:
    one = corrected(REPORT, [given("term", "RoCE", "correct", word_index=5)])
    assert [each.verdict for each in one.pronunciation.terms] == ["mispronounced", "correct"]
    both = corrected(REPORT, [given("term", "RoCE", "correct")])
    assert [each.verdict for each in both.pronunciation.terms] == ["correct", "correct"]
    assert both.coverage == REPORT.coverage


def test_what_was_heard_goes_with_the_verdict_that_does_not_hold() -> None:
    term = corrected(REPORT, [given("term", "RoCE", "correct")]).pronunciation.terms[0]
    assert (term.heard, term.phones, term.tip) == (None, None, "")
    assert term.corrected is not None
    assert term.corrected.was == "mispronounced"
    assert term.is_clear


def test_of_two_the_later_one_counts_and_the_graders_own_verdict_is_no_correction() -> None:
    first = given("phrase", "sharding", "covered")
    back = given("phrase", "sharding", "missing", minute=1)
    assert corrected(REPORT, [first, back]) == REPORT
    assert corrected(REPORT, [back, first]).coverage.score == 0.75


@pytest.mark.parametrize(
    "correction",
    [
        given("phrase", "beam search", "covered"),
        given("term", "RoCE", "correct", word_index=0),
        given("term", "sharding", "correct"),
    ],
    ids=["no such phrase", "no such place", "a phrase and no term"],
)
def test_what_fits_nothing_changes_nothing(correction: Correction) -> None:
    assert corrected(REPORT, [correction]) is REPORT


def test_correcting_what_is_corrected_changes_nothing() -> None:
    corrections = [given("phrase", "sharding", "partial"), given("term", "RoCE", "unclear")]
    once = corrected(REPORT, corrections)
    assert corrected(once, corrections) == once
    assert corrected_coverage(once.coverage, corrections) == once.coverage


def test_a_corrected_phrase_changes_the_content_score() -> None:
    structure = Structure(kind="explain", parts=(), score=0.6)
    graded = REPORT.model_copy(
        update={"structure": structure, "score": content_score(REPORT.coverage, structure).score}
    )
    found = corrected(graded, [given("phrase", "sharding", "covered")])
    assert found.score == content_score(found.coverage, structure).score
    assert found.score is not None and graded.score is not None
    assert found.score > graded.score == found.graded_score == found.overall_graded
    assert sum(part.share * part.value for part in found.score_parts) == pytest.approx(found.score)


def test_earlier_reports_show_the_score_of_their_coverage() -> None:
    found = corrected(REPORT, [given("phrase", "sharding", "covered")])
    assert (found.score, found.overall) == (None, found.coverage.score)
    assert found.overall_graded == REPORT.coverage.score


PLANTED = planted_report(QUESTION, PHRASES)


def own(verdict: str, name: str = "continuous batching", **more: object) -> Correction:
    return given("phrase", name, verdict, author="you", by_owner=True, **more)


def test_a_yes_counts_in_score_parts_and_summary() -> None:
    found = corrected(PLANTED, [own("covered")])
    phrase = found.coverage.phrases[4]
    assert (phrase.status, phrase.how) == ("covered", "own_words")
    assert phrase.corrected is not None
    assert (phrase.corrected.by_owner, phrase.corrected.was) == (True, "possible")
    assert PLANTED.structure is not None
    content = content_score(found.coverage, PLANTED.structure)
    assert (found.score, found.score_parts) == (content.score, content.parts)
    assert found.score is not None and PLANTED.score is not None
    assert found.score > PLANTED.score == found.graded_score
    asked = "Did you mean “continuous batching”?"
    assert asked in " ".join(each.text for each in PLANTED.summary.work_on)
    assert asked not in " ".join(each.text for each in found.summary.work_on)
    # the structure stays on the list
    assert "Not said: example." in " ".join(each.text for each in found.summary.work_on)


@pytest.mark.parametrize("minute", [-5, 5])
def test_a_coach_overrules_the_candidate_whenever_that_was(minute: int) -> None:
    coach = given("phrase", "continuous batching", "missing", minute=minute)
    corrections = sorted([own("covered"), coach], key=lambda each: each.created_at)
    phrase = corrected(PLANTED, corrections).coverage.phrases[4]
    assert phrase.status == "missing"
    assert phrase.corrected is not None and phrase.corrected.by == "Cleo"
