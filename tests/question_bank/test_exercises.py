"""Speaking exercises: their model answers earn what they ask for, and nobody is asked them."""

from datetime import UTC, datetime

import pytest

from pronunciation.lexicon_loader import load_lexicon
from question_bank.exercises import FIELD, with_exercises
from question_bank.loader import load_bank
from question_bank.models import Question
from server.contract import Submission, Transcript
from server.grading import grade

BANK = load_bank()
WITH = with_exercises(BANK)
EXERCISES = [each for each in WITH.questions if each.field == FIELD]
TASKS = [each for each in EXERCISES if each.round != "definitions"]


def report(question: Question, text: str):  # type: ignore[no-untyped-def]
    submission = Submission(
        submission_id="a" * 32,
        question_id=question.id,
        created_at=datetime(2026, 3, 1, tzinfo=UTC),
        transcript=Transcript(text=text),
    )
    return grade(question, submission, load_lexicon(), "b")


def test_five_kinds_of_tasks_and_the_spotlight_terms_of_ai_infrastructure_are_there() -> None:
    assert len(TASKS) > 30
    assert {each.topic for each in TASKS} == {
        "Code review",
        "Stand-up",
        "Incident report",
        "Deployment",
        "Planning",
    }
    field = "ai-infrastructure"
    terms = {e.term for role in BANK.roles if role.field == field for e in role.spotlight}
    defined = {each.prompt.split("“")[1].split("”")[0] for each in EXERCISES if each not in TASKS}
    assert terms <= defined
    assert WITH.version != BANK.version
    for role in BANK.roles:
        assert not any(each.field == FIELD for each in WITH.asked(role=role.id))


@pytest.mark.parametrize("question", TASKS, ids=lambda each: each.id)
def test_a_model_answer_has_the_beats_and_collocations(question: Question) -> None:
    found = report(question, question.model_answer)
    unsaid = [e.phrase for e in found.coverage.phrases if e.status != "covered" or e.negated]
    assert unsaid == []
    beats = {each.name for each in question.beats}
    said = {part.name for part in found.structure.parts if part.status == "said"}
    assert beats - said == set()
    wrong = report(question, "I would look at it tomorrow and tell you more.")
    assert wrong.score < 0.3 < 0.85 <= found.score


def test_a_definition_in_one_sentence_is_enough() -> None:
    for question in EXERCISES:
        if question.round == "definitions":
            found = report(question, question.model_answer)
            missing = [e.phrase for e in found.coverage.phrases if e.status != "covered"]
            assert missing == [], question.id
            assert found.structure is None or not found.structure.asked
