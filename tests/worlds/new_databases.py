"""New SQLite databases are migrated once in a process; later ones repeat the statements."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, inspect

from server.db import HEAD_REVISION, migrate

__all__ = ["migrate_in_full", "quick_new_databases"]

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
