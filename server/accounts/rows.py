"""Converts the tables' rows to what the services return."""

from typing import Any

from sqlalchemy import Row, func, select
from sqlalchemy.orm import Session

from server.accounts.models import ROLES, Account
from server.core.errors import ConflictError, NotFoundError
from server.db.database import MAX_ID
from server.db.tables import AccountRow


def account_of(row: AccountRow | Row[Any]) -> Account:
    """The account of a row."""
    if row.role not in ROLES:
        raise ValueError(f"the account {row.id} has the unknown role {row.role!r}")
    return Account(
        id=row.id,
        name=row.name,
        display_name=row.display_name,
        role=row.role,
        created_at=row.created_at,
        has_password=row.password_hash is not None,
        disabled_at=row.disabled_at,
        session_epoch=row.session_epoch,
    )


def account_row(session: Session, account_id: int) -> AccountRow:
    """The row of an account.

    Raises:
        NotFoundError: there is no such account.
    """
    row = session.get(AccountRow, account_id) if 0 < account_id <= MAX_ID else None
    if row is None:
        raise NotFoundError(f"there is no account {account_id}")
    return row


def keep_an_admin(session: Session, row: AccountRow) -> None:
    """Refuses to remove the last account that can manage the others.

    Raises:
        ConflictError: it is.
    """
    if row.role != "admin" or row.disabled_at is not None:
        return
    others = select(func.count()).where(
        AccountRow.role == "admin", AccountRow.disabled_at.is_(None), AccountRow.id != row.id
    )
    if not session.scalar(others):
        raise ConflictError(
            f"{row.name} is the only admin; make somebody else an admin first, "
            "with `aloud user add NAME --role admin`"
        )
