"""Statements on the driver's own cursor do what SQLAlchemy's do."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone

import pytest
from sqlalchemy import bindparam, column, insert, select
from sqlalchemy.exc import IntegrityError

from server.core.errors import StoreError
from server.db.database import Database
from server.db.prepared import Prepared
from server.db.tables import AuditRow, ServerSecretRow

ADD = Prepared(insert(AuditRow).returning(AuditRow.id), ("at", "actor_id", "action", "object"))
OF_ACTION = Prepared(
    select(AuditRow.id, AuditRow.object)
    .where(AuditRow.action == bindparam("action"), AuditRow.object != "secret")
    .order_by(AuditRow.id)
)
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def database(store_url: str) -> Iterator[Database]:
    opened = Database(store_url)
    yield opened
    opened.close()


def row(subject: str, action: str = "tested") -> dict[str, object]:
    elsewhere = NOON.astimezone(timezone(timedelta(hours=5)))
    return {"at": elsewhere, "actor_id": None, "action": action, "object": subject}


def test_what_is_written_is_read_by_both(database: Database) -> None:
    with database.insert() as connection:
        ((first,),) = ADD(connection, row("one"))
        ADD.each(connection, [row("two"), row("secret"), row("three", action="other")])
        ADD.each(connection, [])
    with database.connect() as connection:
        assert [each[1] for each in OF_ACTION(connection, {"action": "tested"})] == ["one", "two"]
        assert OF_ACTION(connection, {"action": "nothing"}) == []
    with database.read() as session:
        kept = session.get_one(AuditRow, first)
        assert (kept.at, kept.actor_id, kept.object) == (NOON, None, "one")


def test_an_error_is_sqlalchemys_and_undoes_the_transaction(database: Database) -> None:
    add = Prepared(insert(ServerSecretRow), ("name", "value"))
    with pytest.raises(IntegrityError) as caught, database.insert() as connection:
        add(connection, {"name": "a", "value": "planted"})
        add(connection, {"name": "a", "value": "planted"})
    assert "planted" not in str(caught.value)
    with database.read() as session:
        assert session.scalars(select(ServerSecretRow)).all() == []


def test_a_missing_value_is_an_error(database: Database) -> None:
    with pytest.raises(KeyError, match="object"), database.insert() as connection:
        ADD(connection, {name: value for name, value in row("one").items() if name != "object"})


def test_a_database_that_cannot_be_used_is_one_clear_error(database: Database) -> None:
    missing = Prepared(select(column("nothing")).where(AuditRow.action == bindparam("action")))
    with pytest.raises(StoreError, match="cannot be used"), database.connect() as connection:
        missing(connection, {"action": "tested"})
