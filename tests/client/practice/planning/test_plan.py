"""Four learners go through the plan for three weeks, for every role of the bank."""

import random
from collections import defaultdict
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta

import pytest

from client.practice.interviews import plan_interview
from client.practice.interviews.plan import full_minutes
from client.practice.planning.plan import (
    DAYS,
    Answered,
    DueCard,
    Goal,
    History,
    Item,
    Plan,
    Story,
    make_plan,
)
from question_bank.loader import load_bank
from question_bank.models import Bank, Question

START = date(2027, 3, 1)
MOCK_MINUTES = {"phone-screen": 45, "coding": 45, "system-design": 45, "behavioral": 30}
MOCK_MINUTES["domain-deep-dive"] = 45
STORIES = (Story("outage"), Story("conflict"))
ROLES = [role.id for role in load_bank().roles]


class Learner:
    """Somebody who follows the plan on the days they come, and gets better at each question."""

    def __init__(self, bank: Bank, goal: Goal) -> None:
        self.bank, self.goal, self.questions = bank, goal, bank.asked(role=goal.role)
        self.history = History(stories=STORIES)
        self.minutes: dict[date, int] = {}
        self._chance = random.Random(goal.role)
        self.mock_minutes = {
            each.id: full_minutes(bank, goal.role, each)
            for each in bank.field_of(goal.role).rounds
            if any(q.round == each.id for q in self.questions)
        }

    def plan(self, today: date) -> Plan:
        return make_plan(self.goal, self.questions, self.history, today, self.mock_minutes)

    def practice(self, day: date, ahead: int = 0) -> None:
        """Do what the plan has for the day, and some steps of the days to come."""
        planned = self.plan(day).today
        assert planned is not None and planned.date == day
        self.minutes[day] = planned.minutes
        for item in planned.items:
            self.do(item, day)
        done = self.plan(day).today  # ticked, and nothing else moves
        assert done is not None and done.left == ()
        assert [each.name for each in done.items] == [each.name for each in planned.items]
        for _ in range(ahead):
            following = self.plan(day).ahead
            if following is not None:
                self.do(following, day)

    def do(self, item: Item, day: date) -> None:
        history = self.history
        added: dict[str, object] = {}
        if item.kind in ("question", "retry"):
            added = {"answers": (*history.answers, self._answer(item.name, day))}
        elif item.kind == "mock":
            answers = [self._answer(each, day) for each in self._mock(item.name, day)]
            added = {"answers": (*history.answers, *answers), "mocks": (*history.mocks, day)}
        elif item.kind == "story":
            added = {
                "stories": tuple(
                    Story(each.id, (*each.told, day)) if each.id == item.name else each
                    for each in history.stories
                )
            }
        elif item.kind == "drills":
            ready = sorted(history.cards, key=lambda each: each.due > day)
            due = [] if item.new else ready[: item.count]
            said = [*due, *[DueCard(day, day, day)] * (item.count - len(due))]
            later = [DueCard(day + timedelta(days=4), each.first, day) for each in said]
            added = {"cards": (*(ready if item.new else ready[item.count :]), *later)}
        self.history = History(**{**vars(history), **added})  # type: ignore[arg-type]

    def _mock(self, round: str, day: date) -> list[str]:
        """What a mock interview asks: as many questions as a real one, most untried ones first."""
        noon = datetime.combine(day, time(12), UTC)
        practiced = {
            each.question_id: noon - (day - each.day)
            for each in self.history.answers
            if each.day < day
        }
        minutes = next(
            each.minutes[0]
            for each in self.bank.field_of(self.goal.role).rounds
            if each.id == round
        )
        plan = plan_interview(
            self.bank, self.goal.role, round, minutes, practiced, self._chance, now=noon
        )
        return [each.id for each in plan.questions[: plan.planned]]

    def _answer(self, question_id: str, day: date) -> Answered:
        before = sum(each.question_id == question_id for each in self.history.answers)
        score = min(0.95, 0.35 + 0.2 * before + self._chance.uniform(-0.15, 0.25))
        return Answered(question_id, day, score)


def days_of(learner: Learner) -> dict[str, set[date]]:
    found: dict[str, set[date]] = defaultdict(set)
    for each in learner.history.answers:
        found[each.question_id].add(each.day)
    return found


def too_often(practiced: dict[str, set[date]]) -> list[tuple[str, date]]:
    """Questions with more than three days in any seven, with the first of these days."""
    return [
        (name, first)
        for name, days in practiced.items()
        for first in days
        if sum(first <= day < first + timedelta(days=7) for day in days) > 3
    ]


def steady(number: int) -> bool:
    return True


def three_times_a_week(number: int) -> bool:
    return number % 7 in (1, 3, 5)


def a_week_off(number: int) -> bool:
    return not 7 <= number < 14


def cramming(number: int) -> bool:
    return number >= DAYS - 5


@pytest.mark.parametrize("comes", [steady, three_times_a_week, a_week_off, cramming])
@pytest.mark.parametrize("role", ROLES)
def test_the_plan_holds_for_21_days(role: str, comes: Callable[[int], bool]) -> None:
    interview = START + timedelta(days=DAYS)
    learner = Learner(load_bank(), Goal(role, START, interview, 15))
    for number in range(DAYS):
        if comes(number):
            # who crams goes on when the day's list is done
            learner.practice(START + timedelta(days=number), ahead=4 if comes is cramming else 0)
    practiced = days_of(learner)

    assert {each.id for each in learner.questions} <= practiced.keys()
    assert too_often(practiced) == []
    mocks = [day for day in learner.history.mocks if day >= interview - timedelta(days=7)]
    assert len(mocks) == 2
    assert all(each.told for each in learner.history.stories)
    ordinary = [spent for day, spent in learner.minutes.items() if day not in mocks]
    assert max(ordinary) <= 30
    if comes is steady:
        assert max(ordinary) <= 18
        assert min(ordinary) >= 6


def questions_of(role: str = "ml-platform-engineer") -> tuple[Question, ...]:
    return load_bank().asked(role=role)


def plan_of(history: History, today: date, minutes: int = 15, days: int = DAYS) -> Plan:
    goal = Goal("ml-platform-engineer", START, START + timedelta(days=days), minutes)
    return make_plan(goal, questions_of(), history, today, MOCK_MINUTES)


def test_a_day_has_due_drills_then_what_was_missing_most_then_the_untried_of_weak_topics() -> None:
    opener, well, badly, *rest = questions_of()
    history = History(
        answers=(
            Answered(opener.id, START, 0.8),
            Answered(well.id, START, 0.95),
            Answered(badly.id, START, 0.1),
        ),
        cards=tuple(DueCard(START, START, START) for _ in range(10)),
    )
    day = plan_of(history, START + timedelta(days=1), minutes=20).today
    assert day is not None
    assert [each.kind for each in day.items[:2]] == ["drills", "retry"]
    assert day.items[0].count == 10
    assert day.items[1].name == badly.id and day.items[1].missing == pytest.approx(0.9)
    assert well.id not in {each.name for each in day.items}  # holds for longer than a day
    fresh = [each.name for each in day.items if each.kind == "question"]
    topics = {each.id: each.topic for each in rest}
    if badly.topic in topics.values():
        assert badly.topic in {topics[each] for each in fresh}


def test_stories_and_language_cards_come_when_questions_leave_room() -> None:
    answers = tuple(Answered(each.id, START, 0.95) for each in questions_of())
    cards = tuple(DueCard(START, START, START) for _ in range(4))
    history = History(answers, stories=STORIES, language_cards=cards)
    day = plan_of(history, START + timedelta(days=1), minutes=30).today
    assert day is not None
    kinds = [each.kind for each in day.items]
    assert kinds.count("story") == 2
    assert kinds.index("language") > kinds.index("story")


def test_missed_days_spread_over_the_days_that_are_left() -> None:
    steady_plan = plan_of(History(), START)
    late = plan_of(History(), START + timedelta(days=10))
    assert [each.answers for each in late.past] == [0] * 10
    assert late.tried == steady_plan.tried == len(questions_of())
    new = [sum(i.kind == "question" for i in day.items) for day in late.days]
    assert new[0] <= sum(new) / 4 and sum(new) > 6


def test_few_days_bring_fewer_questions_and_the_plan_knows() -> None:
    short = plan_of(History(), START, minutes=5, days=3)
    assert len(short.days) == 3
    assert short.tried < short.questions
    ordinary = [day for day in short.days if all(each.kind != "mock" for each in day.items)]
    assert all(day.minutes <= 10 for day in ordinary)


def test_no_plan_is_left_on_the_day_itself() -> None:
    assert plan_of(History(), START + timedelta(days=DAYS)).days == ()


@pytest.mark.parametrize("comes", [steady, three_times_a_week, cramming])
def test_a_small_bank_is_practiced_again_and_its_mocks_are_short(
    comes: Callable[[int], bool],
) -> None:
    whole = load_bank()
    questions = tuple(
        each.model_copy(update={"id": f"q{at}", "role": "chef", "field": None, "opens": ()})
        for at, each in enumerate(questions_of()[2:8])
    )
    role = whole.roles[0].model_copy(update={"id": "chef", "field": None})
    bank = whole.model_copy(update={"roles": (role,), "questions": questions})
    interview = START + timedelta(days=DAYS)
    learner = Learner(bank, Goal("chef", START, interview, 15, has_terms=False))
    assert max(learner.mock_minutes.values()) < 30
    for number in filter(comes, range(DAYS)):
        learner.practice(START + timedelta(days=number))
    assert sum(day >= interview - timedelta(days=7) for day in learner.history.mocks) == 2
    assert too_often(days_of(learner)) == []
    assert {each.id for each in questions} <= days_of(learner).keys()
