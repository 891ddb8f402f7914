"""What the account services return, and how rows become it; never a password or other secret."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal

from sqlalchemy import Row, func, select
from sqlalchemy.orm import Session

from server.core.access import Actor
from server.core.errors import ConflictError
from server.db.tables import AccountRow

Role = Literal["candidate", "coach", "admin"]
ROLES: Final[tuple[Role, ...]] = ("candidate", "coach", "admin")


@dataclass(frozen=True)
class Account:
    """One person.

    Attributes:
        has_password: whether the invitation was used.
        session_epoch: sessions of another epoch have ended.
        has_second_factor: whether signing in also takes a code.
    """

    id: int
    name: str
    display_name: str
    role: Role
    created_at: datetime
    has_password: bool
    disabled_at: datetime | None
    session_epoch: int
    has_second_factor: bool = False

    @property
    def state(self) -> str:
        """One of ``active``, ``invited`` or ``disabled``."""
        if self.disabled_at is not None:
            return "disabled"
        return "active" if self.has_password else "invited"


@dataclass(frozen=True)
class Invitation:
    """A new invitation. The secret is shown once and never stored."""

    account: Account
    secret: str
    expires_at: datetime


@dataclass(frozen=True)
class Token:
    """What a client signs in with, as lists show it."""

    id: int
    label: str
    prefix: str
    created_at: datetime
    last_used_at: datetime | None
    revoked_at: datetime | None


@dataclass(frozen=True)
class NewToken:
    """A new token. The secret is shown once and never stored."""

    token: Token
    secret: str


@dataclass(frozen=True)
class Member:
    """An account in a cohort."""

    account: Account
    as_role: Literal["candidate", "coach"]


@dataclass(frozen=True)
class Cohort:
    """A group of candidates with its coaches.

    Attributes:
        audio_days: how many days recordings shared with it are kept; ``None``: until they are
            deleted.
    """

    id: int
    name: str
    created_at: datetime
    audio_days: int | None
    members: tuple[Member, ...]


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


def actor_for(row: AccountRow, coached: frozenset[int], *, by_token: bool = False) -> Actor:
    """The account of a row as an actor."""
    return Actor(
        role=_known(row.role, row.id),
        account_id=row.id,
        name=row.name,
        display_name=row.display_name,
        # somebody made a candidate again no longer coaches
        coached=frozenset() if row.role == "candidate" else coached,
        by_token=by_token,
        has_second_factor=row.totp_secret is not None,
    )


def _known(role: str, account_id: int) -> Role:
    if role not in ROLES:
        raise ValueError(f"the account {account_id} has the unknown role {role!r}")
    return role


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
