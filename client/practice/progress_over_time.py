"""Progress by day, from the first day on, and what was mastered. Pure functions."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, tzinfo
from itertools import pairwise
from statistics import fmean, median
from typing import Final

from client.practice.drills.phrases import own_errors
from server.contract import AttemptSummary, Report, is_like
from server.ui.delivery_view import METRICS

SPREAD_FROM: Final = 3
"""First answers from which their spread is told: two differences, the fewest that have a mean."""
PER_DIFFERENCE: Final = 1.128
"""The mean difference of two draws is so many standard deviations (d2 of Shewhart's charts for
individual values; NIST/SEMATECH e-Handbook of Statistical Methods, 6.3.2.2)."""
BAND: Final = 2.0
"""Standard deviations to either side: 19 of 20 days of somebody who does not change lie within."""
IN_A_ROW: Final = 2
"""A term said wrong before counts as mastered when it was right so many times since."""
RANGE_FROM: Final = 5
"""Answers from which a median and a range of one's own are shown."""
CLEAN_ANSWERS: Final = 5
"""An error noted before counts as mastered after so many answers without it."""


@dataclass(frozen=True)
class DayScore:
    """The scores of one day, 0 to 1: of first answers to a question, and of repeats."""

    day: date
    firsts: tuple[float, ...]
    repeats: tuple[float, ...]


@dataclass(frozen=True)
class DayDelivery:
    """How the answers of one day were said; ``None`` where nothing was measured.

    Attributes:
        words_per_minute: mean of the answers.
        fillers: per minute, a lower bound.
        notes: remarks on the language, per 100 words of the answers whose English was judged.
    """

    day: date
    words_per_minute: float | None
    fillers: float | None
    notes: float | None


@dataclass(frozen=True)
class Spread:
    """Where the mean of a day lies for a speaker who does not change.

    Attributes:
        low: of the band, 0 to 1.
        high: likewise.
        answers: first answers that it is computed from.
    """

    low: float
    high: float
    answers: int


@dataclass(frozen=True)
class Mastered:
    """What went wrong once and does not any more.

    Attributes:
        terms: mispronounced before, right since.
        phrases: key phrases missing from an earlier answer and said in the latest, with the
            question's id.
        phrases_missed: how many were missing from an earlier answer at all.
        errors: kinds of language notes that no longer come.
    """

    terms: tuple[str, ...]
    phrases: tuple[tuple[str, str], ...]
    phrases_missed: int
    errors: tuple[str, ...]


@dataclass(frozen=True)
class OwnRange:
    """A measure of the delivery over the candidate's own answers.

    ``name``: with its unit. ``digits``: to write a value.
    """

    name: str
    median: float
    low: float
    high: float
    latest: float
    answers: int
    digits: int

    def text(self, value: float) -> str:
        """A value as it is written."""
        return f"{value:.{self.digits}f}"


@dataclass(frozen=True)
class KindLine:
    """The language remarks of one kind.

    Attributes:
        kind: as people read it.
        notes: how many there are.
        before: per 100 words, in the answers before the latest ``CLEAN_ANSWERS``; ``None``: there
            are no answers before.
        now: per 100 words, in the latest.
        open: errors to be said right.
        said_right: errors said right twice since.
        mastered: it no longer comes.
    """

    kind: str
    notes: int
    before: float | None
    now: float | None
    open: int
    said_right: int
    mastered: bool


@dataclass(frozen=True)
class TermTake:
    """One place in an answer where a term was heard clearly."""

    said_at: datetime
    correct: bool


def graded_before(attempts: Sequence[AttemptSummary]) -> int:
    """How many attempts have scores that cannot be compared with the newest one's."""
    grader = _newest_grader(attempts)
    return sum(not is_like(each.grader_version, grader) for each in attempts)


def day_scores(attempts: Sequence[AttemptSummary], zone: tzinfo | None = None) -> list[DayScore]:
    """The days with answers graded as the newest one was, the oldest first.

    Args:
        attempts: in any order.
        zone: whose calendar; ``None``: this machine's.
    """
    grader = _newest_grader(attempts)
    tried: set[str] = set()
    firsts: defaultdict[date, list[float]] = defaultdict(list)
    repeats: defaultdict[date, list[float]] = defaultdict(list)
    for each in sorted(attempts, key=lambda each: (each.created_at, each.id)):
        if is_like(each.grader_version, grader):
            day = each.created_at.astimezone(zone).date()
            (repeats if each.question_id in tried else firsts)[day].append(each.score)
        tried.add(each.question_id)
    days = sorted({*firsts, *repeats})
    return [DayScore(day, tuple(firsts[day]), tuple(repeats[day])) for day in days]


def spread_of(days: Sequence[DayScore]) -> Spread | None:
    """The band that the days of an unchanged speaker lie in; ``None``: too few first answers.

    Only first answers count: a repeat is better because the report was read. The deviation comes
    from the differences between one answer and the next, so that progress does not widen the band.
    """
    scores = [score for day in days for score in day.firsts]
    if len(scores) < SPREAD_FROM:
        return None
    deviation = fmean(abs(after - before) for before, after in pairwise(scores)) / PER_DIFFERENCE
    a_day = fmean(len(day.firsts) for day in days if day.firsts)
    half, middle = BAND * deviation / a_day**0.5, fmean(scores)
    return Spread(max(0.0, middle - half), min(1.0, middle + half), len(scores))


def day_deliveries(reports: Iterable[Report], zone: tzinfo | None = None) -> list[DayDelivery]:
    """Pace, fillers and language by day, the oldest first."""
    days: defaultdict[date, list[Report]] = defaultdict(list)
    for report in reports:
        days[report.created_at.astimezone(zone).date()].append(report)
    return [_delivery(day, group) for day, group in sorted(days.items())]


def own_ranges(reports: Iterable[Report]) -> list[OwnRange]:
    """The measures of the delivery that ``RANGE_FROM`` answers have."""
    ordered = [each.delivery for each in sorted(reports, key=lambda report: report.created_at)]
    ranges = []
    for each in METRICS:
        values = [value for said in ordered if (value := each.of(said)) is not None]
        if len(values) >= RANGE_FROM:
            middle, low, high, latest = median(values), min(values), max(values), values[-1]
            own = OwnRange(each.title, middle, low, high, latest, len(values), each.digits)
            ranges.append(own)
    return ranges


def mastered(reports: Iterable[Report]) -> Mastered:
    """What went wrong once and does not any more."""
    ordered = sorted(reports, key=lambda report: report.created_at)
    terms = tuple(
        term
        for term, takes in sorted(term_takes(ordered).items())
        if any(not take.correct for take in takes[:-IN_A_ROW])
        and all(take.correct for take in takes[-IN_A_ROW:])
    )
    missed: dict[tuple[str, str], bool] = {}
    for report in ordered:
        for phrase in report.coverage.phrases:
            key = phrase.phrase, report.question_id
            if phrase.status == "missing":
                missed[key] = False
            elif phrase.status == "covered" and key in missed:
                missed[key] = True
    return Mastered(
        terms=terms,
        phrases=tuple(key for key, said in missed.items() if said),
        phrases_missed=len(missed),
        errors=tuple(sorted(each.kind for each in kind_lines(ordered) if each.mastered)),
    )


def kind_lines(reports: Iterable[Report]) -> list[KindLine]:
    """The language remarks by kind, those that still come first, then by their number.

    Only answers whose English was judged count.
    """
    known = sorted(reports, key=lambda report: report.created_at)
    ordered = [report for report in known if report.is_english_judged]
    before, latest = ordered[:-CLEAN_ANSWERS], ordered[-CLEAN_ANSWERS:]
    errors = own_errors(known)

    def noted(among: Sequence[Report], kind: str) -> int:
        return sum(note.kind == kind for report in among for note in report.language.notes)

    def rate(among: Sequence[Report], kind: str) -> float | None:
        words = sum(report.delivery.words for report in among)
        return 100 * noted(among, kind) / words if words else None

    lines = []
    for kind in {note.kind for report in ordered for note in report.language.notes}:
        learnt = [each.is_mastered for each in errors if each.note.kind == kind]
        lines.append(
            KindLine(
                kind=kind.replace("_", " "),
                notes=noted(ordered, kind),
                before=rate(before, kind),
                now=rate(latest, kind),
                open=learnt.count(False),
                said_right=learnt.count(True),
                mastered=noted(latest, kind) == 0,
            )
        )
    return sorted(lines, key=lambda each: (each.mastered, -each.notes, each.kind))


def term_takes(reports: Iterable[Report]) -> dict[str, tuple[TermTake, ...]]:
    """For each term how it was said, the oldest take first; unclear ones say nothing."""
    takes: dict[str, list[TermTake]] = defaultdict(list)
    for report in sorted(reports, key=lambda report: report.created_at):
        # a report lists the worst first; along the answer is what a reader expects
        in_order = sorted(report.pronunciation.terms, key=lambda term: term.start_s or 0.0)
        for term in in_order:
            if term.source == "acoustic" and term.verdict != "unclear":
                takes[term.term].append(TermTake(report.created_at, term.verdict == "correct"))
    return {term: tuple(said) for term, said in takes.items()}


def _newest_grader(attempts: Iterable[AttemptSummary]) -> str:
    newest = max(attempts, key=lambda each: (each.created_at, each.id), default=None)
    return newest.grader_version if newest else ""


def _delivery(day: date, reports: Sequence[Report]) -> DayDelivery:
    spoken = [each.delivery for each in reports if each.delivery.answer_s]
    minutes = sum(each.answer_s or 0.0 for each in spoken) / 60
    paced = [each.words_per_minute for each in spoken if each.words_per_minute is not None]
    judged = [each for each in reports if each.is_english_judged]
    words = sum(each.delivery.words for each in judged)
    return DayDelivery(
        day=day,
        words_per_minute=fmean(paced) if paced else None,
        fillers=sum(len(each.fillers) for each in spoken) / minutes if minutes else None,
        notes=100 * sum(len(each.language.notes) for each in judged) / words if words else None,
    )
