"""The tables. A change here needs a migration; a test compares the two."""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    DateTime,
    Dialect,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column
from sqlalchemy.types import TypeDecorator

__all__ = ["AttemptRow", "Base", "DrillCardRow", "DrillReviewRow", "ReportRow", "UtcDateTime"]

# SQLite only counts up an INTEGER primary key; PostgreSQL gets 64 bits.
_Key = BigInteger().with_variant(Integer, "sqlite")


class UtcDateTime(TypeDecorator[datetime]):
    """An instant: aware in, UTC out, on every database (SQLite itself keeps no time zone)."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """To UTC; a naive time is a programming error."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"{value!r} has no time zone")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Aware, in UTC."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class Base(DeclarativeBase):
    """Names every constraint, so that a migration can change it on every database."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
            "pk": "pk_%(table_name)s",
        }
    )


class AttemptRow(Base):
    """One answer as it came in, with the question as it was then."""

    __tablename__ = "attempts"
    __table_args__ = (
        Index("ix_attempts_created_at_id", "created_at", "id"),
        # An id that a person noted down never comes to name another attempt.
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(_Key, primary_key=True)
    submission_id: Mapped[str] = mapped_column(String(32), unique=True)
    question_id: Mapped[str] = mapped_column(String(80), index=True)
    role: Mapped[str | None] = mapped_column(String(80), index=True)
    round: Mapped[str] = mapped_column(String(40))
    topic: Mapped[str]
    engine: Mapped[str] = mapped_column(String(500))
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    received_at: Mapped[datetime] = mapped_column(UtcDateTime)
    submission: Mapped[dict[str, Any]] = mapped_column(JSON)
    question: Mapped[dict[str, Any]] = mapped_column(JSON)


class ReportRow(Base):
    """One grading of an attempt. The newest (highest id) counts, older ones are kept."""

    __tablename__ = "reports"
    __table_args__ = (
        Index("ix_reports_attempt_id_id", "attempt_id", "id"),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(_Key, primary_key=True)
    attempt_id: Mapped[int] = mapped_column(ForeignKey("attempts.id", ondelete="CASCADE"))
    grader_version: Mapped[str] = mapped_column(String(100))
    bank_version: Mapped[str] = mapped_column(String(100))
    graded_at: Mapped[datetime] = mapped_column(UtcDateTime)
    score: Mapped[float] = mapped_column(Float)
    words: Mapped[int]
    answer_s: Mapped[float | None] = mapped_column(Float)
    report: Mapped[dict[str, Any]] = mapped_column(JSON)


class DrillReviewRow(Base):
    """One take of a drill item as it came in."""

    __tablename__ = "drill_reviews"
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: Mapped[int] = mapped_column(_Key, primary_key=True)
    review_id: Mapped[str] = mapped_column(String(32), unique=True)
    item_id: Mapped[str] = mapped_column(String(160), index=True)
    drill_set: Mapped[str] = mapped_column(String(80))
    reviewed_at: Mapped[datetime] = mapped_column(UtcDateTime)
    received_at: Mapped[datetime] = mapped_column(UtcDateTime)
    review: Mapped[dict[str, Any]] = mapped_column(JSON)


class DrillCardRow(Base):
    """When an item is due; computed from its reviews, kept so that the queue is one query."""

    __tablename__ = "drill_cards"

    item_id: Mapped[str] = mapped_column(String(160), primary_key=True)
    drill_set: Mapped[str] = mapped_column(String(80))
    due: Mapped[datetime] = mapped_column(UtcDateTime, index=True)
    card: Mapped[dict[str, Any]] = mapped_column(JSON)
