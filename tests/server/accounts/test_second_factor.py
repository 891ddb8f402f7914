"""Codes of an authenticator app and recovery codes, by the published test vectors and in use."""

import base64
from datetime import timedelta

import pytest

from server.accounts.second_factor import (
    RECOVERY_CODES,
    STEP_S,
    new_totp_secret,
    totp,
    totp_address,
)
from server.accounts.service import AccountService
from server.accounts.throttle import PER_NAME_AND_ADDRESS
from server.core.errors import InvalidInputError, TooManyTriesError, WrongSignInError
from tests.server.accounts.conftest import Clock, active
from tests.server.accounts.test_account_service import everything

RFC_SECRET = base64.b32encode(b"12345678901234567890").decode()


@pytest.mark.parametrize(
    ("at_s", "code"),
    [
        (59, "94287082"),
        (1111111109, "07081804"),
        (1111111111, "14050471"),
        (1234567890, "89005924"),
        (2000000000, "69279037"),
        (20000000000, "65353130"),
    ],
)
def test_the_vectors_of_rfc_6238(at_s: int, code: str) -> None:
    """Appendix B, SHA-1."""
    assert totp(RFC_SECRET, at_s // STEP_S, digits=8) == code
    assert totp(RFC_SECRET, at_s // STEP_S) == code[2:]


def test_an_app_reads_who_the_secret_is_for() -> None:
    assert totp_address("ABC", "ana@x.org", "aloud.example:8443") == (
        "otpauth://totp/Aloud%20aloud.example:8443:ana%40x.org"
        "?secret=ABC&issuer=Aloud%20aloud.example%3A8443"
    )
    assert len(base64.b32decode(new_totp_secret())) == 20


def code_now(clock: Clock, secret: str, steps: int = 0) -> str:
    return totp(secret, int(clock.now.timestamp()) // STEP_S + steps)


@pytest.mark.every_database
def test_a_code_is_good_once_and_for_a_minute_and_a_half(
    accounts: AccountService, clock: Clock
) -> None:
    ana, secret = active(accounts, "ana"), new_totp_secret()
    with pytest.raises(InvalidInputError):
        accounts.second_factors.turn_on(ana.id, secret, code_now(clock, secret, steps=7))
    assert not accounts.get(ana.id).has_second_factor
    accounts.second_factors.turn_on(ana.id, secret, code_now(clock, secret))
    changed = accounts.get(ana.id)
    assert changed.has_second_factor and changed.session_epoch > ana.session_epoch
    for used in (0, -1):  # the one that turned it on, and those before it
        with pytest.raises(WrongSignInError):
            accounts.confirm_code(ana.id, code_now(clock, secret, used))
    clock.now += timedelta(seconds=5 * STEP_S)
    for wrong in (
        "",
        "000000",
        "x",
        "٠٠٠٠٠٠",
        code_now(clock, secret, 2),
        code_now(clock, secret, -2),
    ):
        with pytest.raises(WrongSignInError):
            accounts.confirm_code(ana.id, wrong)
    code = code_now(clock, secret, 1)
    accounts.confirm_code(ana.id, f" {code[:3]} {code[3:]} ")
    with pytest.raises(WrongSignInError):
        accounts.confirm_code(ana.id, code)


def test_recovery_codes_work_once_each_and_are_stored_as_digests(
    accounts: AccountService, clock: Clock
) -> None:
    ana, ben, secret = active(accounts, "ana"), active(accounts, "ben"), new_totp_secret()
    codes = accounts.second_factors.turn_on(ana.id, secret, code_now(clock, secret))
    assert len(set(codes)) == RECOVERY_CODES
    stored = everything(accounts.database)
    assert not any(code in stored or code.replace("-", "") in stored for code in codes)
    bens = accounts.second_factors.turn_on(ben.id, secret, code_now(clock, secret))
    with pytest.raises(WrongSignInError):
        accounts.confirm_code(ana.id, bens[0])
    accounts.confirm_code(ana.id, codes[0].upper())
    with pytest.raises(WrongSignInError):
        accounts.confirm_code(ana.id, codes[0])
    newer = accounts.second_factors.new_recovery_codes(ana.id)
    with pytest.raises(WrongSignInError):
        accounts.confirm_code(ana.id, codes[1])
    accounts.confirm_code(ana.id, newer[1])
    accounts.second_factors.turn_off(ana.id)
    assert not accounts.get(ana.id).has_second_factor
    with pytest.raises(WrongSignInError):
        accounts.confirm_code(ana.id, newer[2])
    accounts.delete(ben.id)


def test_codes_cannot_be_guessed(accounts: AccountService, clock: Clock) -> None:
    ana, secret = active(accounts, "ana"), new_totp_secret()
    accounts.second_factors.turn_on(ana.id, secret, code_now(clock, secret))
    clock.now += timedelta(seconds=2 * STEP_S)
    for _ in range(PER_NAME_AND_ADDRESS):
        with pytest.raises(WrongSignInError):
            accounts.confirm_code(ana.id, "000000")
    with pytest.raises(TooManyTriesError):
        accounts.confirm_code(ana.id, code_now(clock, secret))
