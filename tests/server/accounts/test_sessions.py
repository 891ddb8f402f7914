"""Single sessions that end, and what is kept of them."""

from datetime import timedelta

import pytest
from sqlalchemy import select

from server.accounts.service import AccountService
from server.accounts.sessions import SESSION_FOR
from server.db.tables import EndedSessionRow
from tests.server.accounts.conftest import Clock, active


def kept(accounts: AccountService) -> list[str]:
    with accounts.database.read() as session:
        return list(session.scalars(select(EndedSessionRow.digest)))


def test_one_session_ends_and_the_others_go_on(accounts: AccountService) -> None:
    ana = active(accounts, "ana")
    for _ in range(2):  # twice is once
        accounts.sessions.end(ana.id, "one")
    assert accounts.actor_of_session(ana.id, ana.session_epoch, "one") is None
    assert accounts.actor_of_session(ana.id, ana.session_epoch, "another") is not None
    assert len(kept(accounts)) == 1
    assert "one" not in kept(accounts), "what is kept opens nothing"


@pytest.mark.every_database
def test_what_is_kept_of_it_goes_once_its_cookie_has_expired(
    accounts: AccountService, clock: Clock
) -> None:
    ana = active(accounts, "ana")
    accounts.sessions.end(ana.id, "one")
    clock.now += SESSION_FOR
    accounts.sessions.end(ana.id, "two")
    assert len(kept(accounts)) == 2, "a cookie is valid to the end of its last second"
    clock.now += timedelta(days=2)
    accounts.sessions.end(ana.id, "three")
    assert len(kept(accounts)) == 2


def test_it_goes_with_the_account_and_is_not_made_for_one_that_is_gone(
    accounts: AccountService,
) -> None:
    ana = active(accounts, "ana")
    accounts.sessions.end(ana.id, "one")
    accounts.delete(ana.id)
    accounts.sessions.end(ana.id, "two")
    assert kept(accounts) == []
