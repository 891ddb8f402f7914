import random
from datetime import timedelta

import pytest

from client.practice.interviews import InterviewError, InterviewPlan, plan_interview
from client.practice.interviews.plan import full_minutes, question_s
from question_bank.loader import load_bank
from question_bank.models import Question
from tests.client.practice.interviews.conftest import ROLE, START, bank_of, question


def test_a_question_takes_thinking_and_answering() -> None:
    assert question_s(question("a", words=50, answer_seconds=90)) == 10 + 90


def test_own_questions_come_first_then_neighbors_with_shared_topics() -> None:
    bank = bank_of(
        question("far", role="other", topic="Pay"),
        question("near", role="other", topic="Caches"),
        question("own-1"),
        question("own-2"),
        question("wrong-round", round="behavioral"),
    )
    plan = plan_interview(bank, "ml-engineer", "coding", 45, {}, random.Random(1))
    names = [each.id for each in plan.questions]
    assert sorted(names[:2]) == ["own-1", "own-2"]
    assert names[2:] == ["near", "far"]


def test_other_roles_questions_are_as_hard_as_the_roles_own() -> None:
    def hard(name: str, difficulty: int, role: str = "ml-engineer") -> Question:
        return question(name, role=role).model_copy(update={"difficulty": difficulty})

    bank = bank_of(
        hard("own-2", 2),
        hard("own-4", 4),
        hard("easy", 1, "other"),
        hard("like", 3, "other"),
        hard("hard", 5, "other"),
    )
    plan = plan_interview(bank, "ml-engineer", "coding", 45, {}, random.Random(1))
    assert {each.id for each in plan.questions} == {"own-2", "own-4", "like"}


def test_topics_take_turns_and_long_ago_comes_first() -> None:
    bank = bank_of(
        question("a-late", topic="A"),
        question("a-early", topic="A"),
        question("a-never", topic="A"),
        question("b-late", topic="B"),
    )
    early, later = START - timedelta(days=9), START + timedelta(days=1)
    practiced = {"a-late": START, "a-early": early, "b-late": later}
    plan = plan_interview(bank, "ml-engineer", "coding", 45, practiced, random.Random(1))
    assert [each.id for each in plan.questions] == ["a-never", "b-late", "a-early", "a-late"]


def test_so_many_questions_are_planned_as_fill_the_time() -> None:
    bank = bank_of(*(question(f"q-{n}", answer_seconds=140) for n in range(9)))  # 150 s each
    plan = plan_interview(bank, "ml-engineer", "coding", 10, {}, random.Random(1))
    assert (plan.planned, plan.planned_s) == (4, 600)
    assert len(plan.questions) == 9, "the rest is there for short answers"
    plan = plan_interview(bank, "ml-engineer", "coding", 45, {}, random.Random(1))
    assert (plan.planned, plan.planned_s) == (9, 1350)


def test_phone_screens_and_behavioral_rounds_of_every_role_begin_with_oneself() -> None:
    bank = load_bank(())
    for role in bank.roles:
        for guide in bank.rounds:
            opener = bank.asked(role=role.id, round="behavioral")[0].id
            plan = plan_interview(bank, role.id, guide.id, 10, {opener: START}, random.Random(1))
            asked = [each.id for each in plan.questions]
            if guide.id in ("phone-screen", "behavioral"):
                assert asked[0] == opener
                assert plan.questions[1].role == role.id
            else:
                assert opener not in asked


def test_a_role_without_questions_for_the_round_is_told() -> None:
    with pytest.raises(InterviewError, match="no question for ml-engineer, round behavioral"):
        plan_interview(bank_of(question("a")), ROLE.id, "behavioral", 45, {}, random.Random(1))


def test_the_built_in_bank_has_whole_rounds_for_every_role_without_repeats() -> None:
    bank = load_bank(())
    for role in bank.roles:
        for guide in bank.field_of(role.id).rounds:
            plan = plan_interview(bank, role.id, guide.id, guide.minutes[0], {}, random.Random(1))
            names = [each.id for each in plan.questions]
            assert len(set(names)) == len(names)
            assert not plan.short, (role.id, guide.id)


@pytest.mark.parametrize(("kind", "most"), [("code", 2), ("design", 2), ("story", 4)])
def test_a_round_has_no_more_questions_than_a_real_one(kind: str, most: int) -> None:
    def planned(count: int) -> InterviewPlan:
        bank = bank_of(*(question(f"q-{n}", kind=kind) for n in range(count)))
        return plan_interview(bank, "ml-engineer", "coding", 45, {}, random.Random(1))

    assert len(planned(9).questions) == most
    assert not planned(9).short
    assert planned(1).short == (kind == "story")


@pytest.mark.parametrize(("minutes", "asked"), [(4, ["b", "a"]), (45, ["b", "a", "late"])])
def test_what_was_answered_of_late_comes_only_where_the_bank_has_too_little(
    minutes: int, asked: list[str]
) -> None:
    """Weak topics come first."""
    bank = bank_of(question("a", topic="A"), question("b", topic="B"), question("late", topic="B"))
    plan = plan_interview(
        bank,
        "ml-engineer",
        "coding",
        minutes,
        {"late": START},
        random.Random(1),
        {"A": 0.9, "B": 0.2},
        now=START + timedelta(days=2),
    )
    assert [each.id for each in plan.questions] == asked


def test_a_full_interview_takes_no_longer_than_what_the_bank_has_for_it() -> None:
    bank = bank_of(*(question(f"q-{n}", answer_seconds=120) for n in range(3)))  # 220 s each
    guide = next(each for each in bank.rounds if each.id == "coding")
    assert full_minutes(bank, "ml-engineer", guide) == 11
    bank = bank_of(*(question(f"q-{n}", answer_seconds=120) for n in range(30)))
    assert full_minutes(bank, "ml-engineer", guide) == guide.minutes[0]


def test_an_interview_draws_on_its_field_and_on_questions_of_nobody_in_particular() -> None:
    nurse = ROLE.model_copy(update={"id": "ward-nurse"})  # a field of its own
    bank = bank_of(
        question("gpu"),
        question("own").model_copy(update={"role": "ward-nurse"}),
        question("mine").model_copy(update={"role": None}),
    )
    bank = bank.model_copy(update={"roles": (*bank.roles[:1], nurse)})
    plan = plan_interview(bank, "ward-nurse", "coding", 45, {}, random.Random(1))
    assert [each.id for each in plan.questions] == ["own", "mine"]
    plan = plan_interview(bank, "ml-engineer", "coding", 45, {}, random.Random(1))
    assert [each.id for each in plan.questions] == ["gpu", "mine"]
