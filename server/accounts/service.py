"""The use cases of accounts: create, list, change, disable, delete; sign in."""

import re
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Final

from sqlalchemy import exists, func, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from server.accounts.access_tokens import TokenService
from server.accounts.cohorts import CohortService, coached_by
from server.accounts.credentials import KnownBrowsers, Passwords, server_secret
from server.accounts.invitations import InvitationService
from server.accounts.models import (
    ROLES,
    Account,
    Role,
    account_of,
    actor_for,
    keep_an_admin,
)
from server.accounts.second_factor import SecondFactorService
from server.accounts.sessions import SessionService, has_ended
from server.accounts.throttle import Throttle, Try
from server.core.access import Actor
from server.core.clock import utc_now
from server.core.errors import ConflictError, InvalidInputError, NotFoundError, WrongSignInError
from server.db.database import Database, audit, row_of
from server.db.tables import AccountRow

_NAME: Final = re.compile(r"[\w.@+-]{1,80}")
_MAX_TYPED: Final = 1000
"""A longer name or password is wrong anyway, so it is not hashed."""


def clean_name(name: str) -> str:
    """The stored form of a name, in which names that look the same are equal.

    Raises:
        InvalidInputError: it is empty, too long or has characters that names cannot have.
    """
    folded = _folded(name)
    if not _NAME.fullmatch(folded):
        raise InvalidInputError(
            "a name has 1 to 80 letters, digits and . _ - @ +, without spaces, as in ana.silva"
        )
    return folded


def clean_display_name(text: str) -> str:
    """How others see somebody, on one line.

    Raises:
        InvalidInputError: it is empty, too long or has unprintable characters.
    """
    cleaned = " ".join(unicodedata.normalize("NFC", text).split())
    if not 1 <= len(cleaned) <= 80 or not cleaned.isprintable():
        raise InvalidInputError("a display name has 1 to 80 printable characters")
    return cleaned


class AccountService:
    """Accounts over a database. Safe to use from several threads and processes.

    Attributes:
        tokens: what clients sign in with.
        invitations: the links with which accounts get their password.
        cohorts: the groups they belong to.
        sessions: ends single sessions.
        second_factors: codes that are needed besides the password.
        known_browsers: marks for browsers that somebody has signed in with.
    """

    def __init__(
        self,
        database: Database,
        *,
        clock: Callable[[], datetime] = utc_now,
        passwords: Passwords | None = None,
        secret: str | None = None,
    ) -> None:
        """Over an open database.

        Args:
            database: with up-to-date tables.
            clock: gives the time.
            passwords: hashes and verifies.
            secret: signs sessions; by default, one that is stored in the database.
        """
        self.database = database
        self.tokens = TokenService(database, clock)
        self.invitations = InvitationService(database, clock)
        self.cohorts = CohortService(database, clock)
        self.sessions = SessionService(database, clock)
        self.second_factors = SecondFactorService(database, clock)
        self._clock = clock
        self._passwords = passwords or Passwords()
        self._secret = secret
        self.known_browsers = KnownBrowsers(self.secret)
        self._throttle = Throttle(database, self.secret)
        self._seen_one = False

    def now(self) -> datetime:
        return self._clock()

    def secret(self) -> str:
        """What signs this server's sessions."""
        if self._secret is None:
            self._secret = server_secret(self.database, "session")
        return self._secret

    def any(self) -> bool:
        """Whether there is an account. Once there was one, the answer stays yes in this process."""
        if not self._seen_one:
            with self.database.read() as session:
                self._seen_one = bool(session.scalar(select(exists(select(AccountRow.id)))))
        return self._seen_one

    def add(
        self, name: str, role: str, *, display_name: str | None = None, by: int | None = None
    ) -> Account:
        """Creates an account; nobody can sign in to it until its invitation is used.

        Raises:
            ConflictError: the name is taken.
            InvalidInputError: the name or the role is not valid.
        """
        row = AccountRow(
            name=clean_name(name),
            display_name=clean_display_name(display_name or name),
            role=_role(role),
            created_at=self._clock(),
            session_epoch=0,
        )
        try:
            with self.database.write() as session:
                session.add(row)
                session.flush()
                audit(session, row.created_at, by, f"account.add.{row.role}", f"account {row.id}")
        except IntegrityError:
            raise ConflictError(f"there is an account {row.name!r} already") from None
        return account_of(row)

    def all(self) -> tuple[Account, ...]:
        with self.database.read() as session:
            rows = session.scalars(select(AccountRow).order_by(AccountRow.name))
            return tuple(account_of(row) for row in rows)

    def get(self, account_id: int) -> Account:
        """One account.

        Raises:
            NotFoundError: there is no such account.
        """
        with self.database.read() as session:
            return account_of(row_of(session, AccountRow, account_id))

    def named(self, name: str) -> Account:
        """The account of that name.

        Raises:
            NotFoundError: there is none.
        """
        with self.database.read() as session:
            row = session.scalar(select(AccountRow).where(AccountRow.name == _folded(name)))
            if row is None:
                raise NotFoundError(f"there is no account {name!r}; `aloud user list` lists them")
            return account_of(row)

    def change(
        self, account_id: int, *, role: str, display_name: str, by: int | None = None
    ) -> Account:
        """Changes the role or display name of an account.

        Raises:
            NotFoundError, InvalidInputError: as for ``add``.
            ConflictError: it is the only admin.
        """
        with self._changing(account_id, f"change.{_role(role)}", by) as (session, row):
            if role != "admin":
                keep_an_admin(session, row)
            row.role, row.display_name = role, clean_display_name(display_name)
        return account_of(row)

    def disable(self, account_id: int, *, by: int | None = None) -> Account:
        """Blocks sign-in with this account; its data stays.

        Raises:
            NotFoundError: there is no such account.
            ConflictError: it is the only admin.
        """
        with self._changing(account_id, "disable", by) as (session, row):
            keep_an_admin(session, row)
            row.disabled_at = row.disabled_at or self._clock()
            row.session_epoch += 1
        return account_of(row)

    def enable(self, account_id: int, *, by: int | None = None) -> Account:
        """Undoes ``disable``."""
        with self._changing(account_id, "enable", by) as (_, row):
            row.disabled_at = None
        return account_of(row)

    def delete(self, account_id: int, *, by: int | None = None) -> None:
        """Deletes an account for good, with everything that belongs to it.

        Raises:
            NotFoundError: there is no such account.
            ConflictError: it is the only admin.
        """
        deleted_by = None if by == account_id else by
        with self._changing(account_id, "delete", deleted_by) as (session, row):
            keep_an_admin(session, row)
            session.delete(row)
            session.flush()
        self.database.forget()

    def sign_in(self, name: str, password: str, address: str, mark: str = "") -> Account:
        """The account that this name and password open.

        Args:
            name: as typed.
            password: as typed.
            address: where the request comes from, counted in the limit on tries.
            mark: this browser's mark from ``known_browsers``; if valid, it is counted instead.

        Raises:
            WrongSignInError: one of the two is wrong, or the account is disabled.
            TooManyTriesError: too many wrong ones recently.
        """
        folded = _folded(name[:_MAX_TYPED])
        browser = self.known_browsers.number(mark, folded) if mark else ""
        tried = self._throttle.begin(folded, address, browser, self._clock())
        return self._verified(folded, password, tried)

    def confirm(self, account_id: int, password: str) -> Account:
        """The account of somebody who is signed in and repeats their password.

        Raises:
            WrongSignInError: it is wrong.
            TooManyTriesError: it was wrong too often.
        """
        name = self.get(account_id).name
        tried = self._throttle.begin_again("account", account_id, self._clock())
        return self._verified(name, password, tried)

    def _verified(self, name: str, password: str, tried: Try) -> Account:
        with self.database.read() as session:
            row = session.scalar(select(AccountRow).where(AccountRow.name == _storable(name)))
        kept = row.password_hash if row is not None and row.disabled_at is None else None
        if not self._passwords.verify(kept, password[:_MAX_TYPED]) or row is None or kept is None:
            raise WrongSignInError("name or password is wrong")
        self._throttle.succeeded(tried)
        if self._passwords.outdated(kept):
            self._set_hash(row.id, self._passwords.hash(password), only_if=kept)
        return account_of(row)

    def confirm_code(self, account_id: int, code: str) -> None:
        """Uses a code of the second factor, by somebody who has typed the password.

        Raises:
            WrongSignInError: it is wrong.
            TooManyTriesError: it was wrong too often.
        """
        tried = self._throttle.begin_again("code", account_id, self._clock())
        self.second_factors.use(account_id, code)
        self._throttle.succeeded(tried)

    def accept(
        self, secret: str, password: str, address: str = "", *, keeps_tokens: bool = False
    ) -> Account:
        """Uses an invitation: sets the password and ends earlier sessions.

        Wrong passwords typed earlier at the same address are forgotten. So are tokens: a reset is
        for a password that somebody else may know, and they could have made some with it.

        Raises:
            NotFoundError: the invitation is not valid (any more).
            InvalidInputError: the password is too weak.
        """
        account = self.invitations.account(secret)
        self._passwords.check(password, account.name)
        hashed = self._passwords.hash(password)
        with self.database.write() as session:
            accepted = self.invitations.accept(session, secret, hashed)
            if not keeps_tokens:
                self.tokens.revoke_all(session, accepted.id, by=accepted.id)
        self._throttle.lift(accepted.name, address)
        return accepted

    def change_password(
        self, account_id: int, old: str, new: str, *, keeps_tokens: bool = True
    ) -> Account:
        """Changes the password and ends every other session; tokens stay, or are revoked.

        Raises:
            WrongSignInError: the old one is wrong.
            TooManyTriesError: it was wrong too often.
            InvalidInputError: the new one is too weak.
        """
        account = self.confirm(account_id, old)
        self._passwords.check(new, account.name)
        hashed = self._passwords.hash(new)
        with self._changing(account_id, "password", account_id) as (session, row):
            row.password_hash = hashed
            row.session_epoch += 1
            if not keeps_tokens:
                self.tokens.revoke_all(session, account_id, by=account_id)
        return account_of(row)

    def end_sessions(self, account_id: int, *, by: int | None = None) -> Account:
        """Signs an account out everywhere; tokens stay."""
        with self._changing(account_id, "sign-out", by) as (_, row):
            row.session_epoch += 1
        return account_of(row)

    def actor_of_session(
        self, account_id: int, session_epoch: int, session_id: str
    ) -> Actor | None:
        """The actor of a browser's session; ``None``: the session has ended."""
        with self.database.read() as session:
            row = session.get(AccountRow, account_id)
            if row is None or row.disabled_at is not None or row.session_epoch != session_epoch:
                return None
            if has_ended(session, session_id):
                return None
            return actor_for(row, coached_by(session, row.id))

    def actor_of_token(self, secret: str) -> Actor | None:
        """The actor of a token; ``None``: the token is not valid."""
        return self.tokens.actor(secret)

    def count(self) -> int:
        with self.database.read() as session:
            return session.scalar(select(func.count()).select_from(AccountRow)) or 0

    @contextmanager
    def _changing(
        self, account_id: int, what: str, by: int | None
    ) -> Iterator[tuple[Session, AccountRow]]:
        """An account's row in a transaction that also logs who did what to it."""
        with self.database.write() as session:
            yield session, row_of(session, AccountRow, account_id)
            audit(session, self._clock(), by, f"account.{what}", f"account {account_id}")

    def _set_hash(self, account_id: int, hashed: str, *, only_if: str) -> None:
        with self.database.write() as session:
            session.execute(
                update(AccountRow)
                .where(AccountRow.id == account_id, AccountRow.password_hash == only_if)
                .values(password_hash=hashed)
            )


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", name).strip().casefold()


def _storable(text: str) -> str:
    """Text to look up: PostgreSQL takes no NUL, and no driver takes half a surrogate pair."""
    return text.encode("utf-8", "replace").decode().replace("\0", "")


def _role(role: str) -> Role:
    if role not in ROLES:
        raise InvalidInputError(f"{role!r} is not a role; the roles are {', '.join(ROLES)}")
    return role
