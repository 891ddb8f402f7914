"""The tables of sharing: what an owner shows to whom, and the recordings they uploaded for it."""

from datetime import datetime

from sqlalchemy import CheckConstraint, Float, ForeignKey, Index, LargeBinary, String
from sqlalchemy.orm import Mapped, mapped_column

from server.db.tables.base import Base, Key, UtcDateTime, owner_column


class ShareRow(Base):
    """One attempt, or one interview, shown to a cohort's coaches or (no cohort) by links only."""

    __tablename__ = "shares"
    __table_args__ = (
        CheckConstraint("(attempt_id IS NULL) <> (interview_id IS NULL)", name="one_object"),
        # all that a cohort's pages ask of them
        Index(
            "ix_shares_shown",
            *("cohort_id", "owner_id", "attempt_id", "interview_id", "revoked_at"),
        ),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(Key, primary_key=True)
    owner_id: Mapped[int | None] = owner_column(index=True)
    attempt_id: Mapped[int | None] = mapped_column(
        ForeignKey("attempts.id", ondelete="CASCADE"), index=True
    )
    interview_id: Mapped[str | None] = mapped_column(String(32), index=True)
    cohort_id: Mapped[int | None] = mapped_column(
        ForeignKey("cohorts.id", ondelete="CASCADE"), index=True
    )
    with_audio: Mapped[bool]
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    revoked_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


class ShareLinkRow(Base):
    """A link with which a coach without an account opens one share."""

    __tablename__ = "share_links"

    id: Mapped[int] = mapped_column(Key, primary_key=True)
    share_id: Mapped[int] = mapped_column(ForeignKey("shares.id", ondelete="CASCADE"), index=True)
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    label: Mapped[str] = mapped_column(String(80))
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    expires_at: Mapped[datetime] = mapped_column(UtcDateTime)
    revoked_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    last_used_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


class RecordingRow(Base):
    """The sound of an attempt, as the server re-encoded it."""

    __tablename__ = "recordings"
    __table_args__ = (
        CheckConstraint("media_type IN ('audio/flac', 'audio/ogg')", name="media_type"),
    )

    attempt_id: Mapped[int] = mapped_column(
        ForeignKey("attempts.id", ondelete="CASCADE"), primary_key=True
    )
    owner_id: Mapped[int | None] = owner_column(index=True)
    media_type: Mapped[str] = mapped_column(String(40))
    duration_s: Mapped[float] = mapped_column(Float)
    # Megabytes: loaded only on request.
    content: Mapped[bytes] = mapped_column(LargeBinary, deferred=True)
    sha256: Mapped[str] = mapped_column(String(64))
    uploaded_at: Mapped[datetime] = mapped_column(UtcDateTime)
    expires_at: Mapped[datetime | None] = mapped_column(UtcDateTime, index=True)
