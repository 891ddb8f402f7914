"""Opening the database: engine, SQLite's settings, and errors as one clear line."""

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from pydantic_core import to_json
from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DataError, DBAPIError, IntegrityError, NoSuchModuleError

from server.core.errors import InvalidInputError, StoreBusyError, StoreError

# A transaction that will write takes SQLite's write lock at once. One that reads first and then
# writes fails without waiting if another one wrote in between (SQLITE_BUSY_SNAPSHOT,
# https://www.sqlite.org/isolation.html).
_BEGIN_OPTION = "aloud_begin"

_WAL_POLL_S = 0.02
_MADE_WITHIN_S = 60.0
"""A new database is empty for a second at most, until its tables are made."""
_ALONE = "aloud_alone"
_SHARED = ("normal",)


def writing(engine: Engine) -> Engine:
    """The same engine for transactions that write."""
    return engine.execution_options(**{_BEGIN_OPTION: "BEGIN IMMEDIATE"})


def make_engine(database_url: str, *, busy_timeout_s: float = 5.0) -> Engine:
    """An engine for the URL; nothing is opened yet, but SQLite's folder is created.

    Raises:
        StoreError: the URL is wrong, its driver is missing or the folder cannot be made.
    """
    try:
        url = make_url(database_url)
    except (ArgumentError, ValueError):  # its text quotes the URL, or a part of it
        raise StoreError(
            "this is not a database URL (its text is not shown, as it may hold a password); "
            "one looks like sqlite:////folder/aloud.db"
        ) from None
    if url.get_backend_name() != "sqlite" and database_url.count("@") > 1:
        raise StoreError(
            "the password in the database URL holds an @: write %40 in its place "
            "(and %2F for /, %25 for %)"
        )
    if url.get_backend_name() == "sqlite":
        return _sqlite_engine(url, busy_timeout_s)
    try:
        # an error's text must not quote an answer
        return create_engine(url, pool_pre_ping=True, hide_parameters=True, json_serializer=_json)
    except (NoSuchModuleError, ImportError) as error:
        raise StoreError(
            f"no driver for the database {_without_secrets(url)}: {error}; install it"
        ) from None


def _json(value: Any) -> str:
    """JSON for a column, three times faster than with the standard library."""
    return to_json(value).decode()


def place_of(engine: Engine) -> str:
    """The database's location, for a message: the file, or the URL without its password."""
    url = engine.url
    if url.get_backend_name() == "sqlite" and url.database:
        return url.database
    return _without_secrets(url)


def _without_secrets(url: URL) -> str:
    """The URL without its password, and of its options only the host's: others may be secret."""
    shown = {name: value for name, value in url.query.items() if name in ("host", "port")}
    return url.set(query=shown).render_as_string(hide_password=True)


@contextmanager
def plain_errors(engine: Engine) -> Iterator[None]:
    """Turns the driver's errors into one clear line; integrity errors pass through.

    Raises:
        StoreBusyError: another program holds the lock for longer than the time limit.
        InvalidInputError: a value that this database cannot store.
        StoreError: anything else that makes the database unusable.
    """
    try:
        yield
    except IntegrityError:
        raise
    except DataError as error:
        raise InvalidInputError("the database cannot hold this value") from error
    except DBAPIError as error:
        raise _plain(engine, error.orig) from error
    except sqlite3.Error as error:
        raise _plain(engine, error) from error


def _plain(engine: Engine, cause: BaseException | None) -> StoreError:
    place, reason = place_of(engine), str(cause).splitlines()[0] if str(cause) else "unknown"
    secrets = (engine.url.password, *engine.url.query.values())
    for secret in secrets:  # a driver may quote what it was given
        if isinstance(secret, str) and len(secret) > 3:
            reason = reason.replace(secret, "***")
    code = (getattr(cause, "sqlite_errorcode", None) or 0) & 0xFF
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return StoreBusyError(
            f"the database {place} is locked by another program; close it and try again"
        )
    if code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
        return StoreError(
            f"the database {place} is damaged ({reason}); move the file away to start over, "
            "or put a backup in its place"
        )
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        return StoreError(
            f"the database {place} cannot be opened for writing ({reason}); "
            "check the permissions of the file and its folder"
        )
    if code == sqlite3.SQLITE_FULL:
        return StoreError(f"the disk is full: the database {place} cannot grow; free some space")
    return StoreError(f"the database {place} cannot be used: {reason}")


def _sqlite_engine(url: URL, busy_timeout_s: float) -> Engine:
    if url.database and url.database != ":memory:":
        folder = Path(url.database).parent
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(
                f"the folder {folder} of the database cannot be made: {error.strerror}"
            ) from error
    arguments: dict[str, Any] = {"connect_args": {"timeout": busy_timeout_s}}
    read_only = is_read_only(url)
    if url.database and url.database != ":memory:":
        path, open_file = Path(url.database), _open_to_read if read_only else _open
        arguments = {"creator": lambda: open_file(path, busy_timeout_s)}
    engine = create_engine(url, hide_parameters=True, json_serializer=_json, **arguments)

    @event.listens_for(engine, "connect")
    def _prepare(connection: sqlite3.Connection, record: Any) -> None:
        # SQLAlchemy begins the transactions below, because the driver leaves DDL outside of them.
        connection.isolation_level = None
        connection.execute("PRAGMA foreign_keys = ON")
        # Purged data is overwritten on disk.
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute("PRAGMA synchronous = FULL")
        if url.database and url.database != ":memory:" and not read_only:
            _switch_to_wal(connection, busy_timeout_s)
            record.info[_ALONE] = connection.execute("PRAGMA locking_mode").fetchone() != _SHARED

    @event.listens_for(engine, "checkin")
    def _let_go(connection: sqlite3.Connection | None, record: Any) -> None:
        if record.info.pop(_ALONE, False):
            record.invalidate()

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        connection.exec_driver_sql(connection.get_execution_options().get(_BEGIN_OPTION, "BEGIN"))

    return engine


def is_read_only(url: URL) -> bool:
    """Whether there is a database that can only be read: a backup, a CD, another user's."""
    if not url.database or url.database == ":memory:":
        return False
    path = Path(url.database)
    return path.exists() and not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK))


def _open(path: Path, busy_timeout_s: float) -> sqlite3.Connection:
    """A connection; on a full disk, one with exclusive access to the database.

    Connections share a small file beside the database, for which a full disk has no room. An
    exclusive connection needs no such file and can read. It is released after each use, for others
    and for the time when there is room again.
    """
    _make_private(path)
    connection = sqlite3.connect(path, timeout=busy_timeout_s, check_same_thread=False)
    try:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL):
            return connection  # using it raises the error
        connection.close()
        connection = sqlite3.connect(path, timeout=busy_timeout_s, check_same_thread=False)
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    except sqlite3.DatabaseError:
        return connection  # damaged: likewise
    return connection


def _make_private(path: Path) -> None:
    """Makes the file, or takes everybody else's rights to it away: it holds people's answers.

    SQLite gives the files beside it the same rights. An existing file is never opened here: closing
    it would drop the locks that this process has on it (https://www.sqlite.org/howtocorrupt.html).

    Raises:
        StoreError: the file lost its content.
    """
    with suppress(OSError):  # opening it says what is wrong
        if not path.exists():
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        found = path.stat()
        if os.name == "posix" and found.st_mode & 0o077 and found.st_uid == os.geteuid():
            for each in (path, *(path.with_name(path.name + end) for end in ("-wal", "-shm"))):
                if each.exists():
                    each.chmod(0o600)
        if found.st_size == 0 and time.time() - found.st_mtime > _MADE_WITHIN_S:
            log = path.with_name(path.name + "-wal")
            if not log.exists() or log.stat().st_size == 0:
                raise StoreError(
                    f"the database {path} has 0 bytes: whatever was in it is gone; put a backup "
                    "in its place, or delete the file to start over"
                )


def _open_to_read(path: Path, busy_timeout_s: float) -> sqlite3.Connection:
    """A connection that changes nothing.

    SQLite creates a file beside a database with a write-ahead log even to read it, unless it knows
    that nobody writes, which is so if the folder is not writable.
    """
    address = path.absolute().as_uri()
    try:
        connection = sqlite3.connect(
            f"{address}?mode=ro", uri=True, timeout=busy_timeout_s, check_same_thread=False
        )
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError:
        connection = sqlite3.connect(f"{address}?immutable=1", uri=True, check_same_thread=False)
    return connection


def _switch_to_wal(connection: sqlite3.Connection, busy_timeout_s: float) -> None:
    """Turns write-ahead logging on; it stays on in the file.

    Unlike elsewhere, SQLite does not wait for a lock here: two processes that open a new database
        at the same time would see "database is locked".
    """
    deadline = time.monotonic() + busy_timeout_s
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            busy = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
            if not busy or time.monotonic() >= deadline:
                raise
        time.sleep(_WAL_POLL_S)
