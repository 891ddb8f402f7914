"""All tables: people, answers and drills, sharing and coaching, running a server.

Passwords are stored as Argon2 hashes, other credentials as the SHA-256 of random bytes. Only the
secret of a second factor has to be readable; without its account's password it opens nothing.
``external_id`` identifies a row across all databases, so that a bundle that returns with comments
can be merged. A change to any table needs a migration; a test compares the two.
"""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    CheckConstraint,
    DateTime,
    Dialect,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Text,
    text,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column
from sqlalchemy.types import TypeDecorator

# SQLite only counts up an INTEGER primary key; PostgreSQL gets 64 bits.
Key = BigInteger().with_variant(Integer, "sqlite")


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


def belongs_to(key: str, **options: Any) -> Mapped[Any]:
    """The row of another table with which this one is deleted; ``key`` is its column.

    An owner is ``NULL`` for the one user of an embedded server.
    """
    return mapped_column(ForeignKey(key, ondelete="CASCADE"), **options)


def once_per_owner(table: str, column: str) -> tuple[Index, Index]:
    """A value occurs once for each owner, and once without an owner.

    Two indexes, because to a unique index two ``NULL`` values are never equal.
    """
    return (
        Index(f"uq_{table}_owner_id_{column}", "owner_id", column, unique=True),
        Index(
            f"uq_{table}_unowned_{column}",
            column,
            unique=True,
            sqlite_where=text("owner_id IS NULL"),
            postgresql_where=text("owner_id IS NULL"),
        ),
    )


def without_nul(text: str) -> str:
    """Text for a column that only filters and lists: PostgreSQL's text, unlike JSON, has no NUL."""
    return text.replace("\0", "\ufffd")


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
    account_id: Mapped[int] = belongs_to("accounts.id", index=True)


class InvitationRow(Base):
    """A link with which its receiver sets the account's password, once."""

    __tablename__ = "invitations"

    id: Mapped[int] = mapped_column(Key, primary_key=True)
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    account_id: Mapped[int] = belongs_to("accounts.id", index=True)
    created_by: Mapped[int | None] = mapped_column(ForeignKey("accounts.id", ondelete="SET NULL"))
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    expires_at: Mapped[datetime] = mapped_column(UtcDateTime)
    used_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


class TokenRow(Base):
    """What a client signs in with. People distinguish tokens by ``prefix``."""

    __tablename__ = "tokens"

    id: Mapped[int] = mapped_column(Key, primary_key=True)
    account_id: Mapped[int] = belongs_to("accounts.id", index=True)
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

    cohort_id: Mapped[int] = belongs_to("cohorts.id", primary_key=True)
    account_id: Mapped[int] = belongs_to("accounts.id", primary_key=True)
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
    account_id: Mapped[int] = belongs_to("accounts.id", index=True)
    until: Mapped[datetime] = mapped_column(UtcDateTime, index=True)


class ServerSecretRow(Base):
    """A secret of this server, created at the first start; it signs the session cookies."""

    __tablename__ = "server_secrets"

    name: Mapped[str] = mapped_column(String(40), primary_key=True)
    value: Mapped[str] = mapped_column(String(200))


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
    owner_id: Mapped[int | None] = belongs_to("accounts.id")
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
    attempt_id: Mapped[int] = belongs_to("attempts.id")
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

    attempt_id: Mapped[int] = belongs_to("attempts.id", primary_key=True, autoincrement=False)
    report_id: Mapped[int] = mapped_column(Key)
    owner_id: Mapped[int | None] = belongs_to("accounts.id")
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

    attempt_id: Mapped[int] = belongs_to(
        "answer_facts.attempt_id", primary_key=True, autoincrement=False
    )
    term: Mapped[str] = mapped_column(String(500), primary_key=True)
    judged: Mapped[int]
    wrong: Mapped[int]


class PhraseFactsRow(Base):
    """Whether an answer missed a key phrase (1) or said something of it (0)."""

    __tablename__ = "phrase_facts"

    attempt_id: Mapped[int] = belongs_to(
        "answer_facts.attempt_id", primary_key=True, autoincrement=False
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
    owner_id: Mapped[int | None] = belongs_to("accounts.id")
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
    owner_id: Mapped[int | None] = belongs_to("accounts.id")
    item_id: Mapped[str] = mapped_column(String(160))
    drill_set: Mapped[str] = mapped_column(String(80))
    due: Mapped[datetime] = mapped_column(UtcDateTime)
    card: Mapped[dict[str, Any]] = mapped_column(JSON)


class CommentRow(Base):
    """A comment on a word, a span of words, a moment or the whole answer; or an answer to one."""

    __tablename__ = "comments"
    __table_args__ = (
        CheckConstraint("kind IN ('word', 'span', 'moment', 'answer')", name="kind"),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(Key, primary_key=True)
    attempt_id: Mapped[int] = belongs_to("attempts.id", index=True)
    parent_id: Mapped[int | None] = belongs_to("comments.id", index=True)
    author_id: Mapped[int | None] = belongs_to("accounts.id", index=True)
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
    attempt_id: Mapped[int] = belongs_to("attempts.id", index=True)
    author_id: Mapped[int | None] = belongs_to("accounts.id", index=True)
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
    attempt_id: Mapped[int] = belongs_to("attempts.id", index=True)
    author_id: Mapped[int | None] = belongs_to("accounts.id", index=True)
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

    attempt_id: Mapped[int] = belongs_to("attempts.id", primary_key=True)
    reviewer_id: Mapped[int] = belongs_to("accounts.id", primary_key=True, index=True)
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
    owner_id: Mapped[int | None] = belongs_to("accounts.id", index=True)
    attempt_id: Mapped[int | None] = belongs_to("attempts.id", index=True)
    interview_id: Mapped[str | None] = mapped_column(String(32), index=True)
    cohort_id: Mapped[int | None] = belongs_to("cohorts.id", index=True)
    with_audio: Mapped[bool]
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    revoked_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


class ShareLinkRow(Base):
    """A link with which a coach without an account opens one share."""

    __tablename__ = "share_links"

    id: Mapped[int] = mapped_column(Key, primary_key=True)
    share_id: Mapped[int] = belongs_to("shares.id", index=True)
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

    attempt_id: Mapped[int] = belongs_to("attempts.id", primary_key=True)
    owner_id: Mapped[int | None] = belongs_to("accounts.id", index=True)
    media_type: Mapped[str] = mapped_column(String(40))
    duration_s: Mapped[float] = mapped_column(Float)
    # megabytes, so loaded only on request
    content: Mapped[bytes] = mapped_column(LargeBinary, deferred=True)
    sha256: Mapped[str] = mapped_column(String(64))
    uploaded_at: Mapped[datetime] = mapped_column(UtcDateTime)
    expires_at: Mapped[datetime | None] = mapped_column(UtcDateTime, index=True)


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
    owner_id: Mapped[int | None] = belongs_to("accounts.id", index=True)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    started_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    finished_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    heartbeat_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    attempts: Mapped[int] = mapped_column(default=0)  # how often it was started


class JobFileRow(Base):
    """The file that a job made; ``answers``: the attempts in it, as ``packed_ids`` writes them."""

    __tablename__ = "job_files"

    job_id: Mapped[int] = belongs_to("jobs.id", primary_key=True)
    name: Mapped[str] = mapped_column(String(200))
    media_type: Mapped[str] = mapped_column(String(100))
    content: Mapped[bytes] = mapped_column(LargeBinary, deferred=True)
    answers: Mapped[bytes | None] = mapped_column(LargeBinary, deferred=True)


class JobInputRow(Base):
    """What a job works on, as received for an attempt.

    The content is deleted when the job ends; the row stays, to record which attempt it was about.
    """

    __tablename__ = "job_inputs"

    job_id: Mapped[int] = belongs_to("jobs.id", primary_key=True)
    attempt_id: Mapped[int] = belongs_to("attempts.id", index=True)
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
