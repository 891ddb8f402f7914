"""The tables of people: accounts, how they sign in, and the cohorts they belong to.

Passwords are stored as Argon2 hashes, other credentials as the SHA-256 of random bytes. Only the
secret of a second factor has to be readable; without its account's password it opens nothing.
"""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, BigInteger, CheckConstraint, ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from server.db.tables.base import Base, Key, UtcDateTime


class AccountRow(Base):
    """One person. Deleting the row deletes everything that belongs to them."""

    __tablename__ = "accounts"
    __table_args__ = (
        CheckConstraint("role IN ('candidate', 'coach', 'admin')", name="role"),
        # The id of a deleted account is never reused.
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(Key, primary_key=True)
    name: Mapped[str] = mapped_column(String(80), unique=True)  # casefolded
    display_name: Mapped[str] = mapped_column(String(80))
    role: Mapped[str] = mapped_column(String(20))
    password_hash: Mapped[str | None] = mapped_column(String(300))  # NULL: not yet set
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    disabled_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    # Counted up to end all of the account's sessions at once.
    session_epoch: Mapped[int] = mapped_column(default=0)
    # The second factor: base32; the last time step of which a code was used. NULL: there is none.
    totp_secret: Mapped[str | None] = mapped_column(String(64))
    totp_step: Mapped[int | None] = mapped_column(BigInteger)


class RecoveryCodeRow(Base):
    """A code that takes the place of the second factor, once; using it deletes the row."""

    __tablename__ = "recovery_codes"

    digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    account_id: Mapped[int] = mapped_column(
        ForeignKey("accounts.id", ondelete="CASCADE"), index=True
    )


class InvitationRow(Base):
    """A link with which its receiver sets the account's password, once."""

    __tablename__ = "invitations"

    id: Mapped[int] = mapped_column(Key, primary_key=True)
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    account_id: Mapped[int] = mapped_column(
        ForeignKey("accounts.id", ondelete="CASCADE"), index=True
    )
    created_by: Mapped[int | None] = mapped_column(ForeignKey("accounts.id", ondelete="SET NULL"))
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    expires_at: Mapped[datetime] = mapped_column(UtcDateTime)
    used_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


class TokenRow(Base):
    """What a client signs in with. People distinguish tokens by ``prefix``."""

    __tablename__ = "tokens"

    id: Mapped[int] = mapped_column(Key, primary_key=True)
    account_id: Mapped[int] = mapped_column(
        ForeignKey("accounts.id", ondelete="CASCADE"), index=True
    )
    label: Mapped[str] = mapped_column(String(80))
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    prefix: Mapped[str] = mapped_column(String(16))
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    last_used_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    revoked_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


class CohortRow(Base):
    """A group of candidates with its coaches, and the program's settings for it."""

    __tablename__ = "cohorts"

    id: Mapped[int] = mapped_column(Key, primary_key=True)
    name: Mapped[str] = mapped_column(String(80), unique=True)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    audio_days: Mapped[int | None]  # NULL: recordings are kept until deleted
    rubric: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))


class CohortMemberRow(Base):
    """The membership of an account in a cohort, as a candidate or a coach."""

    __tablename__ = "cohort_members"
    __table_args__ = (
        CheckConstraint("as_role IN ('candidate', 'coach')", name="as_role"),
        Index("ix_cohort_members_account_id", "account_id"),
    )

    cohort_id: Mapped[int] = mapped_column(
        ForeignKey("cohorts.id", ondelete="CASCADE"), primary_key=True
    )
    account_id: Mapped[int] = mapped_column(
        ForeignKey("accounts.id", ondelete="CASCADE"), primary_key=True
    )
    as_role: Mapped[str] = mapped_column(String(20))


class SignInFailureRow(Base):
    """A wrong password; ``subject`` is a keyed hash of the name or the address that sent it.

    In the database instead of in memory, so that several processes share the count.
    """

    __tablename__ = "sign_in_failures"
    __table_args__ = (Index("ix_sign_in_failures_subject_at", "subject", "at"),)

    id: Mapped[int] = mapped_column(Key, primary_key=True)
    subject: Mapped[str] = mapped_column(String(64))
    at: Mapped[datetime] = mapped_column(UtcDateTime, index=True)


class EndedSessionRow(Base):
    """A browser session that was signed out, kept until its cookie expires."""

    __tablename__ = "ended_sessions"

    digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    account_id: Mapped[int] = mapped_column(
        ForeignKey("accounts.id", ondelete="CASCADE"), index=True
    )
    until: Mapped[datetime] = mapped_column(UtcDateTime, index=True)


class ServerSecretRow(Base):
    """A secret of this server, created at the first start; it signs the session cookies."""

    __tablename__ = "server_secrets"

    name: Mapped[str] = mapped_column(String(40), primary_key=True)
    value: Mapped[str] = mapped_column(String(200))
