"""New SQLite databases are migrated once in a process; later ones repeat the statements."""

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, Dialect, Engine, inspect
from sqlalchemy.engine.default import DefaultDialect

from client.backend import embedded
from client.core.settings import ClientSettings
from server.core.settings import sqlite_url
from server.db import HEAD_REVISION, migrate
from server.db import engine as db_engine
from server.db.database import Database

__all__ = [
    "compiled_once",
    "migrate_in_full",
    "on_sqlite",
    "quick_new_databases",
    "quick_new_homes",
]

Migrate = Callable[[Engine, Connection, str], None]

migrate_in_full: Migrate = migrate._run


@pytest.fixture(scope="session", autouse=True)
def quick_new_databases() -> Iterator[None]:
    """Replaces a tenth of a second of migrations by the tables that they made the first time.

    PostgreSQL, databases with tables, and other revisions are migrated as ever.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(migrate, "_run", _remembering())
        yield


@pytest.fixture(scope="session", autouse=True)
def quick_new_homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Gives a new data folder a copy of a database with tables: making them takes 0.07 s."""
    made = embedded.make_home
    first = tmp_path_factory.mktemp("first") / "aloud.db"

    def with_tables(settings: ClientSettings) -> None:
        made(settings)
        if not first.exists():
            Database(sqlite_url(first)).close()
            with closing(sqlite3.connect(first)) as connection:
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        if not settings.database.stat().st_size:
            settings.database.write_bytes(first.read_bytes())

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(embedded, "make_home", with_tables)
        yield


@pytest.fixture(scope="session", autouse=True)
def compiled_once() -> Iterator[None]:
    """Statements are compiled once for each kind of database, not for each of thousands."""
    made = db_engine.create_engine
    kinds: dict[str, Any] = {}

    def sharing(*arguments: Any, **options: Any) -> Engine:
        engine = made(*arguments, **options)
        first = kinds.setdefault(engine.dialect.name, engine)
        engine._compiled_cache = first._compiled_cache
        return engine

    def same_kind(one: Dialect, other: object) -> bool:
        return type(one) is type(other)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(db_engine, "create_engine", sharing)
        patch.setattr(DefaultDialect, "__eq__", same_kind)
        patch.setattr(DefaultDialect, "__hash__", lambda one: hash(type(one)), raising=False)
        yield


@pytest.fixture(name="store_url")
def on_sqlite(tmp_path: Path, sqlite_template: Path) -> str:
    """For pages and routes, imported by their tests: what is stored is tested on every database."""
    path = tmp_path / "aloud.db"
    shutil.copyfile(sqlite_template, path)
    return sqlite_url(path)


def _remembering() -> Migrate:
    statements: list[str] = []

    def run(engine: Engine, connection: Connection, revision: str) -> None:
        nonlocal statements
        new = connection.dialect.name == "sqlite" and not inspect(connection).get_table_names()
        if not new or revision != HEAD_REVISION:
            migrate_in_full(engine, connection, revision)
        elif not statements:
            migrate_in_full(engine, connection, revision)
            driver: Any = connection.connection.driver_connection
            statements = list(driver.iterdump())[1:-1]  # without BEGIN and COMMIT
        else:
            for statement in statements:
                connection.exec_driver_sql(statement)

    return run
