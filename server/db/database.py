"""One database, as the stores use it: transactions, plain errors, broken rows, the audit log."""

import json
import shutil
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Final, TypeVar

from sqlalchemy import (
    ARRAY,
    BigInteger,
    ColumnElement,
    Connection,
    Engine,
    func,
    literal,
    select,
    text,
)
from sqlalchemy.orm import InstrumentedAttribute, Session

from server.core.clock import utc_now
from server.core.errors import NotFoundError, UnreadableError
from server.db.engine import make_engine, plain_errors, writing
from server.db.migrate import upgrade
from server.db.tables import AuditRow, Base

IDS_PER_STATEMENT: Final = 1000
"""SQLite takes at most 32,766 parameters (https://www.sqlite.org/limits.html)."""
MAX_ID = 2**63 - 1
"""A larger number cannot be an id, and the driver does not accept it."""

R = TypeVar("R", bound=Base)

MIN_FREE_BYTES: Final = 64 * 1024**2
"""Space for the write-ahead log of the largest request and for a migration at restart."""


class Database:
    """An open database with up-to-date tables. Safe to use from several threads and processes.

    Attributes:
        engine: the SQLAlchemy engine.
    """

    def __init__(self, database_url: str, *, busy_timeout_s: float = 5.0) -> None:
        """Opens the database and brings its tables up to date.

        Raises:
            StoreError: the database cannot be used; the text says why and what to do.
        """
        self.engine: Engine = make_engine(database_url, busy_timeout_s=busy_timeout_s)
        self._writing = writing(self.engine)
        try:
            upgrade(self.engine)
        except BaseException:
            self.engine.dispose()
            raise

    @property
    def disk_is_full(self) -> bool:
        """Whether SQLite's file has too little room to grow; PostgreSQL monitors its own disk."""
        path = self.engine.url.database
        if self.is_postgresql or not path or path == ":memory:":
            return False
        return shutil.disk_usage(Path(path).parent).free < MIN_FREE_BYTES

    @property
    def is_postgresql(self) -> bool:
        """Whether it is PostgreSQL (otherwise SQLite)."""
        return self.engine.dialect.name == "postgresql"

    def close(self) -> None:
        self.engine.dispose()

    @contextmanager
    def read(self) -> Iterator[Session]:
        """A session that reads."""
        with plain_errors(self.engine), Session(self.engine) as session:
            yield session

    @contextmanager
    def connect(self) -> Iterator[Connection]:
        with plain_errors(self.engine), self.engine.connect() as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[Session]:
        """A transaction, committed at the end or rolled back by an error.

        Its writes are on disk when this returns.
        """
        with (
            plain_errors(self.engine),
            Session(self._writing, expire_on_commit=False) as session,
            session.begin(),
        ):
            yield session

    @contextmanager
    def insert(self) -> Iterator[Connection]:
        """The same with a connection."""
        with plain_errors(self.engine), self._writing.begin() as connection:
            yield connection

    @contextmanager
    def readable(self, what: str) -> Iterator[None]:
        """Turns a row with damaged JSON or values into one clear error."""
        try:
            yield
        except ValueError as error:
            raise UnreadableError(
                f"{what} in the database is damaged; delete it, or put a backup in the "
                "database's place"
            ) from error

    def one_of(
        self, column: InstrumentedAttribute[int], ids: Collection[int]
    ) -> ColumnElement[bool]:
        """Whether a column has one of these ids, any number of them in one parameter."""
        if self.is_postgresql:  # for a thousand with ``= ANY``, it reads the whole table
            return column.in_(select(func.unnest(literal(list(ids), ARRAY(BigInteger)))))
        listed = func.json_each(json.dumps(list(ids))).table_valued("value")
        return column.in_(select(listed.c.value))

    def alone(self, session: Session, name: str) -> None:
        """Holds the lock of this name until the end of the transaction.

        SQLite has one writer at a time anyway; in PostgreSQL, two would miss each other's rows.
        """
        if self.is_postgresql:
            session.execute(select(func.pg_advisory_xact_lock(func.hashtext(name))))

    def forget(self) -> None:
        """Overwrites deleted data in SQLite's write-ahead log too."""
        if self.is_postgresql:
            return
        with (
            plain_errors(self.engine),
            self.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection,
        ):
            connection.execute(text("PRAGMA wal_checkpoint(TRUNCATE)"))


class UseCases:
    """Base of the use cases over a database. Safe to use from several threads and processes."""

    def __init__(self, database: Database, clock: Callable[[], datetime] = utc_now) -> None:
        self._database = database
        self._clock = clock


def row_of(
    session: Session,
    table: type[R],
    row_id: int,
    fits: Callable[[R], bool] = lambda row: True,
) -> R:
    """The row with this id, if there is one and it fits.

    Raises:
        NotFoundError: there is none.
    """
    row = session.get(table, row_id) if 0 < row_id <= MAX_ID else None
    if row is None or not fits(row):
        raise NotFoundError(f"there is no {table.__tablename__.removesuffix('s')} {row_id}")
    return row


def audit(session: Session, at: datetime, actor_id: int | None, action: str, subject: str) -> None:
    """Logs an action in the transaction that performs it; never a word of an answer or a secret.

    Args:
        session: the transaction.
        at: when.
        actor_id: who; ``None``: the command line on the server's own machine, or a guest.
        action: e.g. ``account.disable``.
        subject: what it was done to, e.g. ``account 12``.
    """
    session.add(AuditRow(at=at, actor_id=actor_id, action=action[:80], object=subject[:200]))
