"""What a cohort's candidates share, as one table: CSV for spreadsheets, Parquet for analysis."""

import io
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, Final, Literal

from pydantic import AwareDatetime, Field
from sqlalchemy import select

from server.attempts.corrections import NOBODY
from server.attempts.read_reports import answers_for_table
from server.contract import Wire
from server.core.errors import InvalidInputError, NotFoundError
from server.db.database import Database
from server.db.tables import AccountRow, CohortRow, RubricScoreRow
from server.jobs.job import MadeFile, Outcome, Task, Work
from server.sharing.shown import ShownAttempt, attempts_shown_to
from server.ui.exports.csv_table import COLUMNS, NUMBERS, csv_text, row_of

EXPORT_COHORT: Final = "cohort-export"

MAX_FILE_BYTES: Final = 100 * 1024 * 1024
"""Two hundred thousand answers; the file is in the database for a day."""

_AT_ONCE: Final = 500
"""Answers read with one statement: 10 MB of reports; their number is the progress shown."""

_OWN_COLUMNS: Final = (
    *("attempt_id", "interview_id", "candidate", "candidate_name", "rubric_scores"),
)
COHORT_COLUMNS: Final = (*_OWN_COLUMNS, *COLUMNS)

CohortFormat = Literal["csv", "parquet"]
Row = tuple[str | float | None, ...]


class CohortExport(Wire):
    """Which table of a cohort is wanted; ``since`` is included, ``until`` is not."""

    format: CohortFormat = "csv"
    since: AwareDatetime | None = None
    until: AwareDatetime | None = None


class CohortOrder(CohortExport):
    """The same as a job's order."""

    cohort_id: int = Field(ge=1, le=2**63 - 1)


def check_parquet() -> Any:
    """Checks that Parquet can be written.

    Returns:
        pyarrow, with ``parquet``.

    Raises:
        InvalidInputError: its library is not installed.
    """
    try:
        import pyarrow.parquet
    except ImportError:
        raise InvalidInputError(
            "this server cannot write Parquet: its operator installs it with "
            "pip install 'aloud[exports]'; CSV works without it"
        ) from None
    return pyarrow


def cohort_exporting(database: Database) -> Task:
    """The task for ``CohortOrder`` payloads. The caller has checked who may export the cohort."""

    def export(work: Work) -> Outcome:
        order = CohortOrder.model_validate(work.payload)
        name = _cohort_name(database, order.cohort_id)
        shown = attempts_shown_to(database, order.cohort_id, since=order.since, until=order.until)
        taken: list[int] = []

        def rows() -> Iterator[Row]:
            for begin in range(0, len(shown), _AT_ONCE):
                work.progress(begin, len(shown))
                for attempt_id, row in _rows(database, shown[begin : begin + _AT_ONCE]):
                    taken.append(attempt_id)
                    yield row
            work.progress(len(shown), len(shown))

        content = _WRITERS[order.format](_limited(rows()))
        file = MadeFile(_file_name(name, order.format), content, tuple(taken))
        return Outcome({"cohort_id": order.cohort_id, "rows": len(taken)}, file)

    return export


def _cohort_name(database: Database, cohort_id: int) -> str:
    with database.read() as session:
        name = session.scalar(select(CohortRow.name).where(CohortRow.id == cohort_id))
    if name is None:
        raise NotFoundError("the cohort no longer exists")
    return name


def _rows(database: Database, shown: Sequence[ShownAttempt]) -> Iterator[tuple[int, Row]]:
    """The rows of some attempts, by id, without those deleted in the meantime."""
    ids = [each.attempt_id for each in shown]
    answers, scores = answers_for_table(database, ids), _rubric_scores(database, ids)
    for each in shown:
        answer = answers.get(each.attempt_id)
        if answer is None:
            continue
        given = "; ".join(scores.get(each.attempt_id, ()))
        own = (each.attempt_id, each.interview_id, each.candidate, each.name, given)
        rest = row_of(answer.submission_id, answer.created_at, answer.question, answer.report)
        yield each.attempt_id, (*own, *rest)


def _rubric_scores(database: Database, ids: Sequence[int]) -> dict[int, list[str]]:
    """What reviewers gave by the rubric, by attempt, each as ``Pace: 3 by Cleo``."""
    given = RubricScoreRow
    wanted = (
        select(
            given.attempt_id,
            given.criterion,
            given.score,
            AccountRow.display_name,
            given.guest_name,
        )
        .join(AccountRow, AccountRow.id == given.author_id, isouter=True)
        .where(database.one_of(given.attempt_id, ids))
        .order_by(given.created_at, given.id)
    )
    found: dict[int, list[str]] = {}
    with database.read() as session:
        for attempt_id, criterion, score, name, guest in session.execute(wanted):
            line = f"{criterion}: {score} by {name or guest or NOBODY}"
            found.setdefault(attempt_id, []).append(line)
    return found


def _limited(rows: Iterator[Row]) -> Iterator[Row]:
    """The rows, as long as the table has not become too large."""
    size = 0
    for row in rows:
        size += sum(len(value.encode()) for value in row if isinstance(value, str))
        if size > MAX_FILE_BYTES:
            raise InvalidInputError(
                f"the table is larger than {MAX_FILE_BYTES // 1024**2} MiB; "
                "export it in parts, by time"
            )
        yield row


def _to_csv(rows: Iterator[Row]) -> bytes:
    # without the mark, a spreadsheet assumes its country's old encoding
    return f"\ufeff{csv_text(COHORT_COLUMNS, rows)}".encode()


def _to_parquet(rows: Iterator[Row]) -> bytes:
    """Typed columns and raw text, because nothing executes the cells of a Parquet file."""
    arrow = check_parquet()
    columns: dict[str, list[Any]] = {name: [] for name in COHORT_COLUMNS}
    for row in rows:
        for name, value in zip(COHORT_COLUMNS, row, strict=True):
            columns[name].append(_typed(name, value))
    schema = arrow.schema([(name, _arrow_type(arrow, name)) for name in COHORT_COLUMNS])
    sink = io.BytesIO()
    arrow.parquet.write_table(arrow.table(columns, schema=schema), sink, compression="zstd")
    return sink.getvalue()


def _typed(name: str, value: str | float | None) -> object:
    if name == "created_at" and isinstance(value, str):
        return datetime.fromisoformat(value).astimezone(UTC)
    return float(value) if name in NUMBERS and value is not None else value


def _arrow_type(arrow: Any, name: str) -> Any:
    if name == "created_at":
        return arrow.timestamp("s", tz="UTC")
    if name == "attempt_id":
        return arrow.int64()
    return arrow.float64() if name in NUMBERS else arrow.string()


def _file_name(cohort: str, format: CohortFormat) -> str:
    """The cohort's name in letters that are safe in a file name."""
    plain = unicodedata.normalize("NFKD", cohort).encode("ascii", "ignore").decode()
    words = re.findall(r"[A-Za-z0-9]+", plain)
    return f"{'-'.join(words)[:60] or 'cohort'}.{format}"


_WRITERS: Final[dict[str, Callable[[Iterator[Row]], bytes]]] = {
    "csv": _to_csv,
    "parquet": _to_parquet,
}
