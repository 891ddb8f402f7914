"""What coaches see beyond one attempt: a cohort at a glance, and the corrections collected."""

import csv
import io
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from statistics import fmean
from typing import Final

import yaml
from sqlalchemy import case, select

from server.attempts.corrections import IS_BY_OWNER, NOBODY
from server.attempts.read_reports import newest_report_id, read_reports
from server.contract import Report
from server.core.errors import NotFoundError
from server.db.audit import note
from server.db.database import MAX_ID, Database
from server.db.tables import AccountRow, AttemptRow, CohortMemberRow, CorrectionRow, ReportRow
from server.review.review_queue import is_shown_to
from server.ui.charts import Bar, Chart, ScorePoint, bar_chart, score_chart
from server.ui.exports.csv_table import to_cell

MOST_ANSWERS: Final = 500
"""Reports read for one page, the newest: reading more takes longer than a page may."""

MOST_TERMS: Final = 15
MOST_POINTS: Final = 120
"""Points of a chart that can still be distinguished."""


@dataclass(frozen=True)
class CandidateLine:
    """One candidate: what they share, and whether they improve.

    Attributes:
        account_id: for the filters.
        name: as others see them.
        answers: how many they share.
        last_at: when they made the newest of them.
        score: the mean score of the newest five.
        change: that minus the mean of the five before; ``None`` if there are none.
    """

    account_id: int
    name: str
    answers: int
    last_at: datetime | None
    score: float | None
    change: float | None


@dataclass(frozen=True)
class TermLine:
    """A mispronounced term: how often it was wrong, how often judged, and by how many people."""

    term: str
    wrong: int
    judged: int
    people: int


@dataclass(frozen=True)
class Overview:
    """``answers`` were read; ``left_out``: there are older ones that were not."""

    answers: int
    left_out: bool
    candidates: tuple[CandidateLine, ...]
    topics: Chart | None
    terms: tuple[TermLine, ...]
    scores: Chart | None


@dataclass(frozen=True)
class _Answer:
    owner_id: int
    created_at: datetime
    topic: str
    report: Report


def overview_of(database: Database, cohort_id: int, candidate_id: int | None = None) -> Overview:
    """The overview of a cohort, or of one candidate's answers in it.

    Args:
        database: the database.
        cohort_id: whose coaches ask; who may is asked before.
        candidate_id: only the answers of this candidate.
    """
    answers, left_out = _answers(database, cohort_id)
    people = _people(database, cohort_id)
    lines = tuple(
        _line(account_id, name, [each for each in answers if each.owner_id == account_id])
        for account_id, name in people
    )
    if candidate_id is not None:
        answers = [each for each in answers if each.owner_id == candidate_id]
    points = [
        ScorePoint(each.created_at, each.report.overall, each.report.grader_version)
        for each in answers
    ]
    return Overview(
        answers=len(answers),
        left_out=left_out,
        candidates=lines,
        topics=bar_chart(_topics(answers), title="Key phrases said, by topic", id_prefix="topics"),
        terms=_terms(answers),
        scores=score_chart(points[:MOST_POINTS], title="Scores over time", id_prefix="scores"),
    )


def _answers(database: Database, cohort_id: int) -> tuple[list[_Answer], bool]:
    """Newest first, as their reviewers corrected them."""
    wanted = (
        select(
            AttemptRow.id,
            AttemptRow.owner_id,
            AttemptRow.created_at,
            AttemptRow.topic,
            ReportRow.report,
        )
        .join(ReportRow, ReportRow.id == newest_report_id())
        .where(is_shown_to({cohort_id}))
        .order_by(AttemptRow.created_at.desc(), AttemptRow.id.desc())
        .limit(MOST_ANSWERS + 1)
    )
    with database.read() as session, database.readable("a report of this cohort"):
        rows = session.execute(wanted).all()
        shown = rows[:MOST_ANSWERS]
        read = read_reports(session, {row[0]: Report.model_validate(row[4]) for row in shown})
        answers = [
            _Answer(owner_id=row[1], created_at=row[2], topic=row[3], report=read[row[0]].report)
            for row in shown
        ]
    return answers, len(rows) > MOST_ANSWERS


def _people(database: Database, cohort_id: int) -> list[tuple[int, str]]:
    with database.read() as session:
        rows = session.execute(
            select(AccountRow.id, AccountRow.display_name)
            .join(CohortMemberRow, CohortMemberRow.account_id == AccountRow.id)
            .where(CohortMemberRow.cohort_id == cohort_id, CohortMemberRow.as_role == "candidate")
            .order_by(AccountRow.display_name, AccountRow.id)
        )
        return [(row[0], row[1]) for row in rows]


def _line(account_id: int, name: str, answers: list[_Answer]) -> CandidateLine:
    scores = [each.report.overall for each in answers]
    now = fmean(scores[:5]) if scores else None
    before = fmean(scores[5:10]) if len(scores) > 5 else None
    return CandidateLine(
        account_id=account_id,
        name=name,
        answers=len(answers),
        last_at=answers[0].created_at if answers else None,
        score=now,
        change=now - before if now is not None and before is not None else None,
    )


def _topics(answers: Iterable[_Answer]) -> list[Bar]:
    """The weakest first: that is where coaching helps most."""
    scores: dict[str, list[float]] = defaultdict(list)
    for each in answers:
        scores[each.topic].append(each.report.overall)
    bars = [
        Bar(topic, fmean(each), f"{len(each)} answer{'' if len(each) == 1 else 's'}")
        for topic, each in scores.items()
    ]
    return sorted(bars, key=lambda bar: (bar.share, bar.name))


def _terms(answers: Iterable[_Answer]) -> tuple[TermLine, ...]:
    wrong: Counter[str] = Counter()
    judged: Counter[str] = Counter()
    people: dict[str, set[int]] = defaultdict(set)
    for each in answers:
        for term in each.report.pronunciation.terms:
            judged[term.term] += term.verdict != "unclear"
            if term.verdict == "mispronounced":
                wrong[term.term] += 1
                people[term.term].add(each.owner_id)
    lines = [
        TermLine(term, count, judged[term], len(people[term])) for term, count in wrong.items()
    ]
    return tuple(sorted(lines, key=lambda line: (-line.wrong, line.term))[:MOST_TERMS])


MOST_CORRECTIONS: Final = 1_000
"""On one page or in one file; resolving some makes room for others."""


@dataclass(frozen=True)
class Collected:
    """One corrected verdict, without a word of the answer and without its owner.

    ``has_account``: ``author`` is an account here, not a name from a merged file. ``attempt_id`` is
    given only to people whom the attempt is shared with: an editor of the bank need not be a coach
    of its owner.
    """

    id: int
    question_id: str
    target: str
    name: str
    verdict: str
    note: str
    author: str
    has_account: bool
    created_at: datetime
    resolved_at: datetime | None
    attempt_id: int | None


def collect(
    database: Database, coached: Collection[int], *, resolved: bool = False
) -> list[Collected]:
    """The open corrections of reviewers (or the resolved ones), oldest first."""
    readable = case((is_shown_to(coached), AttemptRow.id), else_=None)
    with database.read() as session:
        rows = session.execute(
            select(CorrectionRow, AttemptRow.question_id, AccountRow.display_name, readable)
            .join(AttemptRow, AttemptRow.id == CorrectionRow.attempt_id)
            .join(AccountRow, AccountRow.id == CorrectionRow.author_id, isouter=True)
            .where(
                CorrectionRow.resolved_at.is_not(None)
                if resolved
                else CorrectionRow.resolved_at.is_(None),
                ~IS_BY_OWNER,
            )
            .order_by(CorrectionRow.created_at, CorrectionRow.id)
            .limit(MOST_CORRECTIONS)
        )
        return [
            Collected(
                id=row.id,
                question_id=question_id,
                target=row.target,
                name=row.name,
                verdict=row.verdict,
                note=row.note,
                author=name or row.guest_name or NOBODY,
                has_account=row.author_id is not None,
                created_at=row.created_at,
                resolved_at=row.resolved_at,
                attempt_id=attempt_id,
            )
            for row, question_id, name, attempt_id in rows
        ]


def resolve(
    database: Database, correction_id: int, by: int | None, now: datetime, *, is_open: bool = False
) -> None:
    """Marks a correction as resolved by an editor; the attempt's report stays corrected.

    Raises:
        NotFoundError: there is no such correction.
    """
    with database.write() as session:
        row = session.get(CorrectionRow, correction_id) if 0 < correction_id <= MAX_ID else None
        if row is None:
            raise NotFoundError(f"there is no correction {correction_id}")
        row.resolved_at = None if is_open else now
        note(session, now, by, "correction.resolve", f"correction {correction_id}")


_COLUMNS: Final = ("question_id", "target", "name", "verdict", "note", "author", "created_at")


def to_csv(corrections: Sequence[Collected]) -> str:
    """One line each, safe to open in a spreadsheet."""
    file = io.StringIO(newline="")
    writer = csv.writer(file)
    writer.writerow(_COLUMNS)
    for each in corrections:
        writer.writerow([to_cell(value) for value in _values(each)])
    return file.getvalue()


def to_yaml(corrections: Sequence[Collected]) -> str:
    """A list of entries, by question, for an editor to read beside the bank's own YAML."""
    entries = [dict(zip(_COLUMNS, _values(each), strict=True)) for each in corrections]
    entries.sort(key=lambda each: (each["question_id"], each["target"], each["name"]))
    text: str = yaml.safe_dump({"corrections": entries}, sort_keys=False, allow_unicode=True)
    return text


def _values(each: Collected) -> tuple[str, ...]:
    when = each.created_at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return (each.question_id, each.target, each.name, each.verdict, each.note, each.author, when)
