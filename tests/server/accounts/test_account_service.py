from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from sqlalchemy import inspect, select, text

from server.accounts.access_tokens import MAX_TOKENS
from server.accounts.invitations import VALID_FOR
from server.accounts.service import AccountService, clean_name
from server.accounts.sessions import SESSION_FOR
from server.accounts.throttle import (
    NAME_WINDOW,
    PER_ADDRESS,
    PER_NAME,
    PER_NAME_AND_ADDRESS,
    WINDOW,
)
from server.core.access import Actor
from server.core.errors import (
    ConflictError,
    InvalidInputError,
    NotFoundError,
    TooManyTriesError,
    WrongSignInError,
)
from server.db.database import Database
from server.db.tables import AuditRow, EndedSessionRow
from tests.server.accounts.conftest import Clock, active
from tests.worlds.people import PASSWORD, cheap_passwords

HERE = "192.0.2.1"
ELSEWHERE = "203.0.113.9"


def everything(database: Database) -> str:
    """All that the database holds, as text."""
    with database.read() as session:
        names = inspect(session.connection()).get_table_names()
        return "\n".join(
            str(tuple(row))
            for name in names
            for row in session.execute(text(f"SELECT * FROM {name}"))
        )


@pytest.mark.every_database
def test_an_account_is_of_use_when_its_invitation_is_used(accounts: AccountService) -> None:
    assert not accounts.any()
    ana = accounts.add("  Ana.Silva ", "candidate", display_name=" Ana   Silva ")
    assert (ana.name, ana.display_name, ana.state) == ("ana.silva", "Ana Silva", "invited")
    with pytest.raises(WrongSignInError):
        accounts.sign_in("ana.silva", PASSWORD, HERE)
    invited = accounts.invitations.invite(ana.id)
    assert accounts.invitations.account(invited.secret) == ana
    accepted = accounts.accept(invited.secret, PASSWORD)
    assert accepted.state == "active"
    assert accounts.sign_in("ANA.Silva", PASSWORD, HERE) == accepted
    assert accounts.any() and accounts.all() == (accepted,)
    with pytest.raises(ConflictError, match=r"ana\.silva"):
        accounts.add("ANA.SILVA", "coach")


@pytest.mark.parametrize("name", ["", " ", "a b", "a/b", "x" * 81, "<b>", "a\n", "\0", "\ud800"])
def test_what_is_no_name(name: str) -> None:
    if name == "a\n":
        assert clean_name(name) == "a"
        return
    with pytest.raises(InvalidInputError):
        clean_name(name)


@pytest.mark.parametrize("password", ["", "short", "x" * 201, "aaaaaaaaaaaa", "ana.silva12"])
def test_a_password_that_will_not_do_uses_up_no_invitation(
    accounts: AccountService, password: str
) -> None:
    secret = accounts.invitations.invite(accounts.add("ana.silva", "admin").id).secret
    with pytest.raises(InvalidInputError):
        accounts.accept(secret, password)
    assert accounts.accept(secret, PASSWORD).has_password


def test_an_invitation_works_once_and_for_a_week_and_only_the_latest(
    accounts: AccountService, clock: Clock
) -> None:
    ana = accounts.add("ana", "candidate")
    first, second = (accounts.invitations.invite(ana.id).secret for _ in range(2))
    for wrong in (first, "", "nonsense", second[:-1]):
        with pytest.raises(NotFoundError, match="not valid"):
            accounts.accept(wrong, PASSWORD)
    accounts.accept(second, PASSWORD)
    with pytest.raises(NotFoundError, match="not valid"):
        accounts.accept(second, "another password")
    third = accounts.invitations.invite(ana.id).secret
    clock.now += VALID_FOR
    with pytest.raises(NotFoundError, match="not valid"):
        accounts.invitations.account(third)


def test_a_new_invitation_replaces_a_lost_password_and_ends_sessions(
    accounts: AccountService,
) -> None:
    ana = active(accounts, "ana")
    assert accounts.actor_of_session(ana.id, ana.session_epoch, "a session") is not None
    accounts.accept(accounts.invitations.invite(ana.id).secret, "a quite different one")
    assert accounts.actor_of_session(ana.id, ana.session_epoch, "a session") is None
    with pytest.raises(WrongSignInError):
        accounts.sign_in("ana", PASSWORD, HERE)
    accounts.sign_in("ana", "a quite different one", HERE)


def test_an_unknown_name_and_a_wrong_password_are_told_alike(accounts: AccountService) -> None:
    active(accounts, "ana")
    message = set()
    for name, password in [("ana", "wrong password"), ("nobody", PASSWORD), ("\0", ""), ("", "")]:
        with pytest.raises(WrongSignInError) as caught:
            accounts.sign_in(name, password, HERE)
        message.add(str(caught.value))
    assert message == {"name or password is wrong"}


def wrong(accounts: AccountService, name: str, address: str, times: int = 1) -> None:
    for _ in range(times):
        with pytest.raises(WrongSignInError):
            accounts.sign_in(name, "wrong password", address)


def refused(accounts: AccountService, name: str, address: str, mark: str = "") -> int:
    """How long somebody with the right password must wait."""
    with pytest.raises(TooManyTriesError) as caught:
        accounts.sign_in(name, PASSWORD, address, mark)
    return caught.value.wait_s


def test_a_name_is_locked_for_the_address_that_tries_it_and_for_nobody_else(
    accounts: AccountService, clock: Clock
) -> None:
    active(accounts, "ana")
    active(accounts, "ben")
    wrong(accounts, "Ana", ELSEWHERE, PER_NAME_AND_ADDRESS)
    assert refused(accounts, "ana", ELSEWHERE) == WINDOW.total_seconds()
    assert accounts.sign_in("ana", PASSWORD, HERE).name == "ana"
    accounts.sign_in("ben", PASSWORD, ELSEWHERE)
    clock.now += WINDOW
    assert accounts.sign_in("ana", PASSWORD, ELSEWHERE).name == "ana"


def test_a_name_that_is_tried_from_everywhere_is_slowed_down_for_a_minute(
    accounts: AccountService, clock: Clock
) -> None:
    active(accounts, "ana")
    active(accounts, "ben")
    for each in range(PER_NAME):
        wrong(accounts, "ana", f"198.51.100.{each}")
    assert refused(accounts, "ana", HERE) == NAME_WINDOW.total_seconds() <= 60
    accounts.sign_in("ben", PASSWORD, HERE)
    clock.now += NAME_WINDOW
    accounts.sign_in("ana", PASSWORD, HERE)


def test_a_browser_that_one_signed_in_with_before_is_not_slowed_down_by_strangers(
    accounts: AccountService,
) -> None:
    ana, ben = active(accounts, "ana"), active(accounts, "ben")
    mark = accounts.known_browsers.mark(ana.name)
    for each in range(PER_NAME):
        wrong(accounts, "ana", f"198.51.100.{each}")
    refused(accounts, "ana", HERE)
    for forged in ("", "x", mark[:-1] + "?", accounts.known_browsers.mark(ben.name), "\0", "é"):
        refused(accounts, "ana", HERE, forged)
    assert accounts.sign_in("Ana", PASSWORD, HERE, mark).name == "ana"
    assert "ana" not in mark


def test_a_known_browser_has_no_more_tries_than_any_address(accounts: AccountService) -> None:
    ana = active(accounts, "ana")
    mark = accounts.known_browsers.mark(ana.name)
    for each in range(PER_NAME_AND_ADDRESS):
        with pytest.raises(WrongSignInError):
            accounts.sign_in("ana", "wrong password", f"198.51.100.{each}", mark)
    refused(accounts, "ana", HERE, mark)
    accounts.sign_in("ana", PASSWORD, HERE)


def test_wrong_passwords_from_one_address_are_limited_for_all_names(
    accounts: AccountService,
) -> None:
    active(accounts, "ana")
    for each in range(PER_ADDRESS):
        wrong(accounts, f"name{each}", HERE)
    refused(accounts, "ana", HERE)
    accounts.sign_in("ana", PASSWORD, ELSEWHERE)


@pytest.mark.parametrize(
    ("one", "same", "another"),
    [
        ("2001:db8::1", "2001:db8::ffff:1", "2001:db8:0:1::1"),
        ("::ffff:192.0.2.7", "192.0.2.7", "192.0.2.8"),
    ],
)
def test_an_address_is_counted_as_what_one_person_has(
    accounts: AccountService, one: str, same: str, another: str
) -> None:
    active(accounts, "ana")
    wrong(accounts, "ana", one, PER_NAME_AND_ADDRESS)
    refused(accounts, "ana", same)
    accounts.sign_in("ana", PASSWORD, another)


def test_signing_in_or_an_invitation_lifts_the_limit_of_a_name(
    accounts: AccountService, clock: Clock
) -> None:
    ana = active(accounts, "ana")
    for _ in range(2):
        wrong(accounts, "ana", HERE, PER_NAME_AND_ADDRESS - 1)
        accounts.sign_in("ana", PASSWORD, HERE)
        clock.now += NAME_WINDOW
    wrong(accounts, "ana", HERE, PER_NAME_AND_ADDRESS)
    refused(accounts, "ana", HERE)
    accounts.accept(accounts.invitations.invite(ana.id).secret, PASSWORD, HERE)
    assert accounts.sign_in("ana", PASSWORD, HERE) == accounts.named("ana")


def test_passwords_that_are_right_are_not_counted(accounts: AccountService) -> None:
    active(accounts, "ana")
    for _ in range(PER_NAME + 1):
        accounts.sign_in("ana", PASSWORD, HERE)


def test_saying_the_password_again_is_limited_for_the_one_who_is_signed_in(
    accounts: AccountService,
) -> None:
    ana = active(accounts, "ana")
    for each in range(PER_NAME):
        wrong(accounts, "ana", f"198.51.100.{each}")
    assert accounts.confirm(ana.id, PASSWORD) == ana
    for _ in range(PER_NAME_AND_ADDRESS):
        with pytest.raises(WrongSignInError):
            accounts.confirm(ana.id, "wrong password")
    with pytest.raises(TooManyTriesError):
        accounts.confirm(ana.id, PASSWORD)


def test_a_clock_that_was_set_back_blocks_nobody(accounts: AccountService, clock: Clock) -> None:
    active(accounts, "ana")
    wrong(accounts, "ana", HERE, PER_NAME_AND_ADDRESS)
    refused(accounts, "ana", HERE)
    clock.now -= timedelta(hours=1)
    accounts.sign_in("ana", PASSWORD, HERE)
    wrong(accounts, "ana", HERE, PER_NAME_AND_ADDRESS)
    refused(accounts, "ana", HERE)


@pytest.mark.every_database
def test_several_processes_count_together(database: Database, clock: Clock) -> None:
    one, other = (
        AccountService(database, clock=clock, passwords=cheap_passwords()) for _ in range(2)
    )
    active(one, "ana")
    for each in range(PER_NAME_AND_ADDRESS):
        wrong(one if each % 2 else other, "ana", HERE)
    for service in (one, other):
        refused(service, "ana", HERE)


@pytest.mark.every_database
def test_tries_at_the_same_time_are_counted_one_by_one(database: Database, clock: Clock) -> None:
    services = [
        AccountService(database, clock=clock, passwords=cheap_passwords()) for _ in range(4)
    ]
    active(services[0], "ana")
    answers: list[str] = []

    def guess(service: AccountService) -> None:
        for _ in range(PER_NAME_AND_ADDRESS):
            with pytest.raises((WrongSignInError, TooManyTriesError)) as caught:
                service.sign_in("ana", "wrong password", HERE)
            answers.append(caught.value.code)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(guess, services))
    assert len(answers) == 4 * PER_NAME_AND_ADDRESS
    assert answers.count("wrong-sign-in") == PER_NAME_AND_ADDRESS


def test_all_processes_sign_with_the_same_secret(database: Database) -> None:
    services = [AccountService(database) for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(AccountService.secret, services))
    assert len(set(found)) == 1 and len(found[0]) >= 32
    assert AccountService(database, secret="one of my own, long enough").secret() != found[0]


def test_another_password_needs_the_old_one_and_ends_sessions(accounts: AccountService) -> None:
    ana = active(accounts, "ana")
    with pytest.raises(WrongSignInError):
        accounts.change_password(ana.id, "wrong password", "a brand new one")
    with pytest.raises(InvalidInputError):
        accounts.change_password(ana.id, PASSWORD, "short")
    changed = accounts.change_password(ana.id, PASSWORD, "a brand new one")
    assert accounts.actor_of_session(ana.id, ana.session_epoch, "a session") is None
    assert accounts.actor_of_session(ana.id, changed.session_epoch, "a session") is not None
    accounts.sign_in("ana", "a brand new one", HERE)


def test_a_token_is_its_accounts_until_it_is_revoked(
    accounts: AccountService, clock: Clock
) -> None:
    ana, ben = active(accounts, "ana"), active(accounts, "ben", "coach")
    made = accounts.tokens.add(ana.id, "  my   laptop ")
    assert made.secret.startswith(made.token.prefix) and made.token.label == "my laptop"
    assert accounts.actor_of_token(made.secret) == Actor(
        "candidate", ana.id, "ana", "ana", by_token=True
    )
    for wrong in ("", "aloud_", made.secret[:-1], made.secret + "x", "\0", "ü"):
        assert accounts.actor_of_token(wrong) is None
    assert accounts.tokens.of(ana.id)[0].last_used_at == clock.now
    with pytest.raises(NotFoundError):
        accounts.tokens.revoke(ben.id, made.token.id)
    assert accounts.tokens.revoke(ana.id, made.token.id).revoked_at == clock.now
    assert accounts.actor_of_token(made.secret) is None
    for wrong_id in (0, -1, 99, 2**63, 10**30):
        with pytest.raises(NotFoundError):
            accounts.tokens.revoke(ana.id, wrong_id)


def test_a_token_and_a_session_open_the_cohorts_that_the_account_coaches(
    accounts: AccountService,
) -> None:
    cleo = active(accounts, "cleo", "coach")
    secret = accounts.tokens.add(cleo.id, "laptop").secret
    own = [accounts.cohorts.add(name).id for name in ("spring", "summer", "winter")]
    for expected in ((), own[:1], own[:2]):
        if expected:
            accounts.cohorts.assign(expected[-1], cleo.id, "coach")
        else:
            accounts.cohorts.assign(own[2], cleo.id, "candidate")
        by_token = accounts.actor_of_token(secret)
        by_session = accounts.actor_of_session(cleo.id, cleo.session_epoch, "a session")
        assert by_token is not None and by_session is not None
        assert by_token.coached == by_session.coached == frozenset(expected)


@pytest.mark.every_database
def test_an_account_has_only_so_many_tokens(accounts: AccountService) -> None:
    ana = accounts.add("ana", "candidate")
    ids = [accounts.tokens.add(ana.id, "one of many").token.id for _ in range(MAX_TOKENS)]
    with pytest.raises(ConflictError, match="revoke"):
        accounts.tokens.add(ana.id, "one too many")
    accounts.tokens.revoke(ana.id, ids[0])
    accounts.tokens.add(ana.id, "in its place")
    for label in ("", " ", "x" * 81, "a\0b"):
        with pytest.raises(InvalidInputError):
            accounts.tokens.add(ana.id, label)


def test_who_is_disabled_has_neither_session_nor_token_nor_invitation(
    accounts: AccountService,
) -> None:
    ana = active(accounts, "ana")
    secret = accounts.tokens.add(ana.id, "laptop").secret
    invitation = accounts.invitations.invite(ana.id).secret
    disabled = accounts.disable(ana.id)
    assert disabled.state == "disabled"
    assert accounts.actor_of_token(secret) is None
    for epoch in (ana.session_epoch, disabled.session_epoch):
        assert accounts.actor_of_session(ana.id, epoch, "a session") is None
    with pytest.raises(WrongSignInError):
        accounts.sign_in("ana", PASSWORD, HERE)
    with pytest.raises(NotFoundError):
        accounts.accept(invitation, PASSWORD)
    with pytest.raises(ConflictError, match="enable"):
        accounts.invitations.invite(ana.id)
    accounts.enable(ana.id)
    assert accounts.actor_of_token(secret) is not None


@pytest.mark.every_database
def test_the_only_admin_stays_one(accounts: AccountService) -> None:
    ed = active(accounts, "ed", "admin")
    disabled = accounts.add("eve", "admin")
    accounts.disable(disabled.id)
    for take_away in (
        lambda: accounts.disable(ed.id),
        lambda: accounts.delete(ed.id),
        lambda: accounts.change(ed.id, role="coach", display_name="Ed"),
    ):
        with pytest.raises(ConflictError, match="only admin"):
            take_away()
    accounts.enable(disabled.id)
    accounts.delete(ed.id)
    assert [each.name for each in accounts.all()] == ["eve"]


def test_cohorts_say_who_coaches_whom(accounts: AccountService) -> None:
    ana, cleo = active(accounts, "ana"), active(accounts, "cleo", "coach")
    spring = accounts.cohorts.add(" Spring  2026 ", audio_days=30)
    with pytest.raises(ConflictError):
        accounts.cohorts.add("Spring 2026")
    with pytest.raises(InvalidInputError, match="is a candidate"):
        accounts.cohorts.assign(spring.id, ana.id, "coach")
    with pytest.raises(InvalidInputError):
        accounts.cohorts.assign(spring.id, ana.id, "owner")
    accounts.cohorts.assign(spring.id, ana.id, "candidate")
    accounts.cohorts.assign(spring.id, cleo.id, "candidate")
    accounts.cohorts.assign(spring.id, cleo.id, "coach")
    found = accounts.cohorts.named("Spring 2026")
    assert [(m.account.name, m.as_role) for m in found.members] == [
        *(("ana", "candidate"), ("cleo", "coach"))
    ]
    assert accounts.cohorts.of(ana.id) == accounts.cohorts.all() == (found,)
    actor = accounts.actor_of_session(cleo.id, cleo.session_epoch, "a session")
    assert actor is not None and actor.coached == {spring.id}
    accounts.change(cleo.id, role="candidate", display_name="Cleo")
    demoted = accounts.actor_of_session(cleo.id, cleo.session_epoch, "a session")
    assert demoted is not None and demoted.coached == frozenset()
    accounts.cohorts.unassign(spring.id, ana.id)
    with pytest.raises(NotFoundError):
        accounts.cohorts.unassign(spring.id, ana.id)
    accounts.cohorts.delete(spring.id)
    assert accounts.cohorts.all() == () and accounts.get(ana.id).name == "ana"
    for days in (0, -1, 10**6):
        with pytest.raises(InvalidInputError):
            accounts.cohorts.add("another", audio_days=days)


def test_nothing_that_lets_somebody_in_is_in_the_database(
    accounts: AccountService, database: Database
) -> None:
    ana = accounts.add("ana", "candidate")
    secrets = [accounts.invitations.invite(ana.id).secret]
    accounts.accept(secrets[0], PASSWORD)
    secrets += [accounts.invitations.invite(ana.id).secret]
    secrets += [accounts.tokens.add(ana.id, "laptop").secret, PASSWORD]
    with pytest.raises(WrongSignInError):
        accounts.sign_in("somebody.else", "a password mistyped", HERE)
    held = everything(database)
    assert "ana" in held and "argon2id" in held
    for secret in (*secrets, "somebody.else", "mistyped", HERE):
        assert secret not in held


@pytest.mark.every_database
def test_who_did_what_is_noted_without_secrets(
    accounts: AccountService, database: Database, clock: Clock
) -> None:
    ed = active(accounts, "ed", "admin")
    ana = accounts.add("ana", "candidate", by=ed.id)
    accounts.disable(ana.id, by=ed.id)
    accounts.delete(ana.id, by=ed.id)
    with database.read() as session:
        rows = session.scalars(select(AuditRow).where(AuditRow.actor_id == ed.id)).all()
    assert [(row.action, row.object) for row in rows if row.object == f"account {ana.id}"] == [
        ("account.add.candidate", f"account {ana.id}"),
        ("account.disable", f"account {ana.id}"),
        ("account.delete", f"account {ana.id}"),
    ]
    assert all(row.at - clock.now == timedelta(0) for row in rows)


@pytest.mark.parametrize("account_id", [0, -1, 4711, 2**63, 10**30])
def test_no_such_account(accounts: AccountService, account_id: int) -> None:
    for call in (accounts.get, accounts.disable, accounts.delete, accounts.invitations.invite):
        with pytest.raises(NotFoundError):
            call(account_id)


@pytest.mark.parametrize(
    "password",
    [
        *("password123", "Password1!", "qwertyuiop", "1q2w3e4r5t", "iloveyou12", "letmein123"),
        *("administrator", "basketball", "Passw0rd2023", "Summer2024!", "changeme123"),
        *("Spring2026!", "anasilva2024", "ana-spring-2026", "Silva--Winter--1999"),
        *("hunter2hunter2", "abcdefghijk", "0123456789ab", "ana.silva99", "aloud12345"),
        *("password-password", "Qwerty123456", "dragon dragon!", "Qwerty-12345", "aloud-interview"),
        *("_-__-_---_-_", "CorrectHorseBatteryStaple", "correct horse battery staple"),
        *("kubernetes-kubernetes", "elephantelephant", "MayTheForceBeWithYou!"),
        *("thisismypassword", "ilovemydog", "pytorch2026", "deeplearning1", "Tr0ub4dor&3"),
    ],
)
def test_a_common_password_is_refused(password: str) -> None:
    with pytest.raises(InvalidInputError, match="easy to guess"):
        cheap_passwords().check(password, "ana.silva")


@pytest.mark.parametrize(
    "password",
    [
        *("correct horse battery", "quiet_river_41_lamp", "maple-otter-lantern", "?#%^&*!@()a"),
        "paged attention 7",
        "kX9#mQ2vLp",
        "zażółć gęślą jaźń",
        "k9#Qz!7vLw2@ Rt" + "x" * 180,
    ],
)
def test_a_password_that_is_hard_to_guess_is_not(password: str) -> None:
    cheap_passwords().check(password, "ana.silva")


def test_a_reset_revokes_tokens_unless_they_are_kept(accounts: AccountService) -> None:
    ana = active(accounts, "ana")
    first = accounts.tokens.add(ana.id, "laptop").secret
    accounts.accept(accounts.invitations.invite(ana.id).secret, PASSWORD, keeps_tokens=True)
    assert accounts.actor_of_token(first) is not None
    accounts.accept(accounts.invitations.invite(ana.id).secret, PASSWORD)
    assert accounts.actor_of_token(first) is None
    second = accounts.tokens.add(ana.id, "laptop").secret
    accounts.change_password(ana.id, PASSWORD, "a brand new one")
    assert accounts.actor_of_token(second) is not None
    accounts.change_password(ana.id, "a brand new one", PASSWORD, keeps_tokens=False)
    assert accounts.actor_of_token(second) is None


def test_nobody_becomes_a_candidate_by_an_oversight(accounts: AccountService) -> None:
    cleo, ana = active(accounts, "cleo", "coach"), active(accounts, "ana")
    spring = accounts.cohorts.add("spring").id
    assert vars(accounts.cohorts.assign(spring, cleo.id)) == {"as_role": "coach", "before": None}
    assert accounts.cohorts.assign(spring, ana.id).as_role == "candidate"
    again = accounts.cohorts.assign(spring, cleo.id)
    assert (again.as_role, again.before) == ("coach", "coach")
    on_purpose = accounts.cohorts.assign(spring, cleo.id, "candidate")
    assert (on_purpose.as_role, on_purpose.before) == ("candidate", "coach")
    assert accounts.cohorts.assign(spring, cleo.id).as_role == "candidate", "what they are in it"


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
