"""Invitations: links with which people set their first password or replace a lost one."""

from datetime import timedelta
from typing import Final

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from server.accounts.credentials import digest, new_secret
from server.accounts.models import Account, Invitation, account_of
from server.core.errors import ConflictError, NotFoundError
from server.db.database import UseCases, audit, row_of
from server.db.tables import AccountRow, InvitationRow

VALID_FOR: Final = timedelta(days=7)


class InvitationService(UseCases):
    """Invitations over a database."""

    def invite(self, account_id: int, *, by: int | None = None) -> Invitation:
        """A new invitation; earlier ones for the account become invalid.

        Raises:
            NotFoundError: there is no such account.
            ConflictError: it is disabled.
        """
        with self._database.write() as session:
            account = row_of(session, AccountRow, account_id)
            if account.disabled_at is not None:
                raise ConflictError(f"{account.name} is disabled; enable the account first")
            session.execute(delete(InvitationRow).where(InvitationRow.account_id == account_id))
            return self.add(session, account, by=by)

    def add(self, session: Session, account: AccountRow, *, by: int | None = None) -> Invitation:
        """An invitation for an account that has none, within a transaction."""
        secret, now = new_secret(), self._clock()
        session.add(
            InvitationRow(
                token_hash=digest(secret),
                account_id=account.id,
                created_by=by,
                created_at=now,
                expires_at=now + VALID_FOR,
            )
        )
        audit(session, now, by, "invitation.add", f"account {account.id}")
        return Invitation(account_of(account), secret, now + VALID_FOR)

    def account(self, secret: str) -> Account:
        """The account that an invitation is for.

        Raises:
            NotFoundError: it is not valid (any more); used, expired and unknown look the same.
        """
        with self._database.read() as session:
            row = self._valid(session, secret)
            return account_of(row_of(session, AccountRow, row.account_id))

    def accept(self, session: Session, secret: str, password_hash: str) -> Account:
        """Uses an invitation, once, within a transaction.

        Raises:
            NotFoundError: it is not valid (any more).
        """
        row = self._valid(session, secret, lock=True)
        row.used_at = self._clock()
        account = row_of(session, AccountRow, row.account_id)
        account.password_hash = password_hash
        account.session_epoch += 1
        audit(session, row.used_at, account.id, "invitation.use", f"account {account.id}")
        return account_of(account)

    def _valid(self, session: Session, secret: str, *, lock: bool = False) -> InvitationRow:
        query = select(InvitationRow).where(InvitationRow.token_hash == digest(secret))
        row = session.scalar(query.with_for_update() if lock else query)
        if row is not None and row.used_at is None and row.expires_at > self._clock():
            account = row_of(session, AccountRow, row.account_id)
            if account.disabled_at is None:
                return row
        raise NotFoundError("this invitation is not valid; ask for a new one")
