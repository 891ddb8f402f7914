"""An account that is deleted is gone: from every table, and from the bytes on the disk."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import MetaData, select

from server.attempts.service import Service
from server.db.database import Database
from server.db.tables import JobFileRow, JobRow, RecordingRow
from tests.worlds.people import NOW, people

SECRET = "zanzibarquokka"
LOUD = b"\x00\x01zanzibar-sound\x02" * 400


def holding(database: Database, needle: str) -> list[str]:
    """The tables with a row that has this text in it, in whatever column."""
    found = []
    with database.read() as session:
        metadata = MetaData()
        metadata.reflect(session.connection())
        for table in metadata.sorted_tables:
            for row in session.execute(select(table)):
                if any(needle in _text(value) for value in row):
                    found.append(table.name)
                    break
    return found


def _text(value: Any) -> str:
    return bytes(value).decode("latin-1") if isinstance(value, bytes | memoryview) else str(value)


def on_disk(database: Database, needle: bytes) -> list[str]:
    """The database's files that have these bytes in them, in freed pages too."""
    path = Path(str(database.engine.url.database))
    return [each.name for each in path.parent.glob(f"{path.name}*") if needle in each.read_bytes()]


def owned_by(database: Database, account_id: int) -> dict[str, int]:
    """Rows that name the account in a column that refers to accounts, by table."""
    found: dict[str, int] = {}
    with database.read() as session:
        metadata = MetaData()
        metadata.reflect(session.connection())
        for table in metadata.sorted_tables:
            for key in table.foreign_keys:
                if key.column.table.name == "accounts":
                    rows = session.execute(select(table).where(key.parent == account_id)).all()
                    if rows:
                        found[table.name] = found.get(table.name, 0) + len(rows)
    return found


@pytest.mark.every_database
def test_nothing_of_a_deleted_account_is_left(service: Service, make: SimpleNamespace) -> None:
    world = people(service, make.submission(f"I use paged attention {SECRET}"))
    database, ana = service.database, world.by_name["ana"].id
    client = world.client("ana")
    world.accounts.change(ana, role="candidate", display_name=f"Ana {SECRET}")
    world.accounts.tokens.add(ana, f"{SECRET} laptop")
    for who in ("ana", "cleo"):
        said = world.client(who).post(
            f"/api/v1/attempts/{world.attempt.id}/comments",
            json={"kind": "answer", "text": f"{SECRET} {who}", "external_id": uuid4().hex},
        )
        assert said.status_code == 200
    with database.write() as session:
        recording = session.get(RecordingRow, world.attempt.id)
        assert recording is not None
        recording.content = LOUD
        job = JobRow(
            kind="export", state="done", payload={"x": SECRET}, owner_id=ana, created_at=NOW
        )
        session.add(job)
        session.flush()
        session.add(
            JobFileRow(job_id=job.id, name="a.csv", media_type="text/csv", content=SECRET.encode())
        )
    everything = client.get("/api/v1/archive").json()
    assert SECRET in str(everything), "what is exported first has it all"
    before = owned_by(database, ana)
    assert {"attempts", "tokens", "shares", "recordings", "comments", "jobs"} <= set(before)
    assert {"attempts", "comments", "jobs", "job_files"} <= set(holding(database, SECRET))
    bens = world.of("ben").submit(make.submission("Ben stays"))

    world.accounts.delete(ana)

    assert owned_by(database, ana) == {}
    assert holding(database, SECRET) == []
    assert holding(database, "zanzibar-sound") == []
    assert world.of("ben").attempt(bens.id) == bens
    assert client.get("/api/v1/attempts").status_code == 401
    if not database.is_postgresql:
        assert on_disk(database, b"Ben stays"), "the files are read where the rows are"
        assert on_disk(database, SECRET.encode()) == []
        assert on_disk(database, b"zanzibar-sound") == []
