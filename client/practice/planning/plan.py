"""The plan: what to practice on which day, until the interview. Pure: no clock, no files.

Each day is planned from what was practiced before it. So a missed day spreads over the days that
are left, what was practiced today ticks today's items, and today's list stays the same all day.
Days to come are planned as if every item before them were done well.

Questions come back by FSRS-6, as drill items do (``server/attempts/drills.py``); what was
missing from the first answer of a day is the rating.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from math import ceil
from typing import Final, Literal

from fsrs import Card, Rating, Scheduler

from client.practice.interviews.plan import most_asked, question_s
from question_bank.models import Question

DAYS: Final = 21
"""Every question of the role comes at least once in so many days; a plan without an interview
lasts as long."""
MOST_DAYS: Final = 366
"""Ahead."""
LAST_WEEK_DAYS: Final = 7
FULL_MOCKS: Final = 2
MOST_DAYS_IN_A_WEEK: Final = 3
"""A question is practiced on no more of any seven days. The plan itself brings it on one less: the
mock interview chooses its own questions."""
THINKING_S: Final = 10.0
READING_S: Final = 60.0
"""For the report of an answer: about 200 words at an easy pace."""
DRILL_ITEM_S: Final = 12.0
"""To hear a term, say it and see the verdict."""
STORY_MINUTES: Final = 3.0
DRILL_SHARE: Final = 1 / 3
"""Of a day's minutes; the rest of the due items waits."""
NEW_DRILL_ITEMS: Final = 5
LONGEST_DAY: Final = 2.0
"""A day that makes up for missed ones takes at most twice the minutes."""
UNKNOWN_SCORE: Final = 0.5
"""For a topic or signal that was never practiced: weaker than one that goes well."""
MISSING_LIMITS: Final = (0.1, 0.3, 0.5)
"""Up to these shares of an answer missing it counts as easy, good, hard; beyond, as forgotten. The
last two are where reports call an answer good and weak."""
PLANNED_MISSING: Final = 0.2
"""What is assumed of answers to come."""

_SCHEDULER: Final = Scheduler(
    learning_steps=(), relearning_steps=(), enable_fuzzing=False, maximum_interval=DAYS
)

Kind = Literal["drills", "retry", "question", "mock", "story", "language"]


@dataclass(frozen=True)
class Goal:
    """What the candidate asked for.

    Attributes:
        role: its id.
        start: the first day.
        interview: the day of the interview; ``None``: no date yet.
        minutes: for an ordinary day.
        has_terms: whether the role has terms to learn; the drills' own are of the built-in roles.
    """

    role: str
    start: date
    interview: date | None = None
    minutes: int = 15
    has_terms: bool = True

    @property
    def end(self) -> date:
        """The day after the last one of the plan."""
        return self.interview or self.start + timedelta(days=DAYS)


@dataclass(frozen=True)
class Answered:
    """One answer to a question: when, and its score, 0 to 1."""

    question_id: str
    day: date
    score: float


@dataclass(frozen=True)
class DueCard:
    """A drill item: the day it is due, and the days it was first and last said."""

    due: date
    first: date
    last: date


@dataclass(frozen=True)
class Story:
    """One of the candidate's own stories, and the days it was told."""

    id: str
    told: tuple[date, ...] = ()


@dataclass(frozen=True)
class History:
    """What was practiced. ``mocks``: days on which a full mock interview was held."""

    answers: tuple[Answered, ...] = ()
    cards: tuple[DueCard, ...] = ()
    mocks: tuple[date, ...] = ()
    stories: tuple[Story, ...] = ()
    language_cards: tuple[DueCard, ...] = ()


@dataclass(frozen=True)
class Item:
    """One thing to do on a day.

    Attributes:
        kind: what it is.
        name: of the question, the drill set (empty: any), the story or the mock's round.
        minutes: how long it takes.
        count: items of a drill; ``new``: none is due, and new ones are learned.
        missing: share of the latest answer that was missing, for a retry.
        done: it was practiced on its day.
    """

    kind: Kind
    name: str
    minutes: float
    count: int = 0
    new: bool = False
    missing: float = 0.0
    done: bool = False


@dataclass(frozen=True)
class Day:
    """One day of the plan."""

    date: date
    items: tuple[Item, ...]

    @property
    def minutes(self) -> int:
        """How long it takes, in whole minutes."""
        return ceil(sum(each.minutes for each in self.items))

    @property
    def left(self) -> tuple[Item, ...]:
        """What is still to do."""
        return tuple(each for each in self.items if not each.done)


@dataclass(frozen=True)
class PastDay:
    """A day that has gone: how many answers it had; 0 with ``mock`` false: it was missed."""

    date: date
    answers: int
    mock: bool


@dataclass(frozen=True)
class Plan:
    """The whole plan as it stands today.

    Attributes:
        goal: what was asked for.
        past: the days before today.
        days: today and the days until the interview; empty: there are none.
        ahead: the first step of the coming days that can be taken today already.
        questions: how many the bank has for the role.
        tried: how many of them were answered in the last ``DAYS`` days or are in ``days``.
    """

    goal: Goal
    past: tuple[PastDay, ...]
    days: tuple[Day, ...]
    ahead: Item | None
    questions: int
    tried: int

    @property
    def today(self) -> Day | None:
        """What to do today."""
        return self.days[0] if self.days else None


def make_plan(
    goal: Goal,
    questions: Sequence[Question],
    history: History,
    today: date,
    mock_minutes: Mapping[str, int],
) -> Plan:
    """The plan as of a day.

    Args:
        goal: what the candidate asked for.
        questions: everything that interviews for the role ask, in the bank's order.
        history: what was practiced, today included.
        today: the day; before ``goal.start`` the plan begins on that day.
        mock_minutes: how long a full mock interview takes, by round that has questions.
    """
    first = max(goal.start, today)
    if first >= goal.end:
        return Plan(goal, _past(goal, history, goal.end), (), None, len(questions), 0)
    state = _State(questions)
    state.learn(history, first)
    planned = Day(first, _items(goal, state, first, mock_minutes))
    done = _ticked(planned, history)
    state.learn(history, first + timedelta(days=1))
    state.do(Day(first, done.left))
    days = [done]
    ahead: Item | None = None
    horizon = min(goal.end, first + timedelta(days=MOST_DAYS))
    for number in range(1, (horizon - first).days):
        day = first + timedelta(days=number)
        later = Day(day, _items(goal, state, day, mock_minutes))
        if ahead is None:
            ahead = next(
                (each for each in later.items if state.can_come_forward(each, first)), None
            )
        state.do(later)
        days.append(later)
    since = horizon - timedelta(days=DAYS)
    tried = sum(state.days_of[each.id][-1:] > [since] for each in questions)
    past = _past(goal, history, first)
    return Plan(goal, past, tuple(days), ahead, len(questions), tried)


class _State:
    """What is known on the morning of a day; planning goes on as if the day's items were done."""

    def __init__(self, questions: Sequence[Question]) -> None:
        self.questions = {each.id: each for each in questions}
        self.days_of: defaultdict[str, list[date]] = defaultdict(list)
        self.practiced: set[date] = set()
        self.missing: dict[str, float] = {}
        self._due: dict[str, date] = {}
        self._memory = _Memory()
        self._since = date.min

    def learn(self, history: History, until: date) -> None:
        """Note what was practiced before a day, and not noted yet."""
        self.cards = [each for each in history.cards if each.first < until]
        self.language_cards = [each for each in history.language_cards if each.first < until]
        self.stories = history.stories
        self.told = {s.id for s in history.stories if any(day < until for day in s.told)}
        self.mocks = sorted(each for each in history.mocks if each < until)
        answers = (each for each in history.answers if self._since <= each.day < until)
        for each in sorted(answers, key=lambda each: each.day):
            self.practiced.add(each.day)
            if self.days_of[each.question_id][-1:] != [each.day]:
                self.answer(each.question_id, each.day, 1 - each.score)
            self.missing[each.question_id] = 1 - each.score
        self._since = until

    def answer(self, question_id: str, day: date, missing: float) -> None:
        """Note the first answer of a day to a question."""
        self.days_of[question_id].append(day)
        self.missing[question_id] = missing
        if question_id in self.questions:
            self._due[question_id] = self._memory.due_after(question_id, day, missing)

    def do(self, day: Day) -> None:
        """Go on as if these items were done on the day."""
        for each in day.items:
            if each.kind in ("retry", "question"):
                self.answer(each.name, day.date, PLANNED_MISSING)
            elif each.kind == "mock":
                self.mocks.append(day.date)
                for question in self.mock_asks(each):
                    self.answer(question.id, day.date, PLANNED_MISSING)
            elif each.kind == "story":
                self.told.add(each.name)
            else:
                cards = self.cards if each.kind == "drills" else self.language_cards
                for card in self._due_cards(cards, day.date)[: each.count]:
                    cards.remove(card)  # when it comes back, nobody can say yet
        if day.items:
            self.practiced.add(day.date)

    def due_drills(self, day: date, *, language: bool = False) -> int:
        """How many drill items are due on a day."""
        return len(self._due_cards(self.language_cards if language else self.cards, day))

    def missed_days(self, goal: Goal, day: date) -> int:
        """How many of the plan's days before one went by without practice."""
        return max(0, (day - goal.start).days) - len(self._days_used(goal, day))

    def days_left(self, goal: Goal, day: date, until: date) -> int:
        """On how many of the days until one this candidate will practice, as things went so far."""
        used = self._days_used(goal, day)
        gone = (day - min(used)).days if used else 0
        return max(1, round(max(0, (until - day).days) * (len(used) + 1) / (gone + 1)))

    def _days_used(self, goal: Goal, day: date) -> list[date]:
        return [each for each in self.practiced if goal.start <= each < day]

    def may_come(self, question_id: str, day: date) -> bool:
        """Whether a question can be practiced on a day without coming too often in a week."""
        week, most = day - timedelta(days=LAST_WEEK_DAYS), MOST_DAYS_IN_A_WEEK - 1
        days = [each for each in self.days_of[question_id][-most - 1 :] if week < each < day]
        return len(days) < most

    def can_come_forward(self, item: Item, day: date) -> bool:
        """Whether what is planned for later may be practiced on this day already."""
        if item.kind in ("question", "retry"):
            return day not in self.days_of.get(item.name, ()) and self.may_come(item.name, day)
        return item.kind == "story"

    def retries(self, day: date) -> list[Question]:
        """Questions due again on a day, those first that missed most."""
        due = [
            question
            for question in self.questions.values()
            if (at := self._due.get(question.id)) and at <= day and self.may_come(question.id, day)
        ]
        return sorted(due, key=lambda each: (-self.missing[each.id], self._due[each.id]))

    def resting(self, day: date) -> list[Question]:
        """Practiced questions that are not due, the one practiced longest ago first."""
        free = [
            each
            for each in self.questions.values()
            if self.days_of.get(each.id) and self.may_come(each.id, day)
        ]
        return sorted(free, key=lambda each: self.days_of[each.id][-1])

    def untried(self, day: date) -> list[Question]:
        """Questions not practiced for ``DAYS`` days: openers, then weak topics and signals first.

        Topics take turns.
        """
        before = day - timedelta(days=DAYS)
        waiting = [
            each for each in self.questions.values() if self.days_of[each.id][-1:] <= [before]
        ]
        topics = self._scores({each.id: (each.topic,) for each in self.questions.values()})
        signals = self._scores({each.id: each.signals for each in self.questions.values()})

        def place(question: Question) -> tuple[bool, float, int]:
            known = [topics.get(question.topic, UNKNOWN_SCORE)]
            known += [signals.get(each, UNKNOWN_SCORE) for each in question.signals]
            return not question.opens, sum(known) / len(known), question.difficulty

        waiting.sort(key=place)
        ordered: list[Question] = []
        taken: Counter[str] = Counter()
        while waiting:
            following = min(waiting, key=lambda each: taken[each.topic])
            waiting.remove(following)
            ordered.append(following)
            taken[following.topic] += 1
        return ordered

    def mock_questions(self, round: str) -> list[Question]:
        """What a mock interview in this round asks of the role's own questions."""
        return [each for each in self.questions.values() if each.in_round(round)]

    def mock_asks(self, mock: Item) -> list[Question]:
        """What a mock interview probably asks, untried ones first: no more than a real round."""
        there = sorted(self.mock_questions(mock.name), key=lambda q: bool(self.days_of.get(q.id)))
        left_s, asked = mock.minutes * 60, list[Question]()
        for each in there[: most_asked(mock.name, there)]:
            if left_s > 0:
                asked.append(each)
                left_s -= question_s(each)
        return asked

    def mock_round(self, rounds: Iterable[str]) -> str | None:
        """The round of the next mock interview; ``None``: the role has no questions for any.

        It asks nothing that the last one asked, then what is untried, then what is weak.
        """
        own = {each.round for each in self.questions.values() if each.role or each.field}
        last = self.mocks[-1] if self.mocks else None
        asked_last = {name for name, days in self.days_of.items() if last in days}

        def place(name: str) -> tuple[int, float, float]:
            there = self.mock_questions(name)
            again = sum(each.id in asked_last for each in there)
            untried = sum(not self.days_of.get(each.id) for each in there) / len(there)
            missing = sum(self.missing.get(each.id, UNKNOWN_SCORE) for each in there) / len(there)
            return again, -untried, -missing

        return min((each for each in rounds if each in own), key=place, default=None)

    def _scores(self, headings: Mapping[str, Iterable[str]]) -> dict[str, float]:
        found: defaultdict[str, list[float]] = defaultdict(list)
        for name, missing in self.missing.items():
            for heading in headings.get(name, ()):
                found[heading].append(1 - missing)
        return {name: sum(scores) / len(scores) for name, scores in found.items()}

    @staticmethod
    def _due_cards(cards: Iterable[DueCard], day: date) -> list[DueCard]:
        """What is due on a day; an item said on that day already was due, too."""
        return [each for each in cards if each.due <= day or each.last == day]


@dataclass
class _Memory:
    """When questions are due again, by FSRS."""

    _cards: dict[str, Card] = field(default_factory=dict)

    def due_after(self, question_id: str, day: date, missing: float) -> date:
        """The day a question comes back, from the next day on, within ``DAYS`` days."""
        at = datetime.combine(day, time(12), UTC)
        ratings = (Rating.Easy, Rating.Good, Rating.Hard, Rating.Again)
        rating = ratings[sum(missing > limit + 1e-9 for limit in MISSING_LIMITS)]
        card = self._cards.get(question_id) or Card(card_id=0, due=at)
        card, _ = _SCHEDULER.review_card(card, rating, at)
        self._cards[question_id] = card
        return max(card.due.date(), day + timedelta(days=1))


def question_minutes(question: Question) -> float:
    """How long it takes to answer a question and read the report."""
    return (THINKING_S + question.answer_seconds + READING_S) / 60


def _items(
    goal: Goal, state: _State, day: date, mock_minutes: Mapping[str, int]
) -> tuple[Item, ...]:
    """What to do on one day."""
    items: list[Item] = []
    if due := state.due_drills(day):
        most = max(1, int(goal.minutes * DRILL_SHARE * 60 / DRILL_ITEM_S))
        items.append(_drills("drills", min(due, most)))
    held = sum(each >= goal.end - timedelta(days=LAST_WEEK_DAYS) for each in state.mocks)
    left = (goal.end - day).days
    if mock := _mock(goal, state, day, FULL_MOCKS - held, left, mock_minutes):
        items.append(mock)
    last_week = goal.end - timedelta(days=LAST_WEEK_DAYS)
    asked = {each.id for each in state.mock_asks(mock)} if mock else set()
    untried = [each for each in state.untried(day) if each.id not in asked]
    stories = [each for each in state.stories if each.id not in state.told]
    if day < last_week:  # the last week is for mock interviews and for what is weak
        until = min(last_week, day + timedelta(days=2 * LAST_WEEK_DAYS))
    else:
        until = goal.end
    new = ceil((len(untried) + len(stories)) / state.days_left(goal, day, until))
    fresh = [Item("question", each.id, question_minutes(each)) for each in untried]
    fresh += [Item("story", each.id, STORY_MINUTES) for each in stories]
    needed, more, soon = fresh[:new], fresh[new:], {each.id for each in untried[:new]}
    if mock and mock.minutes >= goal.minutes:  # long enough, unless questions would be left over
        return (*items, *_fitting((e for e in needed if e.kind == "question"), goal.minutes))
    retries = [
        Item("retry", each.id, question_minutes(each), missing=state.missing[each.id])
        for each in state.retries(day)
        if each.id not in asked | soon
    ]
    if state.missed_days(goal, day):
        longest = goal.minutes * LONGEST_DAY
    else:  # what went worst comes back, although new questions would fill the day
        longest = goal.minutes - _minutes(retries[:1])
    while len(needed) > 1 and _minutes(items, needed) > longest:
        more.insert(0, needed.pop())
    retries = _fitting(retries, goal.minutes - _minutes(items, needed))
    room, back = goal.minutes - _minutes(items, retries, needed), {e.name for e in retries}
    more = _fitting([each for each in more if each.name not in back], room)
    chosen = [*items, *retries, *needed, *more]
    taken = asked | {each.name for each in chosen}
    rested = [
        Item("retry", each.id, question_minutes(each), missing=state.missing[each.id])
        for each in state.resting(day)
        if each.id not in taken
    ]
    chosen += _fitting(rested, goal.minutes - _minutes(chosen))
    if due := state.due_drills(day, language=True):
        most = int((goal.minutes - _minutes(chosen)) * 60 // DRILL_ITEM_S)
        if most > 0:
            chosen.append(_drills("language", min(due, most)))
    if goal.has_terms and not state.due_drills(day):
        chosen += _fitting(
            [replace(_drills("drills", NEW_DRILL_ITEMS), new=True)], goal.minutes - _minutes(chosen)
        )
    return tuple(chosen)


def _mock(
    goal: Goal, state: _State, day: date, needed: int, left: int, minutes: Mapping[str, int]
) -> Item | None:
    """The full mock interview of a day in the last week, if one is due.

    As early as it goes, because the days after may be missed; never on two days running, unless no
    others are left.
    """
    if goal.interview is None or left > LAST_WEEK_DAYS or needed <= 0:
        return None
    yesterday = day - timedelta(days=1)
    if yesterday in state.mocks and left > needed:
        return None
    round = state.mock_round(minutes)
    return Item("mock", round, minutes[round]) if round else None


def _ticked(day: Day, history: History) -> Day:
    """The day with what was practiced on it ticked."""
    answered = {each.question_id for each in history.answers if each.day == day.date}
    told = {each.id for each in history.stories if day.date in each.told}
    said = sum(each.last == day.date for each in history.cards)
    said_language = sum(each.last == day.date for each in history.language_cards)

    def done(item: Item) -> bool:
        match item.kind:
            case "drills":
                return said >= item.count
            case "language":
                return said_language >= item.count
            case "mock":
                return day.date in history.mocks
            case "story":
                return item.name in told
            case _:
                return item.name in answered

    return Day(day.date, tuple(replace(each, done=done(each)) for each in day.items))


def _past(goal: Goal, history: History, before: date) -> tuple[PastDay, ...]:
    answers = Counter(each.day for each in history.answers)
    days = (goal.start + timedelta(days=number) for number in range((before - goal.start).days))
    return tuple(PastDay(day, answers[day], day in history.mocks) for day in days)


def _drills(kind: Kind, count: int) -> Item:
    return Item(kind, "", count * DRILL_ITEM_S / 60, count=count)


def _fitting(items: Iterable[Item], minutes: float) -> list[Item]:
    """The first of these items that fit."""
    chosen: list[Item] = []
    for each in items:
        if _minutes(chosen) + each.minutes <= minutes:
            chosen.append(each)
    return chosen


def _minutes(*groups: Iterable[Item]) -> float:
    return sum(each.minutes for group in groups for each in group)
