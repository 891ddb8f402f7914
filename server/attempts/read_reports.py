"""Reads stored attempts: the newest report of each, with its corrections applied.

This is the one place where a stored report becomes what people see: candidates, coaches, exports,
lists and progress all read through it. Corrections are applied when reading, so nothing that adds
or removes one (withdrawal, merging, import, a restored backup, a deleted or renamed coach account,
a regrade) leaves an outdated score. The facts that pages about many answers show
(``answer_facts.py``) record the corrections they were made with, and are recomputed when these
change.
"""

from collections.abc import Collection, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache, lru_cache
from hashlib import sha256
from typing import Any

from sqlalchemy import ColumnElement, ScalarSelect, Text, cast, func, select
from sqlalchemy.orm import Session, aliased

from question_bank.models import Question
from server.attempts.corrections import corrections_of
from server.contract import (
    ArchivedAttempt,
    ArchivedReport,
    Attempt,
    Correction,
    Coverage,
    Evidence,
    Report,
    Structure,
    Submission,
    Transcript,
    content_score,
)
from server.db.database import Database
from server.db.tables import AttemptRow, ReportRow, without_nul
from server.grading.corrected_report import corrected, corrected_coverage


@dataclass(frozen=True)
class ReadReport:
    """A report with its corrections applied, and what it was made from.

    Attributes:
        graded: the grader's own.
        corrections: of its verdicts, oldest first.
        report: as people see it.
    """

    graded: Report
    corrections: tuple[Correction, ...]
    report: Report


@dataclass(frozen=True)
class StoredScore:
    """The row of an attempt's newest report, and the score in it."""

    report_id: int
    score: float


@dataclass(frozen=True)
class ReadScore:
    """A score as it is read.

    Attributes:
        score: as people see it.
        graded: the grader's own, if it was corrected.
        tag: changes whenever the report that is read changes.
    """

    score: float
    graded: float | None
    tag: str


@cache
def newest_report_id() -> ScalarSelect[int | None]:
    """The id of an attempt's newest report, for a statement about ``AttemptRow``."""
    inner = aliased(ReportRow)
    return (
        select(func.max(inner.id))
        .where(inner.attempt_id == AttemptRow.id)
        .correlate(AttemptRow)
        .scalar_subquery()
    )


def read_reports(session: Session, graded: Mapping[int, Report]) -> dict[int, ReadReport]:
    """Newest reports, as people see them."""
    given = corrections_of(session, list(graded))
    return {
        attempt_id: _read(report, given.get(attempt_id, ()))
        for attempt_id, report in graded.items()
    }


@dataclass(frozen=True)
class TableAnswer:
    """What a table says about an answer, with its report as people see it."""

    submission_id: str
    created_at: datetime
    question: Question
    report: Report


def answers_for_table(database: Database, ids: Collection[int]) -> dict[int, TableAnswer]:
    """Many answers with their newest reports, by attempt; those that no longer exist are missing.

    Raises:
        UnreadableError: one of them is damaged.
    """
    wanted = (
        select(
            AttemptRow.id,
            AttemptRow.submission_id,
            AttemptRow.created_at,
            cast(AttemptRow.question, Text),
            cast(ReportRow.report, Text),
        )
        .join(ReportRow, ReportRow.id == newest_report_id())
        .where(database.one_of(AttemptRow.id, ids))
    )
    found: dict[int, TableAnswer] = {}
    with database.read() as session:
        for attempt_id, submission_id, created_at, question, report in session.execute(wanted):
            with database.readable(f"attempt {attempt_id}"):
                found[attempt_id] = TableAnswer(
                    submission_id,
                    created_at,
                    _question_of(question),
                    Report.model_validate_json(report),
                )
        read = read_reports(session, {each: answer.report for each, answer in found.items()})
    return {each: replace(answer, report=read[each].report) for each, answer in found.items()}


@lru_cache(maxsize=256)
def _question_of(text: str) -> Question:
    return Question.model_validate_json(text)


def read_scores(
    session: Session, stored: Mapping[int, StoredScore], known: MutableMapping[str, ReadScore]
) -> dict[int, ReadScore]:
    """The scores of newest reports as people see them, for lists, without reading the reports.

    Args:
        session: reads.
        stored: by attempt.
        known: corrected scores by their tags, which this fills: with hundreds of corrected answers
            a page of the studio would wait .2 s for the same sums.
    """
    given = corrections_of(session, list(stored))
    scores = {
        attempt_id: ReadScore(each.score, None, _tag(each.report_id, given.get(attempt_id, ())))
        for attempt_id, each in stored.items()
    }
    touched: dict[int, int] = {}
    for attempt_id, corrections in given.items():
        tag = scores[attempt_id].tag
        if tag in known:
            scores[attempt_id] = known[tag]
        elif any(each.target == "phrase" for each in corrections):
            touched[stored[attempt_id].report_id] = attempt_id
    for report_id, coverage, structure in _contents(session, touched):
        attempt_id = touched[report_id]
        found = corrected_coverage(coverage, given[attempt_id])
        if found != coverage:
            score = found.score if structure is None else content_score(found, structure).score
            scores[attempt_id] = replace(
                scores[attempt_id], score=score, graded=scores[attempt_id].score
            )
        known[scores[attempt_id].tag] = scores[attempt_id]
    return scores


def word_count(session: Session, attempt_id: int) -> int:
    """How many words the newest transcript of an attempt shows."""
    transcript = session.scalar(
        select(ReportRow.report["transcript"])
        .join(AttemptRow, AttemptRow.id == ReportRow.attempt_id)
        .where(AttemptRow.id == attempt_id, ReportRow.id == newest_report_id())
    )
    return 0 if transcript is None else len(Transcript.model_validate(transcript).tokens)


def _read(graded: Report, corrections: Sequence[Correction]) -> ReadReport:
    report = _without_denials(corrected(graded, corrections)) if corrections else graded
    return ReadReport(graded, tuple(corrections), report)


def _without_denials(report: Report) -> Report:
    """The report without quotes that deny a phrase which a reviewer says was said.

    The reviewer heard it somewhere else in the answer. Words of the candidate's own choice stay.
    """
    phrases = tuple(
        each.model_copy(update={"how": None, "evidence": None})
        if each.corrected is not None and each.corrected.was_negated and not each.corrected.by_owner
        else each
        for each in report.coverage.phrases
    )
    if phrases == report.coverage.phrases:
        return report
    coverage = report.coverage.model_copy(update={"phrases": phrases})
    return report.model_copy(update={"coverage": coverage})


def _tag(report_id: int, corrections: Sequence[Correction]) -> str:
    if not corrections:
        return str(report_id)
    marks = "".join(each.model_dump_json() for each in corrections)
    return f"{report_id}-{sha256(marks.encode()).hexdigest()[:16]}"


def _contents(
    session: Session, report_ids: Collection[int]
) -> Iterator[tuple[int, Coverage, Structure | None]]:
    """Coverage and structure of each of these reports, by its id.

    A damaged report is left out and keeps its score.

    One by one, because holding hundreds at once takes more time than reading them.
    """
    if not report_ids:
        return
    wanted = select(
        ReportRow.id, ReportRow.report["coverage"], ReportRow.report["structure"]
    ).where(ReportRow.id.in_(report_ids))
    if session.get_bind().dialect.name == "sqlite":  # PostgreSQL keeps nothing else
        wanted = wanted.where(func.json_valid(ReportRow.report) == 1)
    for report_id, coverage, structure in session.execute(wanted):
        try:
            found = Coverage.model_validate(coverage)
            built = None if structure is None else Structure.model_validate(structure)
        except ValueError:  # opening the attempt reports it; the others can be listed
            continue
        yield report_id, found, built


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
        "report": report.model_dump(mode="json"),
        "evidence": None if evidence is None else evidence.model_dump(mode="json"),
        "corrections": len(report.transcript.corrected),
    }
