"""What the account services return; never a password, token or other secret."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

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
