"""A backup is worth what can be restored from it: into either kind of database, or nothing."""

import gzip
import json
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import MetaData, select, text

from server.attempts.service import Service
from server.attempts.store import Store
from server.core.errors import InvalidInputError, StoreError
from server.core.settings import sqlite_url
from server.db.database import Database
from server.db.engine import make_engine
from server.db.tables import CommentRow
from server.operations import backup
from server.operations.backup import back_up, restore
from tests.server.conftest import service_over
from tests.worlds.people import NOW, PASSWORD, People, people

pytestmark = pytest.mark.every_database

REVISIONS = Path(__file__).parents[1] / "db" / "revisions"


def rows_of(database: Database) -> dict[str, list[Any]]:
    """Everything in the database, without what only its kind makes different."""
    with database.read() as session:
        metadata = MetaData()
        metadata.reflect(session.connection())
        return {
            table.name: [
                tuple(_same(value) for value in row)
                for row in session.execute(select(table).order_by(*table.primary_key.columns))
            ]
            for table in metadata.sorted_tables
        }


def _same(value: Any) -> Any:
    return value.replace(tzinfo=None) if hasattr(value, "tzinfo") else value


def with_comments(world: People) -> People:
    """An answer to a comment, and one that was answered only later in the table."""
    with world.service.database.write() as session:
        for number, parent in ((1, None), (2, 1), (3, None)):
            session.add(
                CommentRow(
                    id=number,
                    attempt_id=world.attempt.id,
                    parent_id=parent,
                    author_id=world.by_name["cleo"].id,
                    kind="answer",
                    text=f"naïve – “{number}” \U0001f600",
                    created_at=NOW,
                    external_id=f"{number:032x}",
                )
            )
            session.flush()
        session.execute(text("UPDATE comments SET parent_id = 3 WHERE id = 1"))
    return world


@pytest.fixture
def world(service: Service, make: SimpleNamespace) -> People:
    """On SQLite and on PostgreSQL."""
    return with_comments(people(service, make.submission("I use paged attention “naïvely” 😀")))


@pytest.fixture
def small(new_service: Callable[[], Service], make: SimpleNamespace) -> People:
    return with_comments(people(new_service(), make.submission("I use paged attention")))


def url_of(world: People) -> str:
    return world.service.database.engine.url.render_as_string(hide_password=False)


def test_what_is_restored_is_what_was_there(world: People, tmp_path: Path) -> None:
    before = rows_of(world.service.database)
    assert all(before[name] for name in ("attempts", "reports", "comments", "recordings"))
    made = back_up(url_of(world), tmp_path / "all.aloud")
    url = sqlite_url(tmp_path / "restored.db")
    assert restore(url, tmp_path / "all.aloud") == made
    with closing(Database(url)) as restored:
        assert rows_of(restored) == before
    with Store(url) as store:
        service = service_over(store).of(world.by_name["ana"].id)
        assert service.attempt(world.attempt.id) == world.attempt
        again = service.submit(world.attempt.submission)
        assert again.id == world.attempt.id, "a submission that was there is still the same one"


def test_a_small_server_moves_to_postgresql_and_goes_on(
    small: People, postgresql_empty_url: str, make: SimpleNamespace, tmp_path: Path
) -> None:
    before = rows_of(small.service.database)
    back_up(url_of(small), tmp_path / "all.aloud")
    restore(postgresql_empty_url, tmp_path / "all.aloud")
    with Store(postgresql_empty_url) as store:
        assert rows_of(store.database) == before
        world = service_over(store)
        more = world.of(small.by_name["ana"].id).submit(make.submission("more"))
        assert more.id > small.attempt.id, "new rows are numbered after the restored ones"


def test_people_sign_in_after_a_restore(small: People, tmp_path: Path) -> None:
    from server.accounts.service import AccountService
    from tests.worlds.people import cheap_passwords

    back_up(url_of(small), tmp_path / "all.aloud")
    url = sqlite_url(tmp_path / "restored.db")
    restore(url, tmp_path / "all.aloud")
    with closing(Database(url)) as database:
        accounts = AccountService(database, passwords=cheap_passwords())
        assert accounts.sign_in("ana", PASSWORD, "127.0.0.1").name == "ana"
        assert accounts.actor_of_token(small.tokens["ana"]) is not None
        assert accounts.actor_of_token(small.tokens["revoked"]) is None
        assert accounts.secret() == small.accounts.secret(), "sessions go on"


def test_a_backup_of_an_older_version_is_brought_up_to_date(tmp_path: Path) -> None:
    import sqlite3

    path = tmp_path / "old.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((REVISIONS / "0005.sql").read_text(encoding="utf-8"))
        revision = connection.execute("SELECT version_num FROM alembic_version").fetchone()[0]
        attempts = connection.execute("SELECT count(*) FROM attempts").fetchone()[0]
    assert attempts
    with pytest.raises(StoreError, match="not this version's"):
        back_up(sqlite_url(path), tmp_path / "old.aloud")

    with pytest.MonkeyPatch.context() as patch:  # as the older version would have written it
        patch.setattr(backup, "HEAD_REVISION", revision)
        back_up(sqlite_url(path), tmp_path / "old.aloud")
    url = sqlite_url(tmp_path / "new.db")
    restore(url, tmp_path / "old.aloud")
    with Store(url) as store:
        assert len(store.ids()) + len(store.of(1).ids()) == attempts


def test_a_database_that_holds_something_is_left_as_it_is(small: People, tmp_path: Path) -> None:
    back_up(url_of(small), tmp_path / "all.aloud")
    before = rows_of(small.service.database)
    with pytest.raises(StoreError, match="not empty"):
        restore(url_of(small), tmp_path / "all.aloud")
    assert rows_of(small.service.database) == before


def test_a_backup_that_lacks_rows_restores_nothing(small: People, tmp_path: Path) -> None:
    path = tmp_path / "all.aloud"
    back_up(url_of(small), path)
    lines = gzip.decompress(path.read_bytes()).splitlines(keepends=True)
    place = next(i for i, line in enumerate(lines) if b'"attempts"' in line) + 1
    assert isinstance(json.loads(lines[place]), list)
    for fewer in (lines[:place] + lines[place + 1 :], lines[:-1]):
        path.write_bytes(gzip.compress(b"".join(fewer)))
        assert_restores_nothing(path, tmp_path)


@pytest.mark.parametrize(
    "content",
    [
        *(b"", b"no gzip", gzip.compress(b"[1]\n"), gzip.compress(b"{")),
        gzip.compress(b"[" * 200_000),
    ],  # gzip's bytes hold the time
    ids=["empty", "not gzip", "a list", "half an object", "deep"],
)
def test_what_is_no_backup_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "other.file"
    path.write_bytes(content)
    assert_restores_nothing(path, tmp_path)


def assert_restores_nothing(path: Path, folder: Path) -> None:
    url = sqlite_url(folder / "restored.db")
    with pytest.raises(InvalidInputError, match=path.name):
        restore(url, path)
    assert not list(folder.glob("restored.db*")), "a refused restore leaves no file"
    with closing(Database(url)) as database:
        before = rows_of(database)
    with pytest.raises(InvalidInputError, match=path.name):
        restore(url, path)
    with closing(Database(url)) as database:
        assert rows_of(database) == before, "an empty database stays one"
    for each in folder.glob("restored.db*"):
        each.unlink()


def test_a_backup_is_for_its_owner_only_and_never_written_over(
    small: People, tmp_path: Path
) -> None:
    path = tmp_path / "all.aloud"
    back_up(url_of(small), path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [each.name for each in tmp_path.iterdir()] == ["all.aloud"]
    before = path.read_bytes()
    with pytest.raises(InvalidInputError, match="already"):
        back_up(url_of(small), path)
    assert path.read_bytes() == before
    back_up(url_of(small), path, replace=True)
    with pytest.raises(InvalidInputError, match="cannot be written"):
        back_up(url_of(small), tmp_path / "no such folder" / "all.aloud")


def test_what_is_written_meanwhile_is_whole_or_not_in_it(
    world: People, make: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An answer that comes in between two tables: neither it nor its report."""

    taken: list[str] = []
    all_of = backup._all_of

    def with_an_answer_in_between(table: Any) -> Any:
        taken.append(table.name)
        if len(taken) == 2:
            world.of("ana").submit(make.submission("in between"))
        return all_of(table)

    monkeypatch.setattr(backup, "_all_of", with_an_answer_in_between)
    made = back_up(url_of(world), tmp_path / "all.aloud")
    assert world.of("ana").history().total == 2
    assert (made.rows["attempts"], made.rows["reports"]) == (1, 1)
    restore(sqlite_url(tmp_path / "restored.db"), tmp_path / "all.aloud")
    engine = make_engine(sqlite_url(tmp_path / "restored.db"))
    with engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA foreign_key_check").all() == []
    engine.dispose()
