"""A second factor: codes of an authenticator app (TOTP, RFC 6238), and recovery codes.

A code is good for its 30 seconds and the 30 around them, once. Ten recovery codes, of which only
digests are stored, each take its place once, when the phone is lost.
"""

import base64
import hmac
import secrets
from typing import Final
from urllib.parse import quote

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from server.accounts.credentials import digest
from server.core.errors import InvalidInputError, WrongSignInError
from server.db.database import UseCases, audit, row_of
from server.db.tables import AccountRow, RecoveryCodeRow

STEP_S: Final = 30
DIGITS: Final = 6
"""These two and SHA-1 are what every authenticator app supports; some ignore other values."""

_DRIFT_STEPS: Final = 1
"""For a clock that is wrong and a code that is typed late (RFC 6238, section 5.2)."""

RECOVERY_CODES: Final = 10
_RECOVERY_BYTES: Final = 15
"""120 bits, so that a fast hash is enough to store them (OWASP ASVS 5.0, 6.5.2)."""

ISSUER: Final = "Aloud"


def new_totp_secret() -> str:
    """160 bits, as RFC 4226 recommends, in base32."""
    return base64.b32encode(secrets.token_bytes(20)).decode("ascii")


def totp(secret: str, step: int, digits: int = DIGITS) -> str:
    """The code of a time step (RFC 4226, section 5.3)."""
    mac = hmac.digest(base64.b32decode(secret), step.to_bytes(8, "big"), "sha1")
    at = mac[-1] & 0x0F
    number = int.from_bytes(mac[at : at + 4], "big") & 0x7FFF_FFFF
    return str(number % 10**digits).zfill(digits)


def totp_address(secret: str, name: str, server: str) -> str:
    """What an authenticator app reads from the QR code."""
    label = quote(f"{ISSUER} {server}:{name}", safe=":")
    issuer = quote(f"{ISSUER} {server}")
    return f"otpauth://totp/{label}?secret={secret}&issuer={issuer}"


class SecondFactorService(UseCases):
    """Second factors over a database."""

    def turn_on(self, account_id: int, secret: str, code: str) -> tuple[str, ...]:
        """Sets an account's second factor; returns its recovery codes, which are shown once.

        Other sessions, which did without it, end.

        Raises:
            InvalidInputError: the code is not the app's; nothing has changed.
        """
        step = self._step_of(secret, code, after=None)
        if step is None:
            raise InvalidInputError(
                "the code does not fit; type the newest one, and check that the phone's clock is "
                "right"
            )
        with self._database.write() as session:
            row = row_of(session, AccountRow, account_id)
            row.totp_secret, row.totp_step = secret, step
            row.session_epoch += 1
            audit(session, self._clock(), account_id, "second-factor.on", f"account {account_id}")
            return _new_codes(session, account_id)

    def turn_off(self, account_id: int, *, by: int | None = None) -> None:
        """Removes an account's second factor and its recovery codes."""
        with self._database.write() as session:
            row = row_of(session, AccountRow, account_id)
            row.totp_secret = row.totp_step = None
            session.execute(delete(RecoveryCodeRow).where(RecoveryCodeRow.account_id == account_id))
            audit(session, self._clock(), by, "second-factor.off", f"account {account_id}")

    def new_recovery_codes(self, account_id: int) -> tuple[str, ...]:
        """Makes new ones; the old ones are not valid any more."""
        with self._database.write() as session:
            what = f"account {account_id}"
            audit(session, self._clock(), account_id, "second-factor.codes", what)
            return _new_codes(session, account_id)

    def use(self, account_id: int, code: str) -> None:
        """Uses up a code of the app, or a recovery code.

        Raises:
            WrongSignInError: it is neither, or was used already.
        """
        typed = "".join(code.split()).replace("-", "").lower()
        with self._database.write() as session:
            row = session.scalar(
                select(AccountRow).where(AccountRow.id == account_id).with_for_update()
            )
            if row is None or row.totp_secret is None:
                raise WrongSignInError("this account has no second factor")
            step = self._step_of(row.totp_secret, typed, after=row.totp_step)
            if step is not None:
                row.totp_step = step
                return
            spare = session.get(RecoveryCodeRow, digest(typed))
            if spare is None or spare.account_id != account_id:
                raise WrongSignInError("the code is wrong, or was used already")
            session.delete(spare)
            audit(session, self._clock(), account_id, "second-factor.recover", f"account {row.id}")

    def _step_of(self, secret: str, code: str, after: int | None) -> int | None:
        """The time step of a code that is good now, if it is one and comes after the last used."""
        typed = "".join(code.split())
        now = int(self._clock().timestamp()) // STEP_S
        for step in range(now - _DRIFT_STEPS, now + _DRIFT_STEPS + 1):
            fits = hmac.compare_digest(
                totp(secret, step).encode(), typed.encode("utf-8", "replace")
            )
            if fits and (after is None or step > after):
                return step
        return None


def _new_codes(session: Session, account_id: int) -> tuple[str, ...]:
    session.execute(delete(RecoveryCodeRow).where(RecoveryCodeRow.account_id == account_id))
    plain = [
        base64.b32encode(secrets.token_bytes(_RECOVERY_BYTES)).decode("ascii").lower()
        for _ in range(RECOVERY_CODES)
    ]
    session.add_all(RecoveryCodeRow(digest=digest(code), account_id=account_id) for code in plain)
    return tuple("-".join(code[at : at + 6] for at in range(0, len(code), 6)) for code in plain)
