"""Score, terms and key phrases of each answer in separate tables, for pages about many answers.

Facts follow from an answer's newest report and the corrections of its verdicts. They are stored
with the report. Corrections change in many ways (withdrawal, merging, import, deleting a coach's
account), so an answer's facts record the corrections they were made with, and are updated before
they are read if the corrections have changed.
"""

import logging
from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from typing import Final

from sqlalchemy import ColumnElement, Connection, delete, func, insert, literal_column, select
from sqlalchemy.orm import Session

from server.attempts.read_reports import read_reports
from server.contract import PhraseCoverage, Report, TermVerdict
from server.core.errors import StoreError
from server.db.database import Database
from server.db.tables import (
    AnswerFactsRow,
    CorrectionRow,
    PhraseFactsRow,
    ReportRow,
    TermFactsRow,
    without_nul,
)

logger = logging.getLogger(__name__)

_BATCH: Final = 200


def keep_facts(
    connection: Connection,
    attempt_id: int,
    report_id: int,
    graded: Report,
    *,
    owner_id: int | None,
    created_at: datetime,
    topic: str,
    is_new: bool = False,
) -> None:
    """Stores the facts of an attempt's newest report, as the grader made it.

    Args:
        connection: writes.
        attempt_id: the attempt.
        report_id: the row of the report.
        graded: the report.
        owner_id: the attempt's.
        created_at: the attempt's.
        topic: the attempt's.
        is_new: the attempt is just being stored and has no facts yet.
    """
    if not is_new:
        connection.execute(delete(AnswerFactsRow).where(AnswerFactsRow.attempt_id == attempt_id))
        _forget_parts(connection, attempt_id)
    facts = {
        "attempt_id": attempt_id,
        "report_id": report_id,
        "owner_id": owner_id,
        "created_at": created_at,
        "topic": topic,
        "score": graded.overall,
        "grader_version": without_nul(graded.grader_version),
        "corrections": 0,
        "corrections_ids": 0,
    }
    connection.execute(insert(AnswerFactsRow), facts)
    _keep_parts(connection, attempt_id, graded)


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
            _forget_parts(session.connection(), attempt_id)
            _keep_parts(session.connection(), attempt_id, report)


def _forget_parts(connection: Connection, attempt_id: int) -> None:
    for table in (TermFactsRow, PhraseFactsRow):
        connection.execute(delete(table).where(table.attempt_id == attempt_id))


def _keep_parts(connection: Connection, attempt_id: int, report: Report) -> None:
    _keep_terms(connection, attempt_id, report.pronunciation.terms)
    _keep_phrases(connection, attempt_id, report.coverage.phrases)


def _keep_phrases(
    connection: Connection, attempt_id: int, phrases: Iterable[PhraseCoverage]
) -> None:
    missed = {
        without_nul(each.phrase): int(each.status == "missing" or each.negated) for each in phrases
    }
    rows = [
        {"attempt_id": attempt_id, "phrase": phrase, "missed": value}
        for phrase, value in missed.items()
    ]
    if rows:
        connection.execute(insert(PhraseFactsRow), rows)


def _keep_terms(connection: Connection, attempt_id: int, terms: Iterable[TermVerdict]) -> None:
    judged: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    for each in terms:
        judged[each.term] += each.verdict != "unclear"
        wrong[each.term] += each.verdict == "mispronounced"
    rows = [
        {
            "attempt_id": attempt_id,
            "term": without_nul(term),
            "judged": count,
            "wrong": wrong[term],
        }
        for term, count in judged.items()
        if count
    ]
    if rows:
        connection.execute(insert(TermFactsRow), rows)
