"""The tables of sharing and coaching: what is shown to whom, comments, scores, corrected verdicts.

``external_id`` identifies a row across all databases, so that a bundle that returns with comments
can be merged. ``guest_name`` names somebody who writes without an account (through a share link or
in a bundle).
"""

from datetime import datetime

from sqlalchemy import CheckConstraint, Float, ForeignKey, Index, LargeBinary, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from server.db.tables.base import Base, Key, UtcDateTime, owner_column


def _attempt() -> Mapped[int]:
    return mapped_column(ForeignKey("attempts.id", ondelete="CASCADE"), index=True)


def _author() -> Mapped[int | None]:
    return mapped_column(ForeignKey("accounts.id", ondelete="CASCADE"), index=True)


class CommentRow(Base):
    """A comment on a word, a span of words, a moment or the whole answer; or an answer to one."""

    __tablename__ = "comments"
    __table_args__ = (
        CheckConstraint("kind IN ('word', 'span', 'moment', 'answer')", name="kind"),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(Key, primary_key=True)
    attempt_id: Mapped[int] = _attempt()
    parent_id: Mapped[int | None] = mapped_column(
        ForeignKey("comments.id", ondelete="CASCADE"), index=True
    )
    author_id: Mapped[int | None] = _author()
    guest_name: Mapped[str | None] = mapped_column(String(80))
    kind: Mapped[str] = mapped_column(String(20))
    word_from: Mapped[int | None]
    word_to: Mapped[int | None]
    at_s: Mapped[float | None] = mapped_column(Float)
    text: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    edited_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    external_id: Mapped[str] = mapped_column(String(32), unique=True)


class RubricScoreRow(Base):
    """What one reviewer gave an attempt for one criterion of the cohort's rubric."""

    __tablename__ = "rubric_scores"

    id: Mapped[int] = mapped_column(Key, primary_key=True)
    attempt_id: Mapped[int] = _attempt()
    author_id: Mapped[int | None] = _author()
    guest_name: Mapped[str | None] = mapped_column(String(80))
    criterion: Mapped[str] = mapped_column(String(80))
    score: Mapped[int]
    note: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    external_id: Mapped[str] = mapped_column(String(32), unique=True)


class CorrectionRow(Base):
    """A verdict that a reviewer corrected, for this attempt and for the bank's editors."""

    __tablename__ = "corrections"
    __table_args__ = (CheckConstraint("target IN ('term', 'phrase')", name="target"),)

    id: Mapped[int] = mapped_column(Key, primary_key=True)
    attempt_id: Mapped[int] = _attempt()
    author_id: Mapped[int | None] = _author()
    guest_name: Mapped[str | None] = mapped_column(String(80))
    target: Mapped[str] = mapped_column(String(20))
    name: Mapped[str] = mapped_column(String(200))
    word_index: Mapped[int | None]
    verdict: Mapped[str] = mapped_column(String(40))
    note: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    external_id: Mapped[str] = mapped_column(String(32), unique=True)
    resolved_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


class ReviewRow(Base):
    """One coach's progress with one attempt, for the review queue."""

    __tablename__ = "reviews"
    __table_args__ = (CheckConstraint("state IN ('open', 'done')", name="state"),)

    attempt_id: Mapped[int] = mapped_column(
        ForeignKey("attempts.id", ondelete="CASCADE"), primary_key=True
    )
    reviewer_id: Mapped[int] = mapped_column(
        ForeignKey("accounts.id", ondelete="CASCADE"), primary_key=True, index=True
    )
    state: Mapped[str] = mapped_column(String(20))
    updated_at: Mapped[datetime] = mapped_column(UtcDateTime)


class ShareRow(Base):
    """One attempt, or one interview, shown to a cohort's coaches or (no cohort) by links only."""

    __tablename__ = "shares"
    __table_args__ = (
        CheckConstraint("(attempt_id IS NULL) <> (interview_id IS NULL)", name="one_object"),
        # all that a cohort's pages need
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
    """The recording of an attempt, re-encoded by the server."""

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
    # megabytes, so loaded only on request
    content: Mapped[bytes] = mapped_column(LargeBinary, deferred=True)
    sha256: Mapped[str] = mapped_column(String(64))
    uploaded_at: Mapped[datetime] = mapped_column(UtcDateTime)
    expires_at: Mapped[datetime | None] = mapped_column(UtcDateTime, index=True)
