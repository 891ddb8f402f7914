"""History and drill cards read directly from SQLite's file, for commands that only list them.

``aloud history`` would spend three quarters of its time importing SQLAlchemy, and the studio's
first page a third. This uses the driver instead, for exactly the tables of this version. Anything
else (another version's file, a corrected verdict, an unreadable file) is left to the stores. Tests
check that both return the same.
"""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, TypeVar

from server.contract import AttemptSummary, DrillCard, HistoryPage, HistoryQuery
from server.db import HEAD_REVISION

T = TypeVar("T")

_FROM: Final = (
    "FROM attempts JOIN reports ON reports.id = "
    "(SELECT max(newest.id) FROM reports AS newest WHERE newest.attempt_id = attempts.id) "
)
_COLUMNS: Final = (
    "attempts.id, attempts.question_id, attempts.created_at, attempts.role, attempts.round, "
    "attempts.topic, reports.words, reports.answer_s, attempts.engine, "
    "CAST(reports.id AS TEXT) AS report_tag, reports.score, reports.grader_version, "
    "reports.corrections, attempts.submission_id, "
    "EXISTS (SELECT 1 FROM corrections WHERE corrections.attempt_id = attempts.id) AS is_corrected"
)


def quick_history(database: Path, query: HistoryQuery) -> HistoryPage | None:
    """A page of the attempts that belong to no account, newest first.

    Args:
        database: the file.
        query: which attempts.

    Returns:
        The page; ``None`` if only the store can make it.
    """
    return _read(database, HistoryPage(total=0, attempts=()), lambda file: _page(file, query))


def quick_cards(database: Path) -> tuple[DrillCard, ...] | None:
    """The cards that belong to no account, the earliest due first.

    Args:
        database: the file.

    Returns:
        The cards; ``None`` if only the store can give them.
    """
    statement = "SELECT card FROM drill_cards WHERE owner_id IS NULL ORDER BY due, item_id"
    return _read(
        database,
        tuple[DrillCard, ...](),
        lambda file: tuple(
            DrillCard.model_validate(json.loads(row["card"])) for row in file.execute(statement)
        ),
    )


def _read(database: Path, nothing: T, read: Callable[[sqlite3.Connection], T | None]) -> T | None:
    """The result of reading a plain file; ``nothing`` if it was never written."""
    if not database.exists() or not database.stat().st_size:
        return nothing
    try:
        with closing(sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro", uri=True)) as file:
            file.row_factory = sqlite3.Row
            if file.execute("SELECT version_num FROM alembic_version").fetchone()[0] != (
                HEAD_REVISION
            ):
                return None
            return read(file)
    except (sqlite3.Error, TypeError, ValueError):  # the store reports what is wrong
        return None


def _page(file: sqlite3.Connection, query: HistoryQuery) -> HistoryPage | None:
    conditions, values = ["attempts.owner_id IS NULL"], list[Any]()
    for condition, value in (
        ("attempts.role = ?", query.role),
        ("attempts.round = ?", query.round),
        ("attempts.question_id = ?", query.question_id),
        ("attempts.created_at >= ?", _text(query.since)),
        ("attempts.created_at < ?", _text(query.until)),
    ):
        if value is not None:
            conditions.append(condition)
            values.append(value)
    where = "WHERE " + " AND ".join(conditions)
    total = file.execute(f"SELECT count(*) FROM attempts {where}", values).fetchone()[0]
    rows = file.execute(
        f"SELECT {_COLUMNS} {_FROM} {where} "
        "ORDER BY attempts.created_at DESC, attempts.id DESC LIMIT ? OFFSET ?",
        [*values, query.limit, query.offset],
    ).fetchall()
    attempts = []
    for row in rows:
        fields = dict(row)
        if fields.pop("is_corrected"):
            return None
        fields["created_at"] = datetime.fromisoformat(fields["created_at"]).replace(tzinfo=UTC)
        attempts.append(AttemptSummary.model_validate(fields))
    return HistoryPage(total=total, attempts=tuple(attempts))


def _text(moment: datetime | None) -> str | None:
    """A time in the column's format."""
    if moment is None:
        return None
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(" ", "microseconds")
