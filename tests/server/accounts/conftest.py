"""Accounts over an empty database of each kind, at a time that the test sets."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from server.accounts.models import Account
from server.accounts.service import AccountService
from server.db.database import Database
from tests.worlds.people import PASSWORD, cheap_passwords

START = datetime(2026, 3, 1, 12, tzinfo=UTC)


class Clock:
    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def database(store_url: str) -> Iterator[Database]:
    opened = Database(store_url)
    yield opened
    opened.close()


@pytest.fixture
def accounts(database: Database, clock: Clock) -> AccountService:
    return AccountService(database, clock=clock, passwords=cheap_passwords())


def active(accounts: AccountService, name: str, role: str = "candidate") -> Account:
    made = accounts.add(name, role)
    return accounts.accept(accounts.invitations.invite(made.id).secret, PASSWORD)
