"""Migrates a database to this version's tables; imports Alembic only if necessary."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import Connection, Engine, inspect, text

from server.core.errors import StoreError
from server.db import HEAD_REVISION
from server.db.engine import place_of, plain_errors, writing

if TYPE_CHECKING:
    from alembic.config import Config

MIGRATIONS: Final = Path(__file__).parent / "migrations"

# If two processes open a new database at the same time, the second waits for the first.
_POSTGRES_LOCK = 0x616C6F7564  # "aloud"


def upgrade(engine: Engine, revision: str = HEAD_REVISION) -> None:
    """Runs the migrations that the database lacks, all or none.

    Raises:
        StoreError: the database cannot be used or comes from a newer version.
    """
    with plain_errors(engine):
        with engine.connect() as connection:
            if current_revision(connection) == revision:
                return
        with (
            writing(engine).connect() as connection,
            _foreign_keys_off(connection),
            connection.begin(),
        ):
            if connection.dialect.name == "postgresql":
                connection.execute(
                    text("SELECT pg_advisory_xact_lock(:key)"), {"key": _POSTGRES_LOCK}
                )
            _run(engine, connection, revision)


@contextmanager
def _foreign_keys_off(connection: Connection) -> Iterator[None]:
    """Lets SQLite rebuild a table that others refer to.

    SQLite changes most properties of a table by creating a new one and dropping the old one. With
    foreign keys on, dropping the attempts would delete their reports. They cannot be switched
    within a transaction, so this wraps it (https://www.sqlite.org/lang_altertable.html#otheralter).
    """
    driver: Any = connection.connection.driver_connection
    if connection.dialect.name != "sqlite":
        yield
        return
    driver.execute("PRAGMA foreign_keys = OFF")
    try:
        yield
    finally:
        driver.execute("PRAGMA foreign_keys = ON")


def current_revision(connection: Connection) -> str | None:
    """The revision the database is at; ``None``: it is empty."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    revision: str | None = connection.scalar(text("SELECT version_num FROM alembic_version"))
    return revision


def alembic_config(connection: Connection | None = None) -> "Config":
    """Alembic's configuration for the migrations in this package."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config


def _run(engine: Engine, connection: Connection, revision: str) -> None:
    from alembic import command, util  # a quarter of a second, and rarely needed

    # checked again under the lock, because another process may have been faster
    before = current_revision(connection)
    if before == revision:
        return
    if before is None and inspect(connection).has_table("attempts"):
        raise StoreError(
            f"the database {place_of(engine)} holds tables of another program; name another file"
        )
    try:
        command.upgrade(alembic_config(connection), revision)
        if connection.dialect.name == "sqlite":
            broken = connection.exec_driver_sql("PRAGMA foreign_key_check").first()
            if broken is not None:
                raise StoreError(
                    f"the database {place_of(engine)} cannot be brought up to date: its table "
                    f"{broken[0]} refers to what is not there; put a backup in its place"
                )
    except util.CommandError as error:
        raise StoreError(
            f"the database {place_of(engine)} comes from a newer version of Aloud "
            f"({error}); upgrade Aloud"
        ) from error
