"""Corrected verdicts of all attempts, collected for those who edit the question bank."""

import csv
import io
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

import yaml
from sqlalchemy import case, select

from server.attempts.corrections import NOBODY
from server.core.errors import NotFoundError
from server.db.audit import note
from server.db.database import MAX_ID, Database
from server.db.tables import AccountRow, AttemptRow, CorrectionRow
from server.review.review_queue import is_shown_to
from server.ui.exports.spreadsheet import to_cell

__all__ = ["MOST_CORRECTIONS", "Collected", "collect", "resolve", "to_csv", "to_yaml"]

MOST_CORRECTIONS: Final = 1_000
"""On one page or in one file; those that are dealt with make room for the others."""


@dataclass(frozen=True)
class Collected:
    """One corrected verdict, without a word of the answer and without whose it is.

    ``has_account``: ``author`` is an account here, and no name in a file that was taken in.
    ``attempt_id`` only where the attempt is shown to who asks: an editor of the bank need not be
    a coach of its owner.
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
    """The corrections that are open (or those that are dealt with), oldest first."""
    readable = case((is_shown_to(coached), AttemptRow.id), else_=None)
    with database.read() as session:
        rows = session.execute(
            select(CorrectionRow, AttemptRow.question_id, AccountRow.display_name, readable)
            .join(AttemptRow, AttemptRow.id == CorrectionRow.attempt_id)
            .join(AccountRow, AccountRow.id == CorrectionRow.author_id, isouter=True)
            .where(
                CorrectionRow.resolved_at.is_not(None)
                if resolved
                else CorrectionRow.resolved_at.is_(None)
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
    """Notes that an editor dealt with it; the attempt's report stays corrected.

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
    """A list of entries, by question: what an editor goes through beside the bank's own YAML."""
    entries = [dict(zip(_COLUMNS, _values(each), strict=True)) for each in corrections]
    entries.sort(key=lambda each: (each["question_id"], each["target"], each["name"]))
    text: str = yaml.safe_dump({"corrections": entries}, sort_keys=False, allow_unicode=True)
    return text


def _values(each: Collected) -> tuple[str, ...]:
    when = each.created_at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return (each.question_id, each.target, each.name, each.verdict, each.note, each.author, when)
