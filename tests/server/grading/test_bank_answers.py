"""Every model answer covers its own phrases, and none of an unrelated question."""

from datetime import UTC, datetime

import pytest

from question_bank.loader import load_bank
from question_bank.models import Bank
from server.contract import Submission, Transcript
from server.grading import cover, grade


@pytest.fixture(scope="module")
def bank() -> Bank:
    return load_bank()


SAMPLE = load_bank().questions[:: max(1, len(load_bank().questions) // 40)]
"""About forty; tests/question_bank/test_model_answers.py says how to check all."""


@pytest.mark.parametrize("question", SAMPLE, ids=lambda question: question.id)
def test_every_model_answer_covers_its_own_phrases(question, bank, lexicon):
    submission = Submission(
        submission_id="b" * 32,
        question_id=question.id,
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
        transcript=Transcript(text=question.model_answer),
    )
    failing = [
        (phrase.phrase, phrase.status, phrase.negated)
        for phrase in grade(question, submission, lexicon, bank.version).coverage.phrases
        if phrase.status != "covered" or phrase.negated
    ]
    assert failing == []


HOLIDAY = (
    "Last summer we drove to the coast with my sister and her children. The weather was fine, we "
    "swam every morning and cooked fish in the evening. On the way home the car broke down and a "
    "friendly farmer helped us. I would do it again, although the drive was long."
)


def test_talk_of_a_holiday_covers_nothing_of_the_bank(bank, lexicon):
    phrases = [phrase for question in bank.questions for phrase in question.key_phrases]

    coverage = cover(phrases, HOLIDAY.split(), lexicon)

    assert [p.phrase for p in coverage.phrases if p.status != "missing"] == []


@pytest.mark.parametrize("name", ["gradual release", "canary", "canary release"])
def test_a_release_in_steps_counts_under_each_of_its_names(bank, lexicon, name):
    kinds = ("gradual", "staged", "phased", "progressive")
    phrases = [
        phrase
        for question in bank.questions
        for phrase in question.key_phrases
        if phrase.phrase == name
    ]
    assert phrases

    for kind in kinds:
        said = f"After that we introduced a {kind} rollout.".split()
        found = cover(phrases, said, lexicon).phrases
        assert {phrase.status for phrase in found} == {"covered"}, kind
