"""The tables of version 0.1.0."""

from typing import Any, Final

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = None
branch_labels = None
depends_on = None

_KEY: Final = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_INSTANT: Final = sa.DateTime(timezone=True)
_UNOWNED: Final = sa.text("owner_id IS NULL")
_TABLES: Final = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def upgrade() -> None:
    """Makes the tables."""
    for table in _TABLES.sorted_tables:
        op.execute(sa.schema.CreateTable(table))
        for index in sorted(table.indexes, key=lambda each: str(each.name)):
            op.execute(sa.schema.CreateIndex(index))


def _table(name: str, *content: sa.schema.SchemaItem, counts_on: bool = False) -> None:
    """``counts_on``: no id is ever given twice."""
    sa.Table(name, _TABLES, *content, sqlite_autoincrement=counts_on)


def _id() -> sa.Column[Any]:
    return sa.Column("id", _KEY, primary_key=True)


def _col(name: str, type_: Any, **options: Any) -> sa.Column[Any]:
    return sa.Column(name, type_, **({"nullable": False} | options))


def _to(
    name: str, other: str, *, deleted: str = "CASCADE", index: bool = True, **options: Any
) -> sa.Column[Any]:
    key = sa.ForeignKey(f"{other}.id", ondelete=deleted)
    return sa.Column(name, _KEY, key, index=index, **({"nullable": False} | options))


def _owner(*, index: bool = False) -> sa.Column[Any]:
    """``NULL``: the one person of an embedded server."""
    return _to("owner_id", "accounts", index=index, nullable=True)


def _one_of(column: str, *values: str) -> sa.CheckConstraint:
    listed = ", ".join(f"'{each}'" for each in values)
    return sa.CheckConstraint(f"{column} IN ({listed})", name=column)


def _once_per_owner(table: str, column: str) -> tuple[sa.Index, sa.Index]:
    """Two indexes, because to a unique index two ``NULL`` values are never equal."""
    return (
        sa.Index(f"uq_{table}_owner_id_{column}", "owner_id", column, unique=True),
        sa.Index(
            f"uq_{table}_unowned_{column}",
            column,
            unique=True,
            sqlite_where=_UNOWNED,
            postgresql_where=_UNOWNED,
        ),
    )


_table(
    "accounts",
    _id(),
    _col("name", sa.String(80), unique=True),
    _col("display_name", sa.String(80)),
    _col("role", sa.String(20)),
    _col("password_hash", sa.String(300), nullable=True),
    _col("created_at", _INSTANT),
    _col("disabled_at", _INSTANT, nullable=True),
    _col("session_epoch", sa.Integer()),
    _one_of("role", "candidate", "coach", "admin"),
    counts_on=True,
)

_table(
    "cohorts",
    _id(),
    _col("name", sa.String(80), unique=True),
    _col("created_at", _INSTANT),
    _col("audio_days", sa.Integer(), nullable=True),
    _col("rubric", sa.JSON(), nullable=True),
)

_table(
    "server_secrets", _col("name", sa.String(40), primary_key=True), _col("value", sa.String(200))
)

_table(
    "sign_in_failures",
    _id(),
    _col("subject", sa.String(64)),
    _col("at", _INSTANT, index=True),
    sa.Index("ix_sign_in_failures_subject_at", "subject", "at"),
)

_table(
    "attempts",
    _id(),
    _col("submission_id", sa.String(32)),
    _col("question_id", sa.String(80), index=True),
    _col("role", sa.String(80), nullable=True, index=True),
    _col("round", sa.String(40)),
    _col("topic", sa.String()),
    _col("engine", sa.String(500)),
    _col("created_at", _INSTANT),
    _col("received_at", _INSTANT),
    _col("submission", sa.JSON()),
    _col("question", sa.JSON()),
    _owner(),
    _col("interview_id", sa.String(32), nullable=True, index=True),
    *_once_per_owner("attempts", "submission_id"),
    sa.Index("ix_attempts_owner_id_created_at_id", "owner_id", "created_at", "id"),
    counts_on=True,
)

_table(
    "audit",
    _id(),
    _col("at", _INSTANT, index=True),
    _to("actor_id", "accounts", nullable=True, deleted="SET NULL"),
    _col("action", sa.String(80)),
    _col("object", sa.String(200)),
    counts_on=True,
)

_table(
    "bank_versions",
    _id(),
    _col("number", sa.Integer(), unique=True),
    _col("yaml", sa.Text()),
    _col("lexicon_yaml", sa.Text()),
    _col("note", sa.Text()),
    _to("author_id", "accounts", nullable=True, deleted="SET NULL"),
    _col("created_at", _INSTANT),
    _col("active", sa.Boolean()),
    counts_on=True,
)

_table(
    "cohort_members",
    _to("cohort_id", "cohorts", primary_key=True, index=False),
    _to("account_id", "accounts", primary_key=True),
    _col("as_role", sa.String(20)),
    _one_of("as_role", "candidate", "coach"),
)

_table(
    "drill_cards",
    _id(),
    _owner(),
    _col("item_id", sa.String(160)),
    _col("drill_set", sa.String(80)),
    _col("due", _INSTANT),
    _col("card", sa.JSON()),
    *_once_per_owner("drill_cards", "item_id"),
    sa.Index("ix_drill_cards_owner_id_due", "owner_id", "due"),
)

_table(
    "drill_reviews",
    _id(),
    _col("review_id", sa.String(32)),
    _col("item_id", sa.String(160)),
    _col("drill_set", sa.String(80)),
    _col("reviewed_at", _INSTANT),
    _col("received_at", _INSTANT),
    _col("review", sa.JSON()),
    _owner(),
    *_once_per_owner("drill_reviews", "review_id"),
    sa.Index("ix_drill_reviews_owner_id_item_id", "owner_id", "item_id"),
    counts_on=True,
)

_table(
    "ended_sessions",
    _col("digest", sa.String(64), primary_key=True),
    _to("account_id", "accounts"),
    _col("until", _INSTANT, index=True),
)

_table(
    "invitations",
    _id(),
    _col("token_hash", sa.String(64), unique=True),
    _to("account_id", "accounts"),
    _to("created_by", "accounts", nullable=True, deleted="SET NULL", index=False),
    _col("created_at", _INSTANT),
    _col("expires_at", _INSTANT),
    _col("used_at", _INSTANT, nullable=True),
)

_table(
    "jobs",
    _id(),
    _col("kind", sa.String(40)),
    _col("state", sa.String(20)),
    _col("payload", sa.JSON()),
    _col("progress_done", sa.Integer()),
    _col("progress_total", sa.Integer()),
    _col("result", sa.JSON(), nullable=True),
    _col("problem", sa.Text(), nullable=True),
    _owner(index=True),
    _col("created_at", _INSTANT),
    _col("started_at", _INSTANT, nullable=True),
    _col("finished_at", _INSTANT, nullable=True),
    _col("heartbeat_at", _INSTANT, nullable=True),
    _col("attempts", sa.Integer()),
    _one_of("state", "queued", "running", "done", "failed", "cancelled"),
    sa.Index("ix_jobs_state_id", "state", "id"),
    counts_on=True,
)

_table(
    "tokens",
    _id(),
    _to("account_id", "accounts"),
    _col("label", sa.String(80)),
    _col("token_hash", sa.String(64), unique=True),
    _col("prefix", sa.String(16)),
    _col("created_at", _INSTANT),
    _col("last_used_at", _INSTANT, nullable=True),
    _col("revoked_at", _INSTANT, nullable=True),
)

_table(
    "comments",
    _id(),
    _to("attempt_id", "attempts"),
    _to("parent_id", "comments", nullable=True),
    _to("author_id", "accounts", nullable=True),
    _col("guest_name", sa.String(80), nullable=True),
    _col("kind", sa.String(20)),
    _col("word_from", sa.Integer(), nullable=True),
    _col("word_to", sa.Integer(), nullable=True),
    _col("at_s", sa.Float(), nullable=True),
    _col("text", sa.Text()),
    _col("created_at", _INSTANT),
    _col("edited_at", _INSTANT, nullable=True),
    _col("external_id", sa.String(32), unique=True),
    _one_of("kind", "word", "span", "moment", "answer"),
    counts_on=True,
)

_table(
    "corrections",
    _id(),
    _to("attempt_id", "attempts"),
    _to("author_id", "accounts", nullable=True),
    _col("guest_name", sa.String(80), nullable=True),
    _col("target", sa.String(20)),
    _col("name", sa.String(200)),
    _col("word_index", sa.Integer(), nullable=True),
    _col("verdict", sa.String(40)),
    _col("note", sa.Text()),
    _col("created_at", _INSTANT),
    _col("external_id", sa.String(32), unique=True),
    _col("resolved_at", _INSTANT, nullable=True),
    _one_of("target", "term", "phrase"),
)

_table(
    "job_files",
    _to("job_id", "jobs", primary_key=True, index=False),
    _col("name", sa.String(200)),
    _col("media_type", sa.String(100)),
    _col("content", sa.LargeBinary()),
)

_table(
    "job_inputs",
    _to("job_id", "jobs", primary_key=True, index=False),
    _to("attempt_id", "attempts"),
    _col("content", sa.LargeBinary(), nullable=True),
)

_table(
    "recordings",
    _to("attempt_id", "attempts", primary_key=True, index=False),
    _owner(index=True),
    _col("media_type", sa.String(40)),
    _col("duration_s", sa.Float()),
    _col("content", sa.LargeBinary()),
    _col("sha256", sa.String(64)),
    _col("uploaded_at", _INSTANT),
    _col("expires_at", _INSTANT, nullable=True, index=True),
    _one_of("media_type", "audio/flac", "audio/ogg"),
)

_table(
    "reports",
    _id(),
    _to("attempt_id", "attempts", index=False),
    _col("grader_version", sa.String(100)),
    _col("bank_version", sa.String(100)),
    _col("graded_at", _INSTANT),
    _col("score", sa.Float()),
    _col("words", sa.Integer()),
    _col("answer_s", sa.Float(), nullable=True),
    _col("report", sa.JSON()),
    sa.Index("ix_reports_attempt_id_id", "attempt_id", "id"),
    counts_on=True,
)

_table(
    "reviews",
    _to("attempt_id", "attempts", primary_key=True, index=False),
    _to("reviewer_id", "accounts", primary_key=True),
    _col("state", sa.String(20)),
    _col("updated_at", _INSTANT),
    _one_of("state", "open", "done"),
)

_table(
    "rubric_scores",
    _id(),
    _to("attempt_id", "attempts"),
    _to("author_id", "accounts", nullable=True),
    _col("guest_name", sa.String(80), nullable=True),
    _col("criterion", sa.String(80)),
    _col("score", sa.Integer()),
    _col("note", sa.Text()),
    _col("created_at", _INSTANT),
    _col("external_id", sa.String(32), unique=True),
)

_table(
    "shares",
    _id(),
    _owner(index=True),
    _to("attempt_id", "attempts", nullable=True),
    _col("interview_id", sa.String(32), nullable=True, index=True),
    _to("cohort_id", "cohorts", nullable=True),
    _col("with_audio", sa.Boolean()),
    _col("created_at", _INSTANT),
    _col("revoked_at", _INSTANT, nullable=True),
    sa.CheckConstraint("(attempt_id IS NULL) <> (interview_id IS NULL)", name="one_object"),
    counts_on=True,
)

_table(
    "share_links",
    _id(),
    _to("share_id", "shares"),
    _col("token_hash", sa.String(64), unique=True),
    _col("label", sa.String(80)),
    _col("created_at", _INSTANT),
    _col("expires_at", _INSTANT),
    _col("revoked_at", _INSTANT, nullable=True),
    _col("last_used_at", _INSTANT, nullable=True),
)
