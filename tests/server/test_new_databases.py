import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from server.core.settings import sqlite_url
from server.db import migrate
from server.db.database import Database
from tests.worlds.new_databases import migrate_in_full


def dump(path: Path) -> list[str]:
    """Sorted, because migrations make the indexes of a table in any order."""
    Database(sqlite_url(path)).close()
    with closing(sqlite3.connect(path)) as connection:
        return sorted(connection.iterdump())


def test_a_database_with_repeated_tables_is_the_migrated_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repeated = [dump(tmp_path / name) for name in ("first.db", "second.db")]
    assert migrate._run is not migrate_in_full
    monkeypatch.setattr(migrate, "_run", migrate_in_full)
    migrated = dump(tmp_path / "migrated.db")
    assert len(migrated) > 50
    assert repeated == [migrated, migrated]
