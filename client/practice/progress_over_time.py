"""Progress by date: scores by week, and how each term was said, take by take."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo

from server.contract import AttemptSummary, Report, is_like


@dataclass(frozen=True)
class WeekScore:
    """The answers of one week.

    Attributes:
        monday: the week's first day.
        answers: how many answers there are.
        questions: how many different questions they answer.
        score: the mean score, 0 to 1, of those graded as the newest one was.
        grader: the version that graded the newest one.
    """

    monday: date
    answers: int
    questions: int
    score: float
    grader: str = ""


@dataclass(frozen=True)
class TermTake:
    """One place in an answer where a term was heard clearly."""

    said_at: datetime
    correct: bool


def week_scores(attempts: Iterable[AttemptSummary], zone: tzinfo | None = None) -> list[WeekScore]:
    """The weeks with answers, the oldest first.

    Args:
        attempts: in any order.
        zone: whose calendar; ``None``: this machine's.
    """
    weeks: dict[date, list[AttemptSummary]] = defaultdict(list)
    for each in attempts:
        day = each.created_at.astimezone(zone).date()
        weeks[day - timedelta(days=day.weekday())].append(each)
    return [_week(monday, group) for monday, group in sorted(weeks.items())]


def _week(monday: date, answers: Sequence[AttemptSummary]) -> WeekScore:
    grader = max(answers, key=lambda each: each.created_at).grader_version
    scores = [each.score for each in answers if is_like(each.grader_version, grader)]
    return WeekScore(
        monday=monday,
        answers=len(answers),
        questions=len({each.question_id for each in answers}),
        score=sum(scores) / len(scores),
        grader=grader,
    )


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
