"""Progress over time, computed from the history and the drills' cards by pure functions."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from client.backend.protocol import Backend, RejectedError
from client.practice.drills.phrases import OwnError, Phrase, own_errors
from server.contract import AttemptSummary, DrillCard, HistoryQuery, Report, Transcript, is_like

PAGE: Final = 500
REPORTS_READ: Final = 100
"""Reports looked through for terms: a month of daily practice, read in below a second."""
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


class ReportReader:
    """Reads the reports of the newest attempts, each once while it stays the same.

    The words' times are forgotten: without them a hundred reports are small.
    """

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._known: dict[int, tuple[tuple[str, float], Report]] = {}

    def recent(self, attempts: Sequence[AttemptSummary] | None = None) -> list[Report]:
        """The reports without their words' times; one that cannot be read is left out.

        Args:
            attempts: the newest first; ``None``: of everything.
        """
        if attempts is None:
            attempts = self._backend.history(HistoryQuery(limit=REPORTS_READ)).attempts
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
                whole = report.transcript
                said = Transcript(text=whole.text, engine=whole.engine)
                found = state, report.model_copy(update={"transcript": said})
            known[each.id] = found
        self._known |= known
        return [report for _, report in known.values()]

    def forget(self, attempt_id: int) -> None:
        """Read this one again: remarks on its language came, which change no tag."""
        self._known.pop(attempt_id, None)

    def errors(self, attempts: Sequence[AttemptSummary] | None = None) -> list[OwnError]:
        """The person's own errors of language in these answers, or in the newest."""
        return own_errors(self.recent(attempts))

    def phrases(self) -> list[Phrase]:
        """What to say of them."""
        return [each.phrase for each in self.errors()]


def score_lines(
    attempts: Iterable[AttemptSummary], headings: Callable[[AttemptSummary], Iterable[str | None]]
) -> list[ScoreLine]:
    """The answers by heading, the one practiced last first; an answer may come under several."""
    groups: dict[str, dict[str, list[AttemptSummary]]] = defaultdict(lambda: defaultdict(list))
    for each in sorted(attempts, key=_order):
        for name in filter(None, headings(each)):
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


def _first_like_latest(answers: Sequence[AttemptSummary]) -> AttemptSummary:
    """The first of these answers, oldest first, that was graded as the latest was."""
    latest = answers[-1].grader_version
    return next(each for each in answers if is_like(each.grader_version, latest))


def _order(attempt: AttemptSummary) -> tuple[datetime, int]:
    return attempt.created_at, attempt.id


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
