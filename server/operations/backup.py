"""Backs up the whole database to one file, and restores it to SQLite or PostgreSQL.

A backup is a gzip of JSON lines: a header, every row of every table, a trailer with the number of
rows. It is read in one snapshot, needs no database tools, and works from SQLite to PostgreSQL and
back. It contains everything, including password hashes and the secret that signs sessions: keep it
safe.
"""

import base64
import gzip
import json
import os
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote

from sqlalchemy import JSON, Connection, DateTime, Engine, MetaData, Table, func, null, select, text
from sqlalchemy.exc import IntegrityError, StatementError

from server.core.errors import InvalidInputError, StoreError
from server.db import HEAD_REVISION
from server.db.engine import make_engine, place_of, plain_errors, writing
from server.db.migrate import current_revision, upgrade

FORMAT: Final = "aloud-backup"
VERSION: Final = 1

_REVISIONS: Final = "alembic_version"
_REVISION: Final = re.compile(r"\d{4}")

_WRONG_KIND: Final = (AttributeError, KeyError, TypeError, ValueError)
"""What unexpected content may raise where it is used."""

_NO_CONTENT: Final = frozenset({_REVISIONS, "server_secrets", "sign_in_failures"})
"""Tables that a server fills itself; a database with nothing else in it counts as empty."""

_BATCH: Final = 200

_BATCH_BYTES: Final = 16 * 1024**2
"""Texts and files of the rows that wait for the database: few of the largest rows fit in memory."""


@dataclass(frozen=True)
class BackupSummary:
    """What a backup holds.

    Attributes:
        made_at: when it was made.
        rows: the number of rows by table.
    """

    made_at: datetime
    rows: Mapping[str, int]


def back_up(database_url: str, path: Path, *, replace: bool = False) -> BackupSummary:
    """Writes everything in a database to a file that only its owner can read.

    The server may keep working meanwhile. The file appears under its name when it is complete.

    Raises:
        StoreError: the database cannot be used, or is not of this version.
        InvalidInputError: the file exists already or cannot be written.
    """
    if path.exists() and not replace:
        raise InvalidInputError(f"{path} already exists; choose another name, or --replace it")
    engine = make_engine(database_url)
    partial = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with plain_errors(engine), _snapshot(engine) as connection:
            revision = current_revision(connection)
            if revision is None:
                raise StoreError(f"the database {place_of(engine)} is empty: nothing to back up")
            if revision != HEAD_REVISION:
                raise StoreError(
                    f"the tables of {place_of(engine)} are not this version's; start "
                    "`aloud serve` of this version once, or back up with the version that made them"
                )
            summary = _write(connection, partial)
        os.replace(partial, path)
    except OSError as error:
        raise InvalidInputError(f"{path} cannot be written: {error.strerror}") from error
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
        engine.dispose()
    return summary


def restore(database_url: str, path: Path) -> BackupSummary:
    """Fills an empty database from a backup, and brings it up to this version.

    All rows are inserted in one transaction, so that an incomplete file leaves nothing behind; a
    SQLite file made for it is deleted again.

    Raises:
        StoreError: the database cannot be used, holds something, or the backup is newer.
        InvalidInputError: the file is not a backup, or incomplete.
    """
    with _no_new_file(database_url), _lines(path) as lines:
        head = _head(path, lines)
        engine = make_engine(database_url)
        try:
            _make_empty(engine, head.revision)
            try:
                with plain_errors(engine), writing(engine).begin() as connection:
                    rows = _fill(connection, path, lines)
            except (IntegrityError, StatementError, ArithmeticError, *_WRONG_KIND) as error:
                raise InvalidInputError(
                    f"{path} is incomplete ({type(error).__name__}): nothing was restored"
                ) from error
            upgrade(engine)
        finally:
            engine.dispose()
    return BackupSummary(head.made_at, rows)


@contextmanager
def _no_new_file(database_url: str) -> Iterator[None]:
    """Deletes the SQLite file again, if it was not there (or had nothing in it) and all failed."""
    path = database_url.removeprefix("sqlite:///")
    file = Path(unquote(path)) if path not in (database_url, "", ":memory:") else None
    is_new = file is not None and not (file.exists() and file.stat().st_size)
    try:
        yield
    except BaseException:
        if file is not None and is_new:
            for end in ("", "-wal", "-shm", "-journal"):
                file.with_name(file.name + end).unlink(missing_ok=True)
        raise


@contextmanager
def _snapshot(engine: Engine) -> Iterator[Connection]:
    """A snapshot of all tables, whatever is written meanwhile."""
    level = {"isolation_level": "REPEATABLE READ"} if engine.dialect.name == "postgresql" else {}
    with engine.connect().execution_options(**level) as connection, connection.begin():
        yield connection


def _tables(connection: Connection) -> list[Table]:
    """Every table except that of revisions; referenced tables come first."""
    metadata = MetaData()
    metadata.reflect(connection)
    return [table for table in metadata.sorted_tables if table.name != _REVISIONS]


def _write(connection: Connection, path: Path) -> BackupSummary:
    made_at = datetime.now(UTC)
    head = {
        "format": FORMAT,
        "version": VERSION,
        "revision": HEAD_REVISION,
        "made_at": made_at.isoformat(),
    }
    counts: dict[str, int] = {}
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as raw:
        with gzip.open(raw, "wt", encoding="ascii") as file:
            file.write(json.dumps(head) + "\n")
            for table in _tables(connection):
                counts[table.name] = 0
                file.write(json.dumps({"table": table.name, "columns": _columns(table)}) + "\n")
                for row in connection.execute(_all_of(table)).yield_per(_BATCH):
                    file.write(json.dumps([_plain(value) for value in row]) + "\n")
                    counts[table.name] += 1
            file.write(json.dumps({"end": counts}) + "\n")
        raw.flush()
        os.fsync(raw.fileno())
    return BackupSummary(made_at, counts)


def _all_of(table: Table) -> Any:
    return select(table).order_by(*table.primary_key.columns)


def _columns(table: Table) -> list[str]:
    return [column.name for column in table.columns]


def _plain(value: Any) -> Any:
    """A value as JSON; bytes, times and JSON documents are tagged."""
    if isinstance(value, bytes | memoryview):
        return {"bytes": base64.b64encode(bytes(value)).decode("ascii")}
    if isinstance(value, datetime):
        aware = value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
        return {"time": aware.isoformat()}
    if isinstance(value, dict | list):
        return {"json": value}
    return value


@contextmanager
def _lines(path: Path) -> Iterator[Iterator[Any]]:
    def read(file: gzip.GzipFile) -> Iterator[Any]:
        try:
            yield from map(json.loads, file)
        except (EOFError, zlib.error, gzip.BadGzipFile, ValueError, RecursionError) as error:
            raise InvalidInputError(
                f"{path} is not a backup of Aloud, or not all of it is there"
            ) from error

    try:
        with gzip.open(path, "rb") as file:
            yield read(file)
    except OSError as error:
        raise InvalidInputError(f"{path} cannot be read: {error.strerror or error}") from error


@dataclass(frozen=True)
class _Head:
    revision: str
    made_at: datetime


def _head(path: Path, lines: Iterator[Any]) -> _Head:
    head = next(lines, None)
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        raise InvalidInputError(f"{path} is not a backup of Aloud")
    if head.get("version") != VERSION:
        raise InvalidInputError(f"{path} was made by another version of Aloud; upgrade Aloud")
    try:
        made_at = datetime.fromisoformat(head["made_at"])
        if not _REVISION.fullmatch(head["revision"]):
            raise ValueError("it names no version of the tables")
    except _WRONG_KIND as error:
        raise InvalidInputError(f"{path} is not a backup of Aloud ({error})") from error
    return _Head(head["revision"], made_at)


def _make_empty(engine: Engine, revision: str) -> None:
    """The tables of the backup's version, empty."""
    with plain_errors(engine), writing(engine).begin() as connection:
        metadata = MetaData()
        metadata.reflect(connection)
        for table in metadata.sorted_tables:
            if table.name in _NO_CONTENT:
                continue
            if connection.scalar(select(func.count()).select_from(table)):
                raise StoreError(
                    f"the database {place_of(engine)} is not empty (there are rows in its "
                    f"table {table.name}); a backup can only go into an empty one: name one in "
                    "ALOUD_DATABASE_URL, or move this one away"
                )
        metadata.drop_all(connection)
    upgrade(engine, revision)


def _fill(connection: Connection, path: Path, lines: Iterator[Any]) -> dict[str, int]:
    tables = {table.name: table for table in _tables(connection)}
    for table in tables.values():
        connection.execute(table.delete())  # what a migration inserted is also in the backup
    counts: dict[str, int] = {}
    insert: _Insert | None = None
    for line in lines:
        if isinstance(line, list) and insert is not None:
            insert.add(line)
            counts[insert.table.name] += 1
            continue
        if insert is not None:
            insert.finish()
            insert = None
        if not isinstance(line, dict) or ("table" not in line and "end" not in line):
            break
        if "end" in line:
            if line["end"] != counts or next(lines, None) is not None:
                break  # reading on makes gzip check its checksum
            _count_on(connection, tables.values())
            return counts
        name, columns = line["table"], line["columns"]
        if name not in tables or not set(columns) <= set(tables[name].columns.keys()):
            break
        insert = _Insert(connection, tables[name], columns)
        counts[name] = 0
    raise InvalidInputError(f"{path} is incomplete: nothing was restored")


class _Insert:
    """Puts rows into a table, many at a time.

    References to other rows of the same table are set when all rows are there.
    """

    def __init__(self, connection: Connection, table: Table, columns: list[str]) -> None:
        self.table = table
        self._connection = connection
        self._columns = columns
        self._kinds = {name: table.columns[name].type for name in columns}
        self._rows: list[dict[str, Any]] = []
        self._size_bytes = 0
        self._to_itself = [
            key.parent.name for key in table.foreign_keys if key.column.table is table
        ]
        self._later: list[dict[str, Any]] = []

    def add(self, values: list[Any]) -> None:
        row = {
            name: self._value(name, value)
            for name, value in zip(self._columns, values, strict=True)
        }
        keys = [column.name for column in self.table.primary_key.columns]
        for name in self._to_itself:
            if row[name] is not None:
                self._later.append({"column": name, "value": row[name]} | {k: row[k] for k in keys})
                row[name] = None
        self._rows.append(row)
        self._size_bytes += sum(len(each) for each in row.values() if isinstance(each, str | bytes))
        if len(self._rows) >= _BATCH or self._size_bytes >= _BATCH_BYTES:
            self._send()

    def finish(self) -> None:
        self._send()
        for each in self._later:
            name, value = each.pop("column"), each.pop("value")
            self._connection.execute(self.table.update().filter_by(**each).values({name: value}))

    def _send(self) -> None:
        if self._rows:
            self._connection.execute(self.table.insert(), self._rows)
            self._rows, self._size_bytes = [], 0

    def _value(self, name: str, value: Any) -> Any:
        if isinstance(value, dict):
            ((kind, content),) = value.items()
            if kind == "bytes":
                return base64.b64decode(content)
            if kind == "time":
                moment = datetime.fromisoformat(content)
                column = self._kinds[name]
                has_zone = isinstance(column, DateTime) and column.timezone
                return moment if has_zone else moment.astimezone(UTC).replace(tzinfo=None)
            return content
        if value is None and isinstance(self._kinds[name], JSON):
            return null()
        return value


def _count_on(connection: Connection, tables: Iterable[Table]) -> None:
    """New rows get numbers after the restored ones (SQLite does so by itself)."""
    if connection.dialect.name != "postgresql":
        return
    for table in tables:
        for column in table.primary_key.columns:
            named = {"table": f'"{table.name}"', "column": column.name}
            sequence = connection.scalar(
                text("SELECT pg_get_serial_sequence(:table, :column)"), named
            )
            if sequence is None:
                continue
            last = connection.scalar(select(func.max(column)))
            connection.execute(
                text("SELECT setval(:sequence, :last, :used)"),
                {"sequence": sequence, "last": last or 1, "used": last is not None},
            )
