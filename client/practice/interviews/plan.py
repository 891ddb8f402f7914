"""Which questions an interview asks, and how many fill its time."""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from client.backend.protocol import Backend
from client.practice.choosing import choose_questions
from client.practice.interviews.record import InterviewError
from client.practice.progress import all_attempts
from question_bank.models import Bank, Question, RoundName

THINKING_S: Final = 10.0
"""What passes between question and answer; the clock stands while the question is asked."""


@dataclass(frozen=True)
class InterviewPlan:
    """The questions of an interview, in the order they are asked.

    Attributes:
        questions: the role's own first, then those of the same round for roles of its field.
        own: how many are the role's own.
        planned: how many fill the time if each answer takes as long as it should.
        planned_s: how long those take.
    """

    questions: tuple[Question, ...]
    own: int
    planned: int
    planned_s: float


def question_s(question: Question) -> float:
    """How much of the interview's time a question takes, in seconds."""
    return THINKING_S + question.answer_seconds


def last_practiced(backend: Backend) -> dict[str, datetime]:
    """Question id → when it was last answered."""
    return {each.question_id: each.created_at for each in reversed(all_attempts(backend))}


def plan_interview(
    bank: Bank,
    role: str,
    round: RoundName,
    minutes: int,
    practiced: Mapping[str, datetime],
    rng: random.Random,
) -> InterviewPlan:
    """Questions for a round: no repeats, alternating topics, those not practiced for longest first.

    A role has three to five questions a round, about ten minutes. The rest of the time is filled
    from the same round of the other roles of its field; those whose topics the role shares come
    first. What the bank lets the round begin with is asked first.

    Args:
        bank: where the questions are.
        role: the role's id.
        round: which round.
        minutes: how long the interview lasts.
        practiced: question id → when it was last answered.
        rng: breaks ties.

    Raises:
        InterviewError: the role has no question for this round.
        UnknownNameError: there is no such role or round.
    """
    own = bank.asked(role=role, round=round)
    if not any(each.role or each.field for each in own):
        raise InterviewError(f"the bank has no question for {role}, round {round}")
    topics = {each.topic for each in bank.asked(role=role)}
    asked = {each.id for each in own}
    others = [each for each in bank.related(role) if each.round == round and each.id not in asked]
    near = [each for each in others if each.topic in topics]
    far = [each for each in others if each.topic not in topics]
    ordered = [
        question
        for group in (own, near, far)
        for question in choose_questions(group, practiced, len(group), rng, opening=round)
    ]
    planned, planned_s = 0, 0.0
    for question in ordered:
        if planned_s >= minutes * 60:
            break
        planned, planned_s = planned + 1, planned_s + question_s(question)
    return InterviewPlan(tuple(ordered), len(own), planned, planned_s)
