"""Brings the stored facts of answers up to date with the corrections of their verdicts."""

import logging
from datetime import datetime
from typing import Final

from sqlalchemy import ColumnElement, func, literal_column, select
from sqlalchemy.orm import Session

from server.attempts.answer_facts import keep_parts
from server.attempts.read_reports import read_reports
from server.contract import Report
from server.core.errors import StoreError
from server.db.database import Database
from server.db.tables import AnswerFactsRow, CorrectionRow, ReportRow

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
