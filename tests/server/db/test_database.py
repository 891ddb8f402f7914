"""The database: on the disk before anybody hears of it, for its owner only, plain errors."""

import os
import sqlite3
import time
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from sqlalchemy import select, text
from sqlalchemy.exc import DBAPIError

from server.core.errors import StoreError
from server.core.settings import sqlite_url
from server.db.database import Database, audit
from server.db.tables import AuditRow

pytestmark = pytest.mark.every_database


def test_a_commit_is_on_the_disk_before_anybody_hears_of_it(tmp_path: Path) -> None:
    database = Database(sqlite_url(tmp_path / "aloud.db"))
    with database.connect() as connection:
        assert connection.execute(text("PRAGMA synchronous")).scalar() == 2  # FULL
        assert connection.execute(text("PRAGMA journal_mode")).scalar() == "wal"
    database.close()


def test_an_instant_comes_back_in_utc(tmp_path: Path) -> None:
    database = Database(sqlite_url(tmp_path / "aloud.db"))
    east = timezone(timedelta(hours=9))
    for each in (
        datetime(2026, 3, 1, 9, 30, 0, 123456, tzinfo=east),
        datetime(2026, 3, 1, tzinfo=UTC),
    ):
        with database.write() as session:
            audit(session, each, None, "test", "test")
        with database.read() as session:
            found = session.scalars(select(AuditRow.at).order_by(AuditRow.id.desc())).first()
        assert found == each and found is not None and found.tzinfo is UTC
    database.close()


@pytest.mark.skipif(os.name != "posix", reason="the rights of files are those of POSIX")
def test_a_database_is_for_its_owner_only_new_or_given(tmp_path: Path) -> None:
    new, given = tmp_path / "new.db", tmp_path / "given.db"
    before = os.umask(0o022)
    try:
        made = sqlite3.connect(given)
        made.execute("PRAGMA journal_mode = WAL")
        made.execute("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)")
        made.commit()
        assert given.stat().st_mode & 0o777 == 0o644
        for path in (new, given):
            database = Database(sqlite_url(path))
            with database.write() as session:
                session.execute(text("CREATE TABLE more (n INTEGER)"))
            files = list(tmp_path.glob(f"{path.name}*"))
            assert len(files) == 3, "the log and its index too"
            assert {file.stat().st_mode & 0o777 for file in files} == {0o600}
            database.close()
        made.close()
    finally:
        os.umask(before)


def test_a_database_that_lost_its_content_is_named_not_started_over(tmp_path: Path) -> None:
    path = tmp_path / "aloud.db"
    path.touch()
    an_hour_ago = time.time() - 3600
    os.utime(path, (an_hour_ago, an_hour_ago))
    with pytest.raises(StoreError, match=r"aloud\.db has 0 bytes"):
        Database(sqlite_url(path))
    assert path.stat().st_size == 0
    path.touch()  # made by somebody who opens it right now
    Database(sqlite_url(path)).close()


@pytest.mark.parametrize(
    "url",
    [
        "postgresql+psycopg://ana:hunter2@hunter2@127.0.0.1:1/aloud",
        "postgresql+psycopg://ana:hunter2/@127.0.0.1:1/aloud",
        "postgresql+psycopg://ana:hunter2@127.0.0.1:1/aloud",
        "postgresql+psycopg://ana:hunter2%40home@127.0.0.1:1/aloud",
        "postgresql+psycopg://ana:a@hunter2/b@127.0.0.1:1/aloud",
        "postgresql+psycopg://ana:a@b?hunter2@127.0.0.1:1/aloud",
        "nothing://ana:a@hunter2/b@127.0.0.1/aloud",
        "postgresql+psycopg://127.0.0.1:1/aloud?user=ana&password=hunter2",
        "postgresql+psycopg://ana:hunter2",
        "postgresql+psycopg://ana@127.0.0.1:hunter2/aloud",
        "postgresql+nothing://ana:hunter2@127.0.0.1/aloud",
        "nothing://ana:hunter2@127.0.0.1/aloud",
        "hunter2",
    ],
)
def test_no_error_quotes_the_password_of_the_database(url: str) -> None:
    with pytest.raises(StoreError) as failed:
        Database(url).close()
    assert "hunter2" not in str(failed.value)
    shown: BaseException | None = failed.value
    while shown is not None:  # a traceback shows these too
        assert "hunter2" not in str(shown) or isinstance(shown, DBAPIError), shown
        shown = shown.__cause__
