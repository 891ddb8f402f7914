"""A server with accounts: two candidates, two coaches, an admin; for the tests of what they may.

Ana practiced, and shows her attempt to the coaches of her cohort. Cleo is one of them, Dora coaches
another cohort, Ben is in Ana's cohort, Ed is the admin.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from argon2 import PasswordHasher
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import Table, func, insert, select

from server.accounts.credentials import Passwords, digest, new_secret
from server.accounts.models import Account, Cohort
from server.accounts.service import AccountService
from server.attempts.service import Service
from server.contract import Attempt, Submission, Transcript
from server.core.settings import ServerSettings
from server.db.database import Database
from server.db.tables import Base, JobFileRow, JobRow, RecordingRow, ShareLinkRow, ShareRow
from server.web.app import create_app
from tests.worlds.one_loop import OneLoopClient

__all__ = ["PASSWORD", "People", "cheap_passwords", "people", "typed_answer"]

PASSWORD = "a long enough password"
NOW = datetime(2026, 3, 1, tzinfo=UTC)
LATER = datetime(2126, 3, 1, tzinfo=UTC)


def cheap_passwords() -> Passwords:
    """Argon2 as cheap as it gets: its cost is not what is tested."""
    return Passwords(PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))


def typed_answer(text: str = "I use paged attention") -> Submission:
    """The same each time, for a world that lasts longer than a test."""
    return Submission(
        submission_id=f"{1:032x}",
        question_id="kv-cache",
        created_at=NOW,
        transcript=Transcript(text=text, engine="typed"),
    )


@dataclass
class People:
    """The server, who there is on it, and what each sends to be known.

    Attributes:
        accounts: by name, here and in ``tokens``.
        attempt: Ana's, shown to the cohort ``spring`` with its recording.
        link: what a guest has of Ana: the secret of a share link.
        invitation: the secret of an invitation of Ben's.
    """

    app: FastAPI
    service: Service
    accounts: AccountService
    by_name: dict[str, Account]
    tokens: dict[str, str]
    spring: Cohort
    autumn: Cohort
    attempt: Attempt
    share_id: int
    link: str
    invitation: str
    extra: dict[str, Any] = field(default_factory=dict)

    def client(self, who: str | None = None, **headers: str) -> TestClient:
        """A client that is known as this person by a token; ``None``: not known."""
        known = {"Authorization": f"Bearer {self.tokens[who]}"} if who else {}
        return OneLoopClient(
            self.app, base_url="http://localhost", follow_redirects=False, headers=known | headers
        )

    def of(self, name: str) -> Service:
        """The service over what belongs to this person."""
        return self.service.of(self.by_name[name].id)


@dataclass(frozen=True)
class _Accounts:
    """Everybody before Ana has practiced, as ``People`` names them, with the rows that they are."""

    by_name: dict[str, Account]
    tokens: dict[str, str]
    token_id: int
    spring: Cohort
    autumn: Cohort
    invitation: str
    rows: list[tuple[Table, list[dict[str, Any]]]]

    def copy_to(self, database: Database) -> None:
        """Inserts the rows into an empty database, which then counts on from them."""
        with database.insert() as connection:
            for table, rows in self.rows:
                connection.execute(insert(table), rows)
                if database.is_postgresql and "id" in table.columns:
                    counter = func.pg_get_serial_sequence(table.name, "id")
                    last = max(row["id"] for row in rows)
                    connection.execute(select(func.setval(counter, last)))


_first: list[_Accounts] = []
"""The accounts of this process's first server, which the others copy: making them takes longer."""


def _accounts_on(database: Database, accounts: AccountService) -> _Accounts:
    if _first:
        _first[0].copy_to(database)
    else:
        _first.append(_make_accounts(database, accounts))
    return _first[0]


def _make_accounts(database: Database, accounts: AccountService) -> _Accounts:
    by_name = {
        name: accounts.add(name, role, display_name=name.title())
        for name, role in (
            *(("ana", "candidate"), ("ben", "candidate")),
            *(("cleo", "coach"), ("dora", "coach"), ("ed", "admin")),
        )
    }
    for each in by_name.values():
        accounts.accept(accounts.invitations.invite(each.id).secret, PASSWORD)
    spring, autumn = accounts.cohorts.add("spring"), accounts.cohorts.add("autumn")
    for cohort, name, as_role in (
        *((spring, "ana", "candidate"), (spring, "ben", "candidate"), (spring, "cleo", "coach")),
        (autumn, "dora", "coach"),
    ):
        accounts.cohorts.assign(cohort.id, by_name[name].id, as_role)
    made = {name: accounts.tokens.add(each.id, "laptop") for name, each in by_name.items()}
    tokens = {name: each.secret for name, each in made.items()}
    revoked = accounts.tokens.add(by_name["ana"].id, "lost laptop")
    accounts.tokens.revoke(by_name["ana"].id, revoked.token.id)
    tokens["revoked"] = revoked.secret
    invitation = accounts.invitations.invite(by_name["ben"].id).secret
    with database.connect() as connection:
        found = (
            (table, [dict(row) for row in connection.execute(select(table)).mappings()])
            for table in Base.metadata.sorted_tables
        )
        rows = [(table, each) for table, each in found if each]
    return _Accounts(
        by_name=by_name,
        tokens=tokens,
        token_id=made["ana"].token.id,
        spring=accounts.cohorts.get(spring.id),
        autumn=accounts.cohorts.get(autumn.id),
        invitation=invitation,
        rows=rows,
    )


def people(
    service: Service, submission: Submission, settings: Mapping[str, object] | None = None
) -> People:
    """The server on an empty database."""
    accounts = AccountService(service.database, passwords=cheap_passwords())
    known = _accounts_on(service.database, accounts)
    ana = known.by_name["ana"].id
    attempt = service.of(ana).submit(submission)
    link = new_secret()
    with service.database.write() as session:
        share = ShareRow(
            owner_id=ana,
            attempt_id=attempt.id,
            cohort_id=known.spring.id,
            with_audio=True,
            created_at=NOW,
        )
        session.add(share)
        session.flush()
        job = JobRow(kind="regrade", state="done", payload={}, owner_id=ana, created_at=NOW)
        session.add(job)
        session.flush()
        session.add(JobFileRow(job_id=job.id, name="a.csv", media_type="text/csv", content=b"a,b"))
        link_row = ShareLinkRow(
            share_id=share.id,
            token_hash=digest(link),
            label="my coach",
            created_at=NOW,
            expires_at=LATER,
        )
        recording = RecordingRow(
            attempt_id=attempt.id,
            owner_id=ana,
            media_type="audio/flac",
            duration_s=1.0,
            content=b"fLaC",
            sha256="0" * 64,
            uploaded_at=NOW,
        )
        session.add_all([link_row, recording])
        session.flush()
    values: dict[str, object] = {"database_url": "sqlite://", **(settings or {})}
    app = create_app(ServerSettings.model_validate(values), service=service, accounts=accounts)
    return People(
        app=app,
        service=service,
        accounts=accounts,
        by_name=dict(known.by_name),
        tokens=dict(known.tokens),
        spring=known.spring,
        autumn=known.autumn,
        attempt=attempt,
        share_id=share.id,
        link=link,
        invitation=known.invitation,
        extra={"token_id": known.token_id, "job_id": job.id, "link_id": link_row.id},
    )
