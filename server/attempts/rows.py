"""Converts rows of attempts and reports to what the store returns, and back."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session

from question_bank.models import Question
from server.attempts.read_reports import newest_report_id, read_reports
from server.contract import (
    ArchivedAttempt,
    ArchivedReport,
    Attempt,
    Evidence,
    Report,
    Submission,
)
from server.db.engine import JsonText
from server.db.tables import AttemptRow, ReportRow, without_nul


@dataclass(frozen=True)
class StoredAttempt:
    """An attempt with what it is derived from.

    Attributes:
        attempt: with the report that people see.
        graded: the grader's own report.
        answer: what it was made from: the submission with its newest transcript.
        question: as it was when the answer arrived.
        sense: what the grader made of the answer's words, if it is stored.
    """

    attempt: Attempt
    graded: Report
    answer: Submission
    question: Question
    sense: dict[str, object] | None = None


def latest(
    session: Session, *conditions: ColumnElement[bool]
) -> tuple[AttemptRow, ReportRow] | None:
    """The attempt that fits, with its newest report."""
    statement = select(AttemptRow, ReportRow).join(ReportRow, ReportRow.id == newest_report_id())
    row = session.execute(statement.where(*conditions)).first()
    return None if row is None else (row[0], row[1])


def stored_attempt(session: Session, row: AttemptRow, newest: ReportRow) -> StoredAttempt:
    """The attempt in these rows, with corrections applied.

    Raises:
        ValueError: they are damaged.
    """
    graded = Report.model_validate(newest.report)
    read = read_reports(session, {row.id: graded})[row.id]
    question = Question.model_validate(row.question)
    counted = select(func.count()).select_from(ReportRow).where(ReportRow.attempt_id == row.id)
    submission = Submission.model_validate(row.submission)
    attempt = Attempt(
        id=row.id,
        submission=submission,
        report=read.report,
        role=row.role,
        round=row.round,
        topic=row.topic,
        version=session.scalar(counted) or 1,
    )
    answer = attempt.submission
    if newest.evidence is not None:
        evidence = Evidence.model_validate(newest.evidence)
        answer = answer.model_copy(update={"transcript": graded.transcript, "evidence": evidence})
    return StoredAttempt(attempt, graded, answer, question, row.sense)


def archived_attempt(session: Session, attempt_id: int) -> ArchivedAttempt | None:
    """An attempt with all its reports; ``None``: it no longer exists.

    Raises:
        ValueError: its rows are damaged.
    """
    row = session.get(AttemptRow, attempt_id)
    if row is None:  # deleted since its id was listed
        return None
    reports = tuple(
        ArchivedReport.model_validate(
            {"graded_at": each.graded_at, "report": each.report, "evidence": each.evidence}
        )
        for each in session.scalars(
            select(ReportRow).where(ReportRow.attempt_id == attempt_id).order_by(ReportRow.id)
        )
    )
    read = read_reports(session, {attempt_id: reports[-1].report})[attempt_id]
    return ArchivedAttempt(
        submission=Submission.model_validate(row.submission),
        question=Question.model_validate(row.question),
        received_at=row.received_at,
        reports=reports,
        corrections=read.corrections,
        corrected=read.report if read.report != read.graded else None,
    )


def report_values(attempt_id: int, archived: ArchivedReport) -> dict[str, Any]:
    """The row of a report."""
    report, evidence = archived.report, archived.evidence
    return {
        "attempt_id": attempt_id,
        "grader_version": without_nul(report.grader_version),
        "bank_version": without_nul(report.bank_version),
        "graded_at": archived.graded_at,
        "score": report.overall,
        "words": report.delivery.words,
        "answer_s": report.delivery.answer_s,
        "report": JsonText(report.model_dump_json()),
        "evidence": None if evidence is None else JsonText(evidence.model_dump_json()),
        "corrections": len(report.transcript.corrected),
    }
