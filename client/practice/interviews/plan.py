"""Which questions an interview asks, and how many fill its time."""

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from math import ceil
from typing import Final

from client.backend.protocol import Backend
from client.practice.choosing import choose_questions
from client.practice.interviews.record import InterviewError
from client.practice.progress import all_attempts
from question_bank.models import Bank, Kind, Question, RoundGuide, RoundName
from server.contract import FOLLOW_UP_S, MOST_FOLLOW_UPS
from server.contract.transcript import MOST_PROBES

THINKING_S: Final = 10.0
"""What passes between question and answer; the clock stands while the question is asked."""
MOST_OF_KIND: Final[Mapping[Kind, int]] = {"design": 2, "code": 2, "story": 4}
MOST_OF_SCREEN: Final = 10
"""How many a real round has: one or two designs or tasks, four stories, eight to ten questions on
the phone."""
LEAST_OF_KIND: Final[Mapping[Kind, int]] = {"design": 1, "code": 1, "story": 4}
LEAST_OF_SCREEN: Final = 8
FILLED: Final = 0.9
"""Another round that fills less than this share of its time is shorter than a real one."""
LATE: Final = timedelta(days=7)
"""What was answered since then is not asked, except what opens a round."""


ALL_ROUNDS: Final = RoundGuide(id="all-rounds", title="Questions of all rounds")
"""What an interview is called that asks the role's questions whatever their round."""


@dataclass(frozen=True)
class InterviewPlan:
    """The questions of an interview, in the order they are asked.

    ``questions``: the role's own first. ``planned``: how many fill the time if each answer takes as
    long as it should, which is ``planned_s``. ``short``: the bank has fewer than a real round.
    """

    questions: tuple[Question, ...]
    planned: int
    planned_s: float
    short: bool = False


def question_s(question: Question) -> float:
    """How much of the interview's time a question takes, in seconds."""
    return THINKING_S + question.answer_seconds


def last_practiced(backend: Backend) -> dict[str, datetime]:
    """Question id → when it was last answered."""
    return {each.question_id: each.created_at for each in reversed(all_attempts(backend))}


def topic_scores(backend: Backend) -> dict[str, float]:
    """Topic → mean score of the latest answers to its questions."""
    latest = {each.question_id: each for each in reversed(all_attempts(backend))}
    scores: dict[str, list[float]] = {}
    for each in latest.values():
        if each.topic:
            scores.setdefault(each.topic, []).append(each.score)
    return {topic: sum(found) / len(found) for topic, found in scores.items()}


def plan_interview(
    bank: Bank,
    role: str,
    round: RoundName | None,
    minutes: int,
    practiced: Mapping[str, datetime],
    rng: random.Random,
    scores: Mapping[str, float] | None = None,
    now: datetime | None = None,
) -> InterviewPlan:
    """Questions for a round: no repeats, weak topics first, then those not practiced for longest.

    A role has a few questions a round. The rest is filled from the same round of the other roles of
    its field, as hard as its own; those whose topics the role shares come first. There are no more
    than in a real round, and where the field has fewer, what was answered of late comes again and
    the round is shorter. What the bank lets the round begin with is asked first.

    ``round``: ``None`` for the role's own questions of all rounds. ``practiced``: question id →
    when it was last answered; what was of late, as of ``now``, is left out where the round is whole
    without it. ``rng`` breaks ties. ``scores``: mean scores by topic.

    Raises:
        InterviewError: the role has no question for this round.
        UnknownNameError: there is no such role or round.
    """
    own = bank.asked(role=role, round=round)
    if not any(each.role or each.field for each in own):
        where = f", round {round}" if round else ""
        raise InterviewError(f"the bank has no question for {role}{where}")
    topics = {each.topic for each in bank.asked(role=role)}
    since = (now or datetime.now(UTC)) - LATE
    asked = {each.id for each in own}
    fresh = [each for each in own if each.opens or not _is_late(each, practiced, since)]
    others = [each for each in bank.related(role) if each.round == round and each.id not in asked]
    levels = [each.difficulty for each in own if not each.opens] or [1, 5]
    others = [
        each
        for each in others
        if not _is_late(each, practiced, since) and min(levels) <= each.difficulty <= max(levels)
    ]
    late = [each for each in own if each not in fresh]
    general = [each for each in fresh if not each.role and not each.opens]
    fresh = [each for each in fresh if each.role or each.opens]
    near = [each for each in others if each.topic in topics]
    far = [each for each in others if each.topic not in topics]
    kind, least = _real_round(round, own) if round else (None, 0)

    def made_of(*groups: list[Question]) -> InterviewPlan:
        ordered = [
            question
            for group in groups
            for question in choose_questions(
                group, practiced, len(group), rng, opening=round, topics=scores
            )
        ]
        if kind is not None:
            others_first = [each for each in ordered if each.kind != kind and round in each.opens]
            ordered = others_first + [each for each in ordered if each.kind == kind]
        if round:
            ordered = ordered[: most_asked(round, ordered)]
        planned, planned_s = 0, 0.0
        for question in ordered:
            if planned_s >= minutes * 60:
                break
            planned, planned_s = planned + 1, planned_s + question_s(question)
        short = len(ordered) < least if least else planned_s < FILLED * minutes * 60
        return InterviewPlan(tuple(ordered), planned, planned_s, short)

    plan = made_of(fresh, general, near, far)
    if plan.short and plan.planned_s < FILLED * minutes * 60:
        return made_of(fresh, general, near, far, late)
    return plan


def full_minutes(bank: Bank, role: str, guide: RoundGuide) -> int:
    """How long a full interview takes: the round's shorter time, or less if the bank fills less."""
    minutes = guide.minutes[0]
    plan = plan_interview(bank, role, guide.id, minutes, {}, random.Random(0))
    asked_s = sum(
        question_s(each) + FOLLOW_UP_S * (MOST_PROBES if each.kind == "design" else MOST_FOLLOW_UPS)
        for each in plan.questions
    )
    return min(minutes, ceil(asked_s / 60))


def first_of(plan: InterviewPlan, count: int) -> InterviewPlan:
    """The first questions of a plan, all of which are asked."""
    questions = plan.questions[:count]
    planned_s = sum(map(question_s, questions))
    return replace(
        plan, questions=questions, planned=len(questions), planned_s=planned_s, short=False
    )


def loop_of(bank: Bank, role: str, first_day: date) -> Iterator[str]:
    """A whole loop over days, a line for each: the rounds of the role's field, one a day.

    Raises:
        UnknownNameError: there is no such role.
    """
    rounds = [each for each in bank.field_of(role).rounds if bank.asked(role=role, round=each.id)]
    for number, guide in enumerate(rounds):
        day = first_day + timedelta(days=number)
        yield (
            f"{day:%a %d %b}  {guide.title}, {full_minutes(bank, role, guide)} min: "
            f"aloud interview --role {role} --round {guide.id} --full"
        )


def most_asked(round: RoundName, questions: Sequence[Question]) -> int:
    """How many of these questions a real interview in a round asks at most."""
    kind, _ = _real_round(round, questions)
    if kind is not None:
        openers = sum(each.kind != kind and round in each.opens for each in questions)
        return openers + MOST_OF_KIND[kind]
    return MOST_OF_SCREEN if round == "phone-screen" else len(questions)


def _is_late(question: Question, practiced: Mapping[str, datetime], since: datetime) -> bool:
    last = practiced.get(question.id)
    return last is not None and last >= since


def _real_round(round: RoundName, own: Sequence[Question]) -> tuple[Kind | None, int]:
    """The kind that a round consists of, if it is one that is counted, and its least number."""
    if round == "phone-screen":
        return None, LEAST_OF_SCREEN
    kinds = Counter(each.kind for each in own if each.role and round not in each.opens)
    kind = kinds.most_common(1)[0][0] if kinds else None
    return (kind, LEAST_OF_KIND[kind]) if kind in MOST_OF_KIND and kind else (None, 0)
