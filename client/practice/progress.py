"""Progress over time, computed from the history and the drills' cards by pure functions."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final

from client.backend.protocol import Backend, RejectedError
from question_bank.models import Bank, PlanWeek, RoundName
from server.contract import AttemptSummary, DrillCard, HistoryQuery, Report, Transcript, is_like

PAGE: Final = 500
REPORTS_READ: Final = 100
"""Reports looked through for terms: a month of daily practice, read in below a second."""
RETRY_AFTER: Final = timedelta(days=1)
"""A night between two answers: what is still known then was learned, not remembered."""
LEARNT_STABILITY_D: Final = 21.0
"""From here on an item is called learned: Anki calls a card mature after three weeks."""


@dataclass(frozen=True)
class ScoreLine:
    """The answers under one heading (a role, a topic).

    Attributes:
        name: the heading.
        questions: how many different questions were answered.
        attempts: how many answers there are.
        first: mean score of each question's first answer that can be compared with its latest, 0
            to 1.
        now: mean score of each question's latest answer.
        last_at: when it was last practiced.
    """

    name: str
    questions: int
    attempts: int
    first: float
    now: float
    last_at: datetime


@dataclass(frozen=True)
class QuestionLine:
    """The answers to one question: how many, the latest, and the first comparable with it."""

    question_id: str
    answers: int
    first: AttemptSummary
    latest: AttemptSummary


@dataclass(frozen=True)
class TermLine:
    """How often a term was said wrong, in answers and in drills; ``said``: with a clear verdict."""

    term: str
    mispronounced: int
    said: int


@dataclass(frozen=True)
class DrillLine:
    """One drill set: items with a card, those due, those learned, takes, takes said wrong."""

    name: str
    items: int
    due: int
    learned: int
    takes: int
    misses: int
    last_at: datetime


@dataclass(frozen=True)
class PlannedRound:
    """A round that a week of the plan asks for, and how often it was practiced."""

    round: RoundName
    attempts: int


@dataclass(frozen=True)
class DueSet:
    """How many items of one drill set are due."""

    name: str
    due: int


@dataclass(frozen=True)
class PlanStep:
    """The first round of the plan that was never practiced, with the week that asks for it."""

    week: int
    title: str
    round: RoundName


@dataclass(frozen=True)
class Retry:
    """A question worth another try: the latest answer to it was the weakest of all.

    Attributes:
        question_id: the question.
        prompt: what it asks.
        attempt_id: the latest answer to it.
        score: of that answer, 0 to 1.
        answered_at: when that was.
    """

    question_id: str
    prompt: str
    attempt_id: int
    score: float
    answered_at: datetime


@dataclass(frozen=True)
class DueToday:
    """What to practice today.

    Attributes:
        drills: the sets with items due, the most first.
        step: what comes next in the plan; ``None``: every round of it was practiced.
        retry: the question to answer again; ``None``: none is older than a day and incomplete.
    """

    drills: tuple[DueSet, ...]
    step: PlanStep | None
    retry: Retry | None


def due_today(
    bank: Bank, attempts: Sequence[AttemptSummary], cards: Iterable[DrillCard], now: datetime
) -> DueToday:
    """What to practice today, from the plan, the whole history and the drills' cards."""
    return DueToday(
        drills=due_sets(cards, now),
        step=next_step(bank.plan, attempts),
        retry=question_to_retry(bank, attempts, now),
    )


def all_attempts(backend: Backend, role: str | None = None) -> list[AttemptSummary]:
    """The whole history, newest first, of one role or of all."""
    attempts: list[AttemptSummary] = []
    while True:
        page = backend.history(HistoryQuery(role=role, limit=PAGE, offset=len(attempts)))
        attempts += page.attempts
        if not page.attempts or len(attempts) >= page.total:
            return attempts


def is_new(backend: Backend) -> bool:
    """Whether nothing was answered yet."""
    return backend.history(HistoryQuery(limit=1)).total == 0


def recent_reports(backend: Backend, attempts: Sequence[AttemptSummary]) -> list[Report]:
    """The reports of the newest attempts; one that cannot be read is left out."""
    return ReportReader(backend).recent(attempts)


class ReportReader:
    """Reads the reports of the newest attempts, each once while it stays the same.

    Only what was heard of the terms is remembered: without the words a hundred reports are small.
    """

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._known: dict[int, tuple[tuple[str, float], Report]] = {}

    def recent(self, attempts: Sequence[AttemptSummary]) -> list[Report]:
        """The reports without their words; one that cannot be read is left out.

        Args:
            attempts: the newest first.
        """
        known: dict[int, tuple[tuple[str, float], Report]] = {}
        for each in attempts[:REPORTS_READ]:
            found = self._known.get(each.id)
            # a server of an older version sends no tag
            state = each.report_tag, each.score
            if found is None or found[0] != state:
                try:
                    report = self._backend.attempt(each.id).report
                except RejectedError:  # damaged, or deleted in the meantime
                    continue
                found = state, report.model_copy(update={"transcript": Transcript(text="")})
            known[each.id] = found
        self._known |= known
        return [report for _, report in known.values()]


def score_lines(
    attempts: Iterable[AttemptSummary], heading: Callable[[AttemptSummary], str | None]
) -> list[ScoreLine]:
    """The answers by heading, the one practiced last first; those without one are left out."""

    def headings(attempt: AttemptSummary) -> tuple[str, ...]:
        name = heading(attempt)
        return (name,) if name else ()

    return score_lines_by(attempts, headings)


def score_lines_by(
    attempts: Iterable[AttemptSummary], headings: Callable[[AttemptSummary], Iterable[str]]
) -> list[ScoreLine]:
    """The answers by heading, as ``score_lines`` does; an answer may come under several."""
    groups: dict[str, dict[str, list[AttemptSummary]]] = defaultdict(lambda: defaultdict(list))
    for each in sorted(attempts, key=_order):
        for name in headings(each):
            groups[name][each.question_id].append(each)
    lines = [
        ScoreLine(
            name=name,
            questions=len(answers),
            attempts=sum(map(len, answers.values())),
            first=_mean([_first_like_latest(each).score for each in answers.values()]),
            now=_mean([each[-1].score for each in answers.values()]),
            last_at=max(each[-1].created_at for each in answers.values()),
        )
        for name, answers in groups.items()
    ]
    return sorted(lines, key=lambda line: line.last_at, reverse=True)


def latest_answers(attempts: Iterable[AttemptSummary]) -> dict[str, AttemptSummary]:
    """Question id → the latest answer to it."""
    return {each.question_id: each for each in sorted(attempts, key=_order)}


def question_lines(attempts: Iterable[AttemptSummary]) -> list[QuestionLine]:
    """The answered questions, the one answered last first."""
    answers: dict[str, list[AttemptSummary]] = defaultdict(list)
    for each in sorted(attempts, key=_order):
        answers[each.question_id].append(each)
    lines = [
        QuestionLine(name, len(said), _first_like_latest(said), said[-1])
        for name, said in answers.items()
    ]
    return sorted(lines, key=lambda line: _order(line.latest), reverse=True)


def term_lines(
    reports: Iterable[Report], drilled: Iterable[tuple[str, DrillCard]] = ()
) -> list[TermLine]:
    """The terms that were said wrong at all, the most often first.

    Args:
        reports: only what was heard counts, and only if the verdict is clear.
        drilled: terms with their drill cards.
    """
    wrong: Counter[str] = Counter()
    said: Counter[str] = Counter()
    for report in reports:
        for term in report.pronunciation.terms:
            if term.is_clear:
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
            learned=sum(map(is_learned, group)),
            takes=sum(card.reps for card in group),
            misses=sum(card.misses for card in group),
            last_at=max(card.last_reviewed_at for card in group),
        )
        for name, group in sorted(groups.items())
    ]


def is_learned(card: DrillCard) -> bool:
    """Whether an item was said right last and is expected to hold for three weeks."""
    return card.last_verdict == "correct" and card.stability >= LEARNT_STABILITY_D


def week_starts(weeks: Sequence[PlanWeek], interview: date | None) -> dict[int, date]:
    """The day each week of the plan begins; the last week ends on the day before the interview."""
    if interview is None:
        return {}
    return {
        week.week: interview - timedelta(weeks=len(weeks) - index)
        for index, week in enumerate(weeks)
    }


def planned_rounds(
    plan: Iterable[PlanWeek], attempts: Iterable[AttemptSummary]
) -> dict[int, tuple[PlannedRound, ...]]:
    """The rounds of each week with the answers given in them, by the week's number."""
    done = Counter(each.round for each in attempts)
    return {
        week.week: tuple(PlannedRound(name, done[name]) for name in week.rounds) for week in plan
    }


def due_sets(cards: Iterable[DrillCard], now: datetime) -> tuple[DueSet, ...]:
    """The sets with items due at a moment, the one with the most first."""
    due = Counter(card.drill_set for card in cards if card.due <= now)
    return tuple(
        DueSet(name, due[name]) for name in sorted(due, key=lambda name: (-due[name], name))
    )


def next_step(plan: Iterable[PlanWeek], attempts: Iterable[AttemptSummary]) -> PlanStep | None:
    """The first round of the plan without an answer; ``None``: there is none."""
    done = {each.round for each in attempts}
    for week in plan:
        for name in week.rounds:
            if name not in done:
                return PlanStep(week.week, week.title, name)
    return None


def question_to_retry(
    bank: Bank, attempts: Iterable[AttemptSummary], now: datetime
) -> Retry | None:
    """The question of the bank whose latest answer, a day old or older, has the lowest score."""
    prompts = {question.id: question.prompt for question in bank.questions}
    waiting = [
        each
        for each in latest_answers(attempts).values()
        if each.score < 1 and each.question_id in prompts and now - each.created_at >= RETRY_AFTER
    ]
    if not waiting:
        return None
    found = min(waiting, key=lambda each: (each.score, each.created_at))
    return Retry(
        question_id=found.question_id,
        prompt=prompts[found.question_id],
        attempt_id=found.id,
        score=found.score,
        answered_at=found.created_at,
    )


def _first_like_latest(answers: Sequence[AttemptSummary]) -> AttemptSummary:
    """The first of these answers, oldest first, that was graded as the latest was."""
    latest = answers[-1].grader_version
    return next(each for each in answers if is_like(each.grader_version, latest))


def _order(attempt: AttemptSummary) -> tuple[datetime, int]:
    return attempt.created_at, attempt.id


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
