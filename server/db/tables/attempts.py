"""The tables of answers and drills."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, BigInteger, Float, ForeignKey, Index, String, text
from sqlalchemy.orm import Mapped, mapped_column

from server.db.tables.base import Base, Key, UtcDateTime, once_per_owner, owner_column


class AttemptRow(Base):
    """One answer as it was received, with the question at that time.

    ``engine`` is that of its newest transcript, for lists.
    """

    __tablename__ = "attempts"
    __table_args__ = (
        *once_per_owner("attempts", "submission_id"),
        Index("ix_attempts_owner_id_created_at_id", "owner_id", "created_at", "id"),
        Index("ix_attempts_owner_id_interview_id", "owner_id", "interview_id"),
        # Ids are never reused, because people note them down.
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(Key, primary_key=True)
    owner_id: Mapped[int | None] = owner_column()
    submission_id: Mapped[str] = mapped_column(String(32))
    interview_id: Mapped[str | None] = mapped_column(String(32))
    question_id: Mapped[str] = mapped_column(String(80), index=True)
    role: Mapped[str | None] = mapped_column(String(80), index=True)
    round: Mapped[str] = mapped_column(String(40))
    topic: Mapped[str]
    engine: Mapped[str] = mapped_column(String(500))
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    received_at: Mapped[datetime] = mapped_column(UtcDateTime)
    submission: Mapped[dict[str, Any]] = mapped_column(JSON)
    question: Mapped[dict[str, Any]] = mapped_column(JSON)
    sense: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True), deferred=True)


class ReportRow(Base):
    """One grading of an attempt. The newest (highest id) counts, older ones are kept.

    ``evidence`` is set if the report's transcript was made after the answer arrived;
    ``corrections`` counts the places in it where the candidate corrected words.
    """

    __tablename__ = "reports"
    __table_args__ = (
        Index("ix_reports_attempt_id_id", "attempt_id", "id"),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(Key, primary_key=True)
    attempt_id: Mapped[int] = mapped_column(ForeignKey("attempts.id", ondelete="CASCADE"))
    grader_version: Mapped[str] = mapped_column(String(100))
    bank_version: Mapped[str] = mapped_column(String(100))
    graded_at: Mapped[datetime] = mapped_column(UtcDateTime)
    score: Mapped[float] = mapped_column(Float)
    words: Mapped[int]
    answer_s: Mapped[float | None] = mapped_column(Float)
    report: Mapped[dict[str, Any]] = mapped_column(JSON)
    evidence: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    corrections: Mapped[int] = mapped_column(server_default="0")


class AnswerFactsRow(Base):
    """What pages about many answers show about one, so that they need not read reports.

    It follows from the newest report and the corrections of its verdicts. ``corrections``,
    ``corrections_ids`` (their sum) and ``corrected_at`` record which corrections it was made with.
    """

    __tablename__ = "answer_facts"
    __table_args__ = (
        Index("ix_answer_facts_owner_id_created_at", "owner_id", "created_at", "attempt_id"),
        Index(
            "ix_answer_facts_corrected",
            "owner_id",
            sqlite_where=text("corrections > 0"),
            postgresql_where=text("corrections > 0"),
        ),
    )

    attempt_id: Mapped[int] = mapped_column(
        ForeignKey("attempts.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    report_id: Mapped[int] = mapped_column(Key)
    owner_id: Mapped[int | None] = owner_column()
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    topic: Mapped[str]
    score: Mapped[float] = mapped_column(Float)
    grader_version: Mapped[str] = mapped_column(String(100))
    corrections: Mapped[int] = mapped_column(default=0)
    corrections_ids: Mapped[int] = mapped_column(BigInteger, default=0)
    corrected_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


class TermFactsRow(Base):
    """How often a term was judged in an answer, and how often it was wrong."""

    __tablename__ = "term_facts"

    attempt_id: Mapped[int] = mapped_column(
        ForeignKey("answer_facts.attempt_id", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    )
    term: Mapped[str] = mapped_column(String(500), primary_key=True)
    judged: Mapped[int]
    wrong: Mapped[int]


class PhraseFactsRow(Base):
    """Whether an answer missed a key phrase (1) or said something of it (0)."""

    __tablename__ = "phrase_facts"

    attempt_id: Mapped[int] = mapped_column(
        ForeignKey("answer_facts.attempt_id", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    )
    phrase: Mapped[str] = mapped_column(String(500), primary_key=True)
    missed: Mapped[int]


class DrillReviewRow(Base):
    """One take of a drill item, as received."""

    __tablename__ = "drill_reviews"
    __table_args__ = (
        *once_per_owner("drill_reviews", "review_id"),
        Index("ix_drill_reviews_owner_id_item_id", "owner_id", "item_id"),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(Key, primary_key=True)
    owner_id: Mapped[int | None] = owner_column()
    review_id: Mapped[str] = mapped_column(String(32))
    item_id: Mapped[str] = mapped_column(String(160))
    drill_set: Mapped[str] = mapped_column(String(80))
    reviewed_at: Mapped[datetime] = mapped_column(UtcDateTime)
    received_at: Mapped[datetime] = mapped_column(UtcDateTime)
    review: Mapped[dict[str, Any]] = mapped_column(JSON)


class DrillCardRow(Base):
    """When an item is due; computed from its reviews and stored so that the queue is one query."""

    __tablename__ = "drill_cards"
    __table_args__ = (
        *once_per_owner("drill_cards", "item_id"),
        Index("ix_drill_cards_owner_id_due", "owner_id", "due"),
    )

    id: Mapped[int] = mapped_column(Key, primary_key=True)
    owner_id: Mapped[int | None] = owner_column()
    item_id: Mapped[str] = mapped_column(String(160))
    drill_set: Mapped[str] = mapped_column(String(80))
    due: Mapped[datetime] = mapped_column(UtcDateTime)
    card: Mapped[dict[str, Any]] = mapped_column(JSON)
