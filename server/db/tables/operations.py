"""The tables for running a server: bank versions, jobs, the audit log."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, CheckConstraint, ForeignKey, Index, LargeBinary, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from server.db.tables.base import Base, Key, UtcDateTime, owner_column


class BankVersionRow(Base):
    """One version of the program's own bank and lexicon; outlives the account that wrote it."""

    __tablename__ = "bank_versions"
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: Mapped[int] = mapped_column(Key, primary_key=True)
    number: Mapped[int] = mapped_column(unique=True)
    yaml: Mapped[str] = mapped_column(Text)
    lexicon_yaml: Mapped[str] = mapped_column(Text)
    note: Mapped[str] = mapped_column(Text)
    author_id: Mapped[int | None] = mapped_column(
        ForeignKey("accounts.id", ondelete="SET NULL"), index=True
    )
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    active: Mapped[bool]


class JobRow(Base):
    """Work that outlasts a request. This table is the single source of truth about its progress."""

    __tablename__ = "jobs"
    __table_args__ = (
        CheckConstraint(
            "state IN ('queued', 'running', 'done', 'failed', 'cancelled')", name="state"
        ),
        Index("ix_jobs_state_id", "state", "id"),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(Key, primary_key=True)
    kind: Mapped[str] = mapped_column(String(40))
    state: Mapped[str] = mapped_column(String(20))
    payload: Mapped[dict[str, Any]] = mapped_column(JSON)
    progress_done: Mapped[int] = mapped_column(default=0)
    progress_total: Mapped[int] = mapped_column(default=0)
    result: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    problem: Mapped[str | None] = mapped_column(Text)
    owner_id: Mapped[int | None] = owner_column(index=True)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    started_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    finished_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    heartbeat_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    attempts: Mapped[int] = mapped_column(default=0)  # how often it was started


class JobFileRow(Base):
    """The file that a job made; ``answers``: the attempts in it, as ``packed_ids`` writes them."""

    __tablename__ = "job_files"

    job_id: Mapped[int] = mapped_column(ForeignKey("jobs.id", ondelete="CASCADE"), primary_key=True)
    name: Mapped[str] = mapped_column(String(200))
    media_type: Mapped[str] = mapped_column(String(100))
    content: Mapped[bytes] = mapped_column(LargeBinary, deferred=True)
    answers: Mapped[bytes | None] = mapped_column(LargeBinary, deferred=True)


class JobInputRow(Base):
    """What a job works on, as received for an attempt.

    The content is deleted when the job ends; the row stays, to record which attempt it was about.
    """

    __tablename__ = "job_inputs"

    job_id: Mapped[int] = mapped_column(ForeignKey("jobs.id", ondelete="CASCADE"), primary_key=True)
    attempt_id: Mapped[int] = mapped_column(
        ForeignKey("attempts.id", ondelete="CASCADE"), index=True
    )
    content: Mapped[bytes | None] = mapped_column(LargeBinary, deferred=True)


class AuditRow(Base):
    """The audit log: who changed what; never a word of a transcript."""

    __tablename__ = "audit"
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: Mapped[int] = mapped_column(Key, primary_key=True)
    at: Mapped[datetime] = mapped_column(UtcDateTime, index=True)
    actor_id: Mapped[int | None] = mapped_column(
        ForeignKey("accounts.id", ondelete="SET NULL"), index=True
    )
    action: Mapped[str] = mapped_column(String(80))
    object: Mapped[str] = mapped_column(String(200))
