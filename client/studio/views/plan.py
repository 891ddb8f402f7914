"""Today's part of the plan, for the home page and the plan's page."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from client.backend.protocol import Backend
from client.practice.planning.my_plan import Step, countdown, steps_of, still_missing
from client.practice.planning.plan import Plan
from question_bank.models import Bank
from server.contract import AttemptSummary


@dataclass(frozen=True)
class Today:
    """What to do today.

    Attributes:
        minutes: of the whole day.
        steps: with what is done ticked.
        missing: question id → key phrases that its latest answer did not say.
        left: how many steps are to do.
        ahead: the next one of the days to come, when all are done.
        countdown: how long until the interview.
        role: the id of the plan's role.
    """

    minutes: int
    steps: tuple[Step, ...]
    missing: dict[str, tuple[str, ...]]
    left: int
    ahead: Step | None
    countdown: str
    role: str


def today_of(
    plan: Plan | None,
    backend: Backend,
    attempts: Sequence[AttemptSummary],
    bank: Bank,
    now: date,
) -> Today | None:
    """What a plan has for a day; ``None``: there is none, or it has not begun or is over."""
    day = plan.today if plan else None
    if plan is None or day is None or day.date != now:
        return None
    role = plan.goal.role
    ahead = steps_of([plan.ahead], bank, role)[0] if plan.ahead and not day.left else None
    return Today(
        minutes=day.minutes,
        steps=tuple(steps_of(day.items, bank, role)),
        missing={
            each.name: still_missing(backend, attempts, each.name)
            for each in day.left
            if each.kind == "retry"
        },
        left=len(day.left),
        ahead=ahead,
        countdown=countdown(plan, now),
        role=role,
    )
