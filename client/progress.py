"""How practice goes over time: from the history and the drills' cards, pure functions."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from client.backend import Backend, RejectedError
from question_bank.models import PlanWeek, RoundName
from server.contract import AttemptSummary, HistoryQuery, Report
from server.drill_contract import DrillCard

__all__ = [
    "DrillLine",
    "PlannedRound",
    "ScoreLine",
    "TermLine",
    "all_attempts",
    "drill_lines",
    "planned_rounds",
    "recent_reports",
    "score_lines",
    "term_lines",
]

PAGE: Final = 500
REPORTS_READ: Final = 100
"""Reports looked through for terms: a month of daily practice, read in below a second."""


@dataclass(frozen=True)
class ScoreLine:
    """The answers under one heading (a role, a topic).

    Attributes:
        name: the heading.
        questions: how many different questions were answered.
        attempts: how many answers there are.
        first: mean score of each question's first answer, 0 to 1.
        now: mean score of each question's latest answer.
        last_at: when it was last practised.
    """

    name: str
    questions: int
    attempts: int
    first: float
    now: float
    last_at: datetime


@dataclass(frozen=True)
class TermLine:
    """How often a term was said wrong, in answers and in drills; ``said``: with a clear verdict."""

    term: str
    mispronounced: int
    said: int


@dataclass(frozen=True)
class DrillLine:
    """One drill set: items with a card, those due, takes said wrong, and when it was practised."""

    name: str
    items: int
    due: int
    takes: int
    misses: int
    last_at: datetime


@dataclass(frozen=True)
class PlannedRound:
    """A round that a week of the plan asks for, and how often it was practised."""

    round: RoundName
    attempts: int


def all_attempts(backend: Backend, role: str | None = None) -> list[AttemptSummary]:
    """The whole history, newest first, of one role or of all."""
    attempts: list[AttemptSummary] = []
    while True:
        page = backend.history(HistoryQuery(role=role, limit=PAGE, offset=len(attempts)))
        attempts += page.attempts
        if not page.attempts or len(attempts) >= page.total:
            return attempts


def recent_reports(backend: Backend, attempts: Sequence[AttemptSummary]) -> list[Report]:
    """The reports of the newest attempts; one that cannot be read is left out."""
    reports: list[Report] = []
    for each in attempts[:REPORTS_READ]:
        try:
            reports.append(backend.attempt(each.id).report)
        except RejectedError:  # damaged, or deleted in the meantime
            continue
    return reports


def score_lines(
    attempts: Iterable[AttemptSummary], heading: Callable[[AttemptSummary], str | None]
) -> list[ScoreLine]:
    """The answers by heading, the one practised last first; those without one are left out."""
    groups: dict[str, dict[str, list[AttemptSummary]]] = defaultdict(lambda: defaultdict(list))
    for each in sorted(attempts, key=lambda each: (each.created_at, each.id)):
        name = heading(each)
        if name:
            groups[name][each.question_id].append(each)
    lines = [
        ScoreLine(
            name=name,
            questions=len(answers),
            attempts=sum(map(len, answers.values())),
            first=_mean([each[0].score for each in answers.values()]),
            now=_mean([each[-1].score for each in answers.values()]),
            last_at=max(each[-1].created_at for each in answers.values()),
        )
        for name, answers in groups.items()
    ]
    return sorted(lines, key=lambda line: line.last_at, reverse=True)


def term_lines(
    reports: Iterable[Report], drilled: Iterable[tuple[str, DrillCard]] = ()
) -> list[TermLine]:
    """The terms that were said wrong at all, the most often first.

    Args:
        reports: only what was heard counts, and only where the verdict is clear.
        drilled: terms with their drill cards.
    """
    wrong: Counter[str] = Counter()
    said: Counter[str] = Counter()
    for report in reports:
        for term in report.pronunciation.terms:
            if term.source == "acoustic" and term.verdict != "unclear":
                said[term.term] += 1
                wrong[term.term] += term.verdict == "mispronounced"
    for name, card in drilled:
        said[name] += card.reps
        wrong[name] += card.misses
    lines = [TermLine(name, wrong[name], said[name]) for name in said if wrong[name]]
    return sorted(lines, key=lambda line: (-line.mispronounced, line.said, line.term))


def drill_lines(cards: Iterable[DrillCard], now: datetime) -> list[DrillLine]:
    """The drilled items by set, in the order of the sets' names."""
    groups: dict[str, list[DrillCard]] = defaultdict(list)
    for card in cards:
        groups[card.drill_set].append(card)
    return [
        DrillLine(
            name=name,
            items=len(group),
            due=sum(card.due <= now for card in group),
            takes=sum(card.reps for card in group),
            misses=sum(card.misses for card in group),
            last_at=max(card.last_reviewed_at for card in group),
        )
        for name, group in sorted(groups.items())
    ]


def planned_rounds(
    plan: Iterable[PlanWeek], attempts: Iterable[AttemptSummary]
) -> dict[int, tuple[PlannedRound, ...]]:
    """The rounds of each week with the answers given in them, by the week's number."""
    done = Counter(each.round for each in attempts)
    return {
        week.week: tuple(PlannedRound(name, done[name]) for name in week.rounds) for week in plan
    }


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
