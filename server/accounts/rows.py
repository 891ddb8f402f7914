"""Converts the tables' rows to what the services return."""

from typing import Any

from sqlalchemy import Row, func, select
from sqlalchemy.orm import Session

from server.accounts.models import ROLES, Account, Role
from server.core.access import Actor
from server.core.errors import ConflictError, NotFoundError
from server.db.database import MAX_ID
from server.db.tables import AccountRow


def account_of(row: AccountRow | Row[Any]) -> Account:
    """The account of a row."""
    return Account(
        id=row.id,
        name=row.name,
        display_name=row.display_name,
        role=_known(row.role, row.id),
        created_at=row.created_at,
        has_password=row.password_hash is not None,
        disabled_at=row.disabled_at,
        session_epoch=row.session_epoch,
        has_second_factor=row.totp_secret is not None,
    )


def actor_for(
    account_id: int,
    name: str,
    display_name: str,
    role: str,
    coached: frozenset[int],
    *,
    by_token: bool = False,
    has_second_factor: bool = False,
) -> Actor:
    """The account with these values as an actor."""
    return Actor(
        role=_known(role, account_id),
        account_id=account_id,
        name=name,
        display_name=display_name,
        # somebody made a candidate again no longer coaches
        coached=frozenset() if role == "candidate" else coached,
        by_token=by_token,
        has_second_factor=has_second_factor,
    )


def _known(role: str, account_id: int) -> Role:
    if role not in ROLES:
        raise ValueError(f"the account {account_id} has the unknown role {role!r}")
    return role


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
