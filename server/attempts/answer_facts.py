"""Score, terms and key phrases of each answer in separate tables, for pages about many answers.

Facts follow from an answer's newest report and the corrections of its verdicts. They are stored
with the report. Corrections change in many ways (withdrawal, merging, import, deleting a coach's
account), so an answer's facts record the corrections they were made with, and are updated before
they are read if the corrections have changed (``server/review/overview.py``).
"""

from collections import Counter
from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import Connection, delete, insert

from server.contract import PhraseCoverage, Report, TermVerdict
from server.db.tables import AnswerFactsRow, PhraseFactsRow, TermFactsRow, without_nul


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
    keep_parts(connection, attempt_id, graded)


def keep_parts(connection: Connection, attempt_id: int, report: Report) -> None:
    """Stores terms and key phrases in place of those stored before."""
    for table in (TermFactsRow, PhraseFactsRow):
        connection.execute(delete(table).where(table.attempt_id == attempt_id))
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
        {"attempt_id": attempt_id, "term": without_nul(term), "judged": count, "wrong": wrong[term]}
        for term, count in judged.items()
        if count
    ]
    if rows:
        connection.execute(insert(TermFactsRow), rows)
