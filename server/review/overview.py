"""A coach's overview: a cohort at a glance, and its corrected verdicts."""

import logging
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from statistics import fmean
from typing import Final, NamedTuple

import yaml
from sqlalchemy import ColumnElement, Row, Select, case, func, literal_column, select
from sqlalchemy.orm import Session

from server.attempts.answer_facts import keep_parts
from server.attempts.corrections import IS_BY_OWNER, NOBODY
from server.attempts.read_reports import read_reports
from server.contract import Report
from server.core.errors import StoreError
from server.db.database import Database, audit, row_of
from server.db.tables import (
    AccountRow,
    AnswerFactsRow,
    AttemptRow,
    CohortMemberRow,
    CorrectionRow,
    PhraseFactsRow,
    ReportRow,
    RubricScoreRow,
    TermFactsRow,
)
from server.review.store import rubric_of
from server.sharing.shown import shown_ids
from server.ui.charts import Bar, Chart, ScorePoint, bar_chart, score_chart
from server.ui.exports.csv_table import csv_text

logger = logging.getLogger(__name__)

_BATCH: Final = 200


def refresh_facts(database: Database, chosen: ColumnElement[bool]) -> None:
    """Brings the facts of some answers up to date with their corrections.

    If the database cannot be written, they stay as they are, and pages can still be read.

    Args:
        database: the database.
        chosen: which answers, by the columns of ``AnswerFactsRow``.
    """
    with database.read() as session:
        given = _given(session, chosen)
        known = _known(session, chosen)
    outdated = [each for each in given.keys() | known.keys() if given.get(each) != known.get(each)]
    try:
        for start in range(0, len(outdated), _BATCH):
            batch = outdated[start : start + _BATCH]
            with database.write() as session:
                database.alone(session, "facts")
                _correct(session, {each: given.get(each, _NO_CORRECTIONS) for each in batch})
    except StoreError as error:
        logger.error("facts are out of date: %s", error)


_Mark = tuple[int, int, datetime | None]
"""A fingerprint of the corrections: their number, the sum of their IDs, the time of the last."""

_NO_CORRECTIONS: Final[_Mark] = (0, 0, None)


def _given(session: Session, chosen: ColumnElement[bool]) -> dict[int, _Mark]:
    """The corrections of each of these answers that has any."""
    facts = AnswerFactsRow
    marks = (
        select(
            CorrectionRow.attempt_id,
            func.count(),
            func.sum(CorrectionRow.id),
            func.max(CorrectionRow.created_at),
        )
        .join(facts, facts.attempt_id == CorrectionRow.attempt_id)
        .where(chosen)
        .group_by(CorrectionRow.attempt_id)
    )
    return {row[0]: (row[1], int(row[2]), row[3]) for row in session.execute(marks)}


def _known(session: Session, chosen: ColumnElement[bool]) -> dict[int, _Mark]:
    """The corrections that facts were made with, if there were any.

    The 0 is no parameter, because only then is the index of these facts used.
    """
    facts = AnswerFactsRow
    marks = select(
        facts.attempt_id, facts.corrections, facts.corrections_ids, facts.corrected_at
    ).where(facts.corrections > literal_column("0"), chosen)
    return {row[0]: (row[1], row[2], row[3]) for row in session.execute(marks)}


def _correct(session: Session, marks: dict[int, _Mark]) -> None:
    reports = (
        select(ReportRow.attempt_id, ReportRow.report)
        .join(AnswerFactsRow, AnswerFactsRow.report_id == ReportRow.id)
        .where(AnswerFactsRow.attempt_id.in_(marks))
    )
    if session.get_bind().dialect.name == "sqlite":  # PostgreSQL keeps nothing else
        reports = reports.where(func.json_valid(ReportRow.report) == 1)
    graded: dict[int, Report] = {}
    for attempt_id, report in session.execute(reports):
        try:
            graded[attempt_id] = Report.model_validate(report)
        except ValueError:  # opening the attempt reports it; its facts stay
            continue
    read = read_reports(session, graded)
    for attempt_id, mark in marks.items():
        facts = session.get(AnswerFactsRow, attempt_id)
        if facts is None:  # deleted in the meantime
            continue
        facts.corrections, facts.corrections_ids, facts.corrected_at = mark
        if attempt_id in read:
            report = read[attempt_id].report
            facts.score = report.overall
            keep_parts(session.connection(), attempt_id, report)


MOST_LINES: Final = 15
"""The most terms, and the most key phrases, that a page lists."""
NEWEST: Final = 1000
"""Answers whose terms and key phrases are counted, because what a cohort still gets wrong is in its
newest; in 10,000 answers it would take 0.1 s."""
MOST_POINTS: Final = 120
"""Points of a chart that can still be distinguished."""


@dataclass(frozen=True)
class CandidateLine:
    """One candidate: what they share, and whether they are improving.

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
    """A mispronounced term: how often it was wrong, how often judged, and for how many people."""

    term: str
    wrong: int
    judged: int
    people: int


@dataclass(frozen=True)
class PhraseLine:
    """A key phrase: how many answers missed it, to how many it belongs, and how many people did."""

    phrase: str
    missed: int
    asked: int
    people: int


@dataclass(frozen=True)
class CriterionLine:
    """A criterion of the rubric: the mean of the scores given for it, and to how many answers."""

    name: str
    mean: float
    scale: int | None
    answers: int


@dataclass(frozen=True)
class Overview:
    """What a cohort's candidates, or one of them, share with it.

    ``newest``: how many of the answers ``phrases`` and ``terms`` count.
    """

    answers: int
    candidates: tuple[CandidateLine, ...]
    topics: Chart | None
    phrases: tuple[PhraseLine, ...]
    newest: int
    terms: tuple[TermLine, ...]
    scores: Chart | None
    criteria: tuple[CriterionLine, ...]


_Answer = Row[int, int | None, str, float]
"""``attempt_id``, ``owner_id``, ``topic`` and ``score``, as database rows because there are
thousands."""


class _Made(NamedTuple):
    """When an answer was made, and the version of the grader that gave its score."""

    at: datetime
    grader_version: str


def overview_of(database: Database, cohort_id: int, candidate_id: int | None = None) -> Overview:
    """The overview of a cohort, or of one candidate's answers in it.

    Args:
        database: the database.
        cohort_id: the cohort; the caller has checked access.
        candidate_id: only the answers of this candidate.
    """
    candidates = select(CohortMemberRow.account_id).where(
        CohortMemberRow.cohort_id == cohort_id, CohortMemberRow.as_role == "candidate"
    )
    owners: ColumnElement[bool] = AnswerFactsRow.owner_id.in_(candidates)
    refresh_facts(database, owners)
    answers = _answers(database, shown_ids({cohort_id}))
    people = _people(database, cohort_id)
    of_person: dict[int | None, list[_Answer]] = defaultdict(list)
    for each in answers:
        of_person[each[1]].append(each)
    chosen = answers
    if candidate_id is not None:
        chosen, owners = of_person[candidate_id], AnswerFactsRow.owner_id == candidate_id
    drawn = chosen[:MOST_POINTS]
    newest = [each[0] for each in of_person.values() if each]
    made = _made(database, {each.attempt_id for each in (*drawn, *newest)})
    lines = tuple(
        _line(account_id, name, of_person[account_id], made) for account_id, name in people
    )
    ids = [each[0] for each in chosen[:NEWEST]]
    points = [
        ScorePoint(when.at, each.score, when.grader_version)
        for each in drawn
        if (when := made.get(each.attempt_id)) is not None  # deleted in the meantime
    ]
    return Overview(
        answers=len(chosen),
        candidates=lines,
        topics=bar_chart(_topics(chosen), title="Mean score, by topic", id_prefix="topics"),
        phrases=_phrases(database, ids),
        newest=len(ids),
        terms=_terms(database, ids),
        scores=score_chart(points, title="Scores over time", id_prefix="scores"),
        criteria=_criteria(database, owners, cohort_id),
    )


def _answers(database: Database, shown: Select[int]) -> Sequence[_Answer]:
    """Newest first, with corrections; only the fields that are summed up."""
    facts = AnswerFactsRow
    wanted = (
        select(facts.attempt_id, facts.owner_id, facts.topic, facts.score)
        .where(facts.attempt_id.in_(shown))
        .order_by(facts.created_at.desc(), facts.attempt_id.desc())
    )
    with database.connect() as connection:
        return connection.execute(wanted).all()


def _made(database: Database, attempt_ids: Collection[int]) -> dict[int, _Made]:
    facts = AnswerFactsRow
    wanted = select(facts.attempt_id, facts.created_at, facts.grader_version).where(
        database.one_of(facts.attempt_id, attempt_ids)
    )
    with database.connect() as connection:
        return {row[0]: _Made(row[1], row[2]) for row in connection.execute(wanted)}


def _people(database: Database, cohort_id: int) -> list[tuple[int, str]]:
    with database.connect() as connection:
        rows = connection.execute(
            select(AccountRow.id, AccountRow.display_name)
            .join(CohortMemberRow, CohortMemberRow.account_id == AccountRow.id)
            .where(CohortMemberRow.cohort_id == cohort_id, CohortMemberRow.as_role == "candidate")
            .order_by(AccountRow.display_name, AccountRow.id)
        )
        return [(row[0], row[1]) for row in rows]


def _line(
    account_id: int, name: str, answers: Sequence[_Answer], made: Mapping[int, _Made]
) -> CandidateLine:
    scores = [each.score for each in answers[:10]]
    newest = made.get(answers[0].attempt_id) if answers else None
    now = fmean(scores[:5]) if scores else None
    before = fmean(scores[5:10]) if len(scores) > 5 else None
    return CandidateLine(
        account_id=account_id,
        name=name,
        answers=len(answers),
        last_at=None if newest is None else newest.at,
        score=now,
        change=now - before if now is not None and before is not None else None,
    )


def _topics(answers: Iterable[_Answer]) -> list[Bar]:
    """The weakest first, where coaching helps most."""
    scores: dict[str, list[float]] = defaultdict(list)
    for _, _, topic, score in answers:
        scores[topic].append(score)
    bars = [
        Bar(topic, fmean(each), f"{len(each)} answer{'' if len(each) == 1 else 's'}")
        for topic, each in scores.items()
    ]
    return sorted(bars, key=lambda bar: (bar.share, bar.name))


def _terms(database: Database, attempt_ids: Collection[int]) -> tuple[TermLine, ...]:
    facts = TermFactsRow
    wrong = func.sum(facts.wrong)
    people = func.count(case((facts.wrong > 0, AnswerFactsRow.owner_id)).distinct())
    wanted = (
        select(facts.term, wrong, func.sum(facts.judged), people)
        .join(AnswerFactsRow, AnswerFactsRow.attempt_id == facts.attempt_id)
        # filtering on this table, not the other, saves a fifth of the time
        .where(database.one_of(AnswerFactsRow.attempt_id, attempt_ids))
        .group_by(facts.term)
        .having(wrong > 0)
        .order_by(wrong.desc(), facts.term)
        .limit(MOST_LINES)
    )
    with database.connect() as connection:
        return tuple(TermLine(*row) for row in connection.execute(wanted))


def _phrases(database: Database, attempt_ids: Collection[int]) -> tuple[PhraseLine, ...]:
    facts = PhraseFactsRow
    missed = func.sum(facts.missed)
    people = func.count(case((facts.missed > 0, AnswerFactsRow.owner_id)).distinct())
    wanted = (
        select(facts.phrase, missed, func.count(), people)
        .join(AnswerFactsRow, AnswerFactsRow.attempt_id == facts.attempt_id)
        .where(database.one_of(AnswerFactsRow.attempt_id, attempt_ids))
        .group_by(facts.phrase)
        .having(missed > 0)
        .order_by(missed.desc(), facts.phrase)
        .limit(MOST_LINES)
    )
    with database.connect() as connection:
        return tuple(PhraseLine(*row) for row in connection.execute(wanted))


def _criteria(
    database: Database, owners: ColumnElement[bool], cohort_id: int
) -> tuple[CriterionLine, ...]:
    """In the rubric's order; criteria that it no longer has come last.

    Few answers have scores: with the sum, SQLite looks only whether those are shown.
    """
    given, facts = RubricScoreRow, AnswerFactsRow
    wanted = (
        select(given.criterion, func.avg(given.score), func.count(given.attempt_id.distinct()))
        .join(facts, facts.attempt_id == given.attempt_id)
        .where(owners, (given.attempt_id + 0).in_(shown_ids({cohort_id})))
        .group_by(given.criterion)
        .order_by(given.criterion)
    )
    with database.read() as session, database.readable("a cohort's rubric"):
        scales = {each.name: each.scale for each in rubric_of(session, [cohort_id]).criteria}
        lines = [
            CriterionLine(name, float(mean), scales.get(name), answers)
            for name, mean, answers in session.execute(wanted)
        ]
    place = {name: number for number, name in enumerate(scales)}
    return tuple(sorted(lines, key=lambda line: place.get(line.name, len(place))))


MOST_CORRECTIONS: Final = 1_000
"""The most corrections on one page or in one file; resolving some makes room for others."""


@dataclass(frozen=True)
class EditorsCorrection:
    """One corrected verdict, without a word of the answer and without its owner.

    ``has_account``: ``author`` is an account here, not a name from a merged file. ``attempt_id`` is
        set only for people with whom the attempt is shared, because an editor of the bank need not
        coach its owner.
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
) -> list[EditorsCorrection]:
    """The open corrections of reviewers (or the resolved ones), oldest first."""
    readable = case((AttemptRow.id.in_(shown_ids(coached)), AttemptRow.id), else_=None)
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
            EditorsCorrection(
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
        row = row_of(session, CorrectionRow, correction_id)
        row.resolved_at = None if is_open else now
        audit(session, now, by, "correction.resolve", f"correction {correction_id}")


_COLUMNS: Final = ("question_id", "target", "name", "verdict", "note", "author", "created_at")


def to_csv(corrections: Sequence[EditorsCorrection]) -> str:
    """One line each, safe to open in a spreadsheet."""
    return csv_text(_COLUMNS, map(_values, corrections))


def to_yaml(corrections: Sequence[EditorsCorrection]) -> str:
    """A list of entries, by question, for an editor to read beside the bank's own YAML."""
    entries = [dict(zip(_COLUMNS, _values(each), strict=True)) for each in corrections]
    entries.sort(key=lambda each: (each["question_id"], each["target"], each["name"]))
    text: str = yaml.safe_dump({"corrections": entries}, sort_keys=False, allow_unicode=True)
    return text


def _values(each: EditorsCorrection) -> tuple[str, ...]:
    when = each.created_at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return (each.question_id, each.target, each.name, each.verdict, each.note, each.author, when)
