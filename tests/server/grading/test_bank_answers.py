"""Talk of something else covers nothing of the bank, and other names of one thing all count."""

import pytest

from question_bank.loader import load_bank
from question_bank.models import Bank
from server.grading import cover


@pytest.fixture(scope="module")
def bank() -> Bank:
    return load_bank()


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
