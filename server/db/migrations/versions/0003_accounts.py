"""Accounts, ownership, sharing, reviewing, jobs.

What a database holds until now belongs to nobody: ``owner_id`` is ``NULL``, the one person of an
embedded server. What was unique becomes unique for each owner.
"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_INSTANT = sa.DateTime(timezone=True)
_UNOWNED = sa.text("owner_id IS NULL")

_NEW_TABLES = (
    *("audit", "job_files", "jobs", "bank_versions"),
    *("reviews", "corrections", "rubric_scores", "comments"),
    *("recordings", "share_links", "shares"),
    *("server_secrets", "sign_in_failures", "tokens", "invitations"),
    *("cohort_members", "cohorts", "accounts"),
)
"""In the order in which they can be dropped."""


def upgrade() -> None:
    """Makes the tables, and gives what there is an owner column."""
    _people()
    _own("attempts", "submission_id")
    _own("drill_reviews", "review_id")
    _own_cards()
    _sharing()
    _reviewing()
    _work()


def downgrade() -> None:
    """Deletes what belongs to accounts, and the accounts."""
    for table in ("attempts", "drill_reviews", "drill_cards"):
        op.execute(f"DELETE FROM {table} WHERE owner_id IS NOT NULL")
    for table in _NEW_TABLES[:-1]:
        op.drop_table(table)
    _disown("attempts", "submission_id")
    _disown("drill_reviews", "review_id")
    _disown_cards()
    op.drop_table("accounts")


def _own(table: str, unique: str) -> None:
    used = _ids_used(table)
    with op.batch_alter_table(table, table_kwargs={"sqlite_autoincrement": True}) as batch:
        batch.add_column(sa.Column("owner_id", _KEY, nullable=True))
        if table == "attempts":
            batch.add_column(sa.Column("interview_id", sa.String(32), nullable=True))
        batch.drop_constraint(f"uq_{table}_{unique}", type_="unique")
        batch.create_foreign_key(
            f"fk_{table}_owner_id_accounts", "accounts", ["owner_id"], ["id"], ondelete="CASCADE"
        )
    if table == "attempts":
        op.drop_index("ix_attempts_created_at_id", "attempts")
        op.create_index(
            "ix_attempts_owner_id_created_at_id", "attempts", ["owner_id", "created_at", "id"]
        )
        op.create_index("ix_attempts_interview_id", "attempts", ["interview_id"])
    else:
        op.drop_index("ix_drill_reviews_item_id", "drill_reviews")
        op.create_index(
            "ix_drill_reviews_owner_id_item_id", "drill_reviews", ["owner_id", "item_id"]
        )
    _once_per_owner(table, unique)
    _remember(table, used)


def _disown(table: str, unique: str) -> None:
    used = _ids_used(table)
    for index in (f"uq_{table}_owner_id_{unique}", f"uq_{table}_unowned_{unique}"):
        op.drop_index(index, table)
    if table == "attempts":
        op.drop_index("ix_attempts_owner_id_created_at_id", "attempts")
        op.drop_index("ix_attempts_interview_id", "attempts")
        op.create_index("ix_attempts_created_at_id", "attempts", ["created_at", "id"])
    else:
        op.drop_index("ix_drill_reviews_owner_id_item_id", "drill_reviews")
        op.create_index("ix_drill_reviews_item_id", "drill_reviews", ["item_id"])
    with op.batch_alter_table(table, table_kwargs={"sqlite_autoincrement": True}) as batch:
        batch.drop_constraint(f"fk_{table}_owner_id_accounts", type_="foreignkey")
        batch.drop_column("owner_id")
        if table == "attempts":
            batch.drop_column("interview_id")
        batch.create_unique_constraint(f"uq_{table}_{unique}", [unique])
    _remember(table, used)


def _own_cards() -> None:
    """Made again: the item is no longer the key."""
    _set_cards_aside()
    op.create_table(
        "drill_cards",
        sa.Column("id", _KEY, nullable=False),
        sa.Column("owner_id", _KEY, nullable=True),
        sa.Column("item_id", sa.String(160), nullable=False),
        sa.Column("drill_set", sa.String(80), nullable=False),
        sa.Column("due", _INSTANT, nullable=False),
        sa.Column("card", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_drill_cards"),
        sa.ForeignKeyConstraint(
            ["owner_id"],
            ["accounts.id"],
            name="fk_drill_cards_owner_id_accounts",
            ondelete="CASCADE",
        ),
    )
    op.create_index("ix_drill_cards_owner_id_due", "drill_cards", ["owner_id", "due"])
    _once_per_owner("drill_cards", "item_id")
    _bring_cards_back()


def _disown_cards() -> None:
    _set_cards_aside()
    op.create_table(
        "drill_cards",
        sa.Column("item_id", sa.String(160), nullable=False),
        sa.Column("drill_set", sa.String(80), nullable=False),
        sa.Column("due", _INSTANT, nullable=False),
        sa.Column("card", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("item_id", name="pk_drill_cards"),
    )
    op.create_index("ix_drill_cards_due", "drill_cards", ["due"])
    _bring_cards_back()


def _set_cards_aside() -> None:
    op.execute("CREATE TABLE cards_aside AS SELECT item_id, drill_set, due, card FROM drill_cards")
    op.drop_table("drill_cards")


def _bring_cards_back() -> None:
    op.execute(
        "INSERT INTO drill_cards (item_id, drill_set, due, card) "
        "SELECT item_id, drill_set, due, card FROM cards_aside ORDER BY item_id"
    )
    op.drop_table("cards_aside")


def _once_per_owner(table: str, column: str) -> None:
    op.create_index(f"uq_{table}_owner_id_{column}", table, ["owner_id", column], unique=True)
    op.create_index(
        f"uq_{table}_unowned_{column}",
        table,
        [column],
        unique=True,
        sqlite_where=_UNOWNED,
        postgresql_where=_UNOWNED,
    )


def _ids_used(table: str) -> int | None:
    """The highest id SQLite ever gave in a table, which it forgets when the table is rebuilt."""
    if op.get_context().dialect.name != "sqlite":
        return None
    query = sa.text("SELECT seq FROM sqlite_sequence WHERE name = :name")
    used: int | None = op.get_bind().scalar(query, {"name": table})
    return used


def _remember(table: str, used: int | None) -> None:
    if used is None:
        return
    bind, values = op.get_bind(), {"name": table, "seq": used}
    bind.execute(sa.text("DELETE FROM sqlite_sequence WHERE name = :name"), values)
    bind.execute(sa.text("INSERT INTO sqlite_sequence (name, seq) VALUES (:name, :seq)"), values)


def _people() -> None:
    """Accounts, what lets them in, cohorts."""
    op.create_table(
        "accounts",
        sa.Column("id", _KEY, nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("display_name", sa.String(length=80), nullable=False),
        sa.Column("role", sa.String(length=20), nullable=False),
        sa.Column("password_hash", sa.String(length=300), nullable=True),
        sa.Column("created_at", _INSTANT, nullable=False),
        sa.Column("disabled_at", _INSTANT, nullable=True),
        sa.Column("session_epoch", sa.Integer(), nullable=False),
        sa.CheckConstraint("role IN ('candidate', 'coach', 'admin')", name="ck_accounts_role"),
        sa.PrimaryKeyConstraint("id", name="pk_accounts"),
        sa.UniqueConstraint("name", name="uq_accounts_name"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "cohorts",
        sa.Column("id", _KEY, nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("created_at", _INSTANT, nullable=False),
        sa.Column("audio_days", sa.Integer(), nullable=True),
        sa.Column("rubric", sa.JSON(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_cohorts"),
        sa.UniqueConstraint("name", name="uq_cohorts_name"),
    )
    op.create_table(
        "cohort_members",
        sa.Column("cohort_id", _KEY, nullable=False),
        sa.Column("account_id", _KEY, nullable=False),
        sa.Column("as_role", sa.String(length=20), nullable=False),
        sa.CheckConstraint("as_role IN ('candidate', 'coach')", name="ck_cohort_members_as_role"),
        sa.ForeignKeyConstraint(
            ["account_id"],
            ["accounts.id"],
            name="fk_cohort_members_account_id_accounts",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["cohort_id"],
            ["cohorts.id"],
            name="fk_cohort_members_cohort_id_cohorts",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("cohort_id", "account_id", name="pk_cohort_members"),
    )
    op.create_index("ix_cohort_members_account_id", "cohort_members", ["account_id"], unique=False)
    op.create_table(
        "invitations",
        sa.Column("id", _KEY, nullable=False),
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("account_id", _KEY, nullable=False),
        sa.Column("created_by", _KEY, nullable=True),
        sa.Column("created_at", _INSTANT, nullable=False),
        sa.Column("expires_at", _INSTANT, nullable=False),
        sa.Column("used_at", _INSTANT, nullable=True),
        sa.ForeignKeyConstraint(
            ["account_id"],
            ["accounts.id"],
            name="fk_invitations_account_id_accounts",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["created_by"],
            ["accounts.id"],
            name="fk_invitations_created_by_accounts",
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_invitations"),
        sa.UniqueConstraint("token_hash", name="uq_invitations_token_hash"),
    )
    op.create_index("ix_invitations_account_id", "invitations", ["account_id"], unique=False)
    op.create_table(
        "tokens",
        sa.Column("id", _KEY, nullable=False),
        sa.Column("account_id", _KEY, nullable=False),
        sa.Column("label", sa.String(length=80), nullable=False),
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("prefix", sa.String(length=16), nullable=False),
        sa.Column("created_at", _INSTANT, nullable=False),
        sa.Column("last_used_at", _INSTANT, nullable=True),
        sa.Column("revoked_at", _INSTANT, nullable=True),
        sa.ForeignKeyConstraint(
            ["account_id"],
            ["accounts.id"],
            name="fk_tokens_account_id_accounts",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_tokens"),
        sa.UniqueConstraint("token_hash", name="uq_tokens_token_hash"),
    )
    op.create_index("ix_tokens_account_id", "tokens", ["account_id"], unique=False)
    op.create_table(
        "sign_in_failures",
        sa.Column("id", _KEY, nullable=False),
        sa.Column("subject", sa.String(length=64), nullable=False),
        sa.Column("at", _INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_sign_in_failures"),
    )
    op.create_index("ix_sign_in_failures_at", "sign_in_failures", ["at"], unique=False)
    op.create_index(
        "ix_sign_in_failures_subject_at", "sign_in_failures", ["subject", "at"], unique=False
    )
    op.create_table(
        "server_secrets",
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("value", sa.String(length=200), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_server_secrets"),
    )


def _sharing() -> None:
    """Shares, links, recordings."""
    op.create_table(
        "shares",
        sa.Column("id", _KEY, nullable=False),
        sa.Column("owner_id", _KEY, nullable=True),
        sa.Column("attempt_id", _KEY, nullable=True),
        sa.Column("interview_id", sa.String(length=32), nullable=True),
        sa.Column("cohort_id", _KEY, nullable=True),
        sa.Column("with_audio", sa.Boolean(), nullable=False),
        sa.Column("created_at", _INSTANT, nullable=False),
        sa.Column("revoked_at", _INSTANT, nullable=True),
        sa.CheckConstraint(
            "(attempt_id IS NULL) <> (interview_id IS NULL)", name="ck_shares_one_object"
        ),
        sa.ForeignKeyConstraint(
            ["attempt_id"],
            ["attempts.id"],
            name="fk_shares_attempt_id_attempts",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["cohort_id"], ["cohorts.id"], name="fk_shares_cohort_id_cohorts", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["owner_id"], ["accounts.id"], name="fk_shares_owner_id_accounts", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_shares"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_shares_attempt_id", "shares", ["attempt_id"], unique=False)
    op.create_index("ix_shares_cohort_id", "shares", ["cohort_id"], unique=False)
    op.create_index("ix_shares_interview_id", "shares", ["interview_id"], unique=False)
    op.create_index("ix_shares_owner_id", "shares", ["owner_id"], unique=False)
    op.create_table(
        "share_links",
        sa.Column("id", _KEY, nullable=False),
        sa.Column("share_id", _KEY, nullable=False),
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("label", sa.String(length=80), nullable=False),
        sa.Column("created_at", _INSTANT, nullable=False),
        sa.Column("expires_at", _INSTANT, nullable=False),
        sa.Column("revoked_at", _INSTANT, nullable=True),
        sa.Column("last_used_at", _INSTANT, nullable=True),
        sa.ForeignKeyConstraint(
            ["share_id"], ["shares.id"], name="fk_share_links_share_id_shares", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_share_links"),
        sa.UniqueConstraint("token_hash", name="uq_share_links_token_hash"),
    )
    op.create_index("ix_share_links_share_id", "share_links", ["share_id"], unique=False)
    op.create_table(
        "recordings",
        sa.Column("attempt_id", _KEY, nullable=False),
        sa.Column("owner_id", _KEY, nullable=True),
        sa.Column("media_type", sa.String(length=40), nullable=False),
        sa.Column("duration_s", sa.Float(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("uploaded_at", _INSTANT, nullable=False),
        sa.Column("expires_at", _INSTANT, nullable=True),
        sa.CheckConstraint(
            "media_type IN ('audio/flac', 'audio/ogg')", name="ck_recordings_media_type"
        ),
        sa.ForeignKeyConstraint(
            ["attempt_id"],
            ["attempts.id"],
            name="fk_recordings_attempt_id_attempts",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["owner_id"],
            ["accounts.id"],
            name="fk_recordings_owner_id_accounts",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("attempt_id", name="pk_recordings"),
    )
    op.create_index("ix_recordings_expires_at", "recordings", ["expires_at"], unique=False)
    op.create_index("ix_recordings_owner_id", "recordings", ["owner_id"], unique=False)


def _reviewing() -> None:
    """What coaches say about an attempt."""
    op.create_table(
        "comments",
        sa.Column("id", _KEY, nullable=False),
        sa.Column("attempt_id", _KEY, nullable=False),
        sa.Column("parent_id", _KEY, nullable=True),
        sa.Column("author_id", _KEY, nullable=True),
        sa.Column("guest_name", sa.String(length=80), nullable=True),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("word_from", sa.Integer(), nullable=True),
        sa.Column("word_to", sa.Integer(), nullable=True),
        sa.Column("at_s", sa.Float(), nullable=True),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("created_at", _INSTANT, nullable=False),
        sa.Column("edited_at", _INSTANT, nullable=True),
        sa.Column("external_id", sa.String(length=32), nullable=False),
        sa.CheckConstraint("kind IN ('word', 'span', 'moment', 'answer')", name="ck_comments_kind"),
        sa.ForeignKeyConstraint(
            ["attempt_id"],
            ["attempts.id"],
            name="fk_comments_attempt_id_attempts",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["author_id"],
            ["accounts.id"],
            name="fk_comments_author_id_accounts",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["parent_id"],
            ["comments.id"],
            name="fk_comments_parent_id_comments",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_comments"),
        sa.UniqueConstraint("external_id", name="uq_comments_external_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_comments_attempt_id", "comments", ["attempt_id"], unique=False)
    op.create_index("ix_comments_author_id", "comments", ["author_id"], unique=False)
    op.create_index("ix_comments_parent_id", "comments", ["parent_id"], unique=False)
    op.create_table(
        "rubric_scores",
        sa.Column("id", _KEY, nullable=False),
        sa.Column("attempt_id", _KEY, nullable=False),
        sa.Column("author_id", _KEY, nullable=True),
        sa.Column("guest_name", sa.String(length=80), nullable=True),
        sa.Column("criterion", sa.String(length=80), nullable=False),
        sa.Column("score", sa.Integer(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("created_at", _INSTANT, nullable=False),
        sa.Column("external_id", sa.String(length=32), nullable=False),
        sa.ForeignKeyConstraint(
            ["attempt_id"],
            ["attempts.id"],
            name="fk_rubric_scores_attempt_id_attempts",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["author_id"],
            ["accounts.id"],
            name="fk_rubric_scores_author_id_accounts",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_rubric_scores"),
        sa.UniqueConstraint("external_id", name="uq_rubric_scores_external_id"),
    )
    op.create_index("ix_rubric_scores_attempt_id", "rubric_scores", ["attempt_id"], unique=False)
    op.create_index("ix_rubric_scores_author_id", "rubric_scores", ["author_id"], unique=False)
    op.create_table(
        "corrections",
        sa.Column("id", _KEY, nullable=False),
        sa.Column("attempt_id", _KEY, nullable=False),
        sa.Column("author_id", _KEY, nullable=True),
        sa.Column("guest_name", sa.String(length=80), nullable=True),
        sa.Column("target", sa.String(length=20), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("word_index", sa.Integer(), nullable=True),
        sa.Column("verdict", sa.String(length=40), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("created_at", _INSTANT, nullable=False),
        sa.Column("external_id", sa.String(length=32), nullable=False),
        sa.Column("resolved_at", _INSTANT, nullable=True),
        sa.CheckConstraint("target IN ('term', 'phrase')", name="ck_corrections_target"),
        sa.ForeignKeyConstraint(
            ["attempt_id"],
            ["attempts.id"],
            name="fk_corrections_attempt_id_attempts",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["author_id"],
            ["accounts.id"],
            name="fk_corrections_author_id_accounts",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_corrections"),
        sa.UniqueConstraint("external_id", name="uq_corrections_external_id"),
    )
    op.create_index("ix_corrections_attempt_id", "corrections", ["attempt_id"], unique=False)
    op.create_index("ix_corrections_author_id", "corrections", ["author_id"], unique=False)
    op.create_table(
        "reviews",
        sa.Column("attempt_id", _KEY, nullable=False),
        sa.Column("reviewer_id", _KEY, nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("updated_at", _INSTANT, nullable=False),
        sa.CheckConstraint("state IN ('open', 'done')", name="ck_reviews_state"),
        sa.ForeignKeyConstraint(
            ["attempt_id"],
            ["attempts.id"],
            name="fk_reviews_attempt_id_attempts",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["reviewer_id"],
            ["accounts.id"],
            name="fk_reviews_reviewer_id_accounts",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("attempt_id", "reviewer_id", name="pk_reviews"),
    )
    op.create_index("ix_reviews_reviewer_id", "reviews", ["reviewer_id"], unique=False)


def _work() -> None:
    """Bank versions, jobs, audit."""
    op.create_table(
        "bank_versions",
        sa.Column("id", _KEY, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("yaml", sa.Text(), nullable=False),
        sa.Column("lexicon_yaml", sa.Text(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("author_id", _KEY, nullable=True),
        sa.Column("created_at", _INSTANT, nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["author_id"],
            ["accounts.id"],
            name="fk_bank_versions_author_id_accounts",
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_bank_versions"),
        sa.UniqueConstraint("number", name="uq_bank_versions_number"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_bank_versions_author_id", "bank_versions", ["author_id"], unique=False)
    op.create_table(
        "jobs",
        sa.Column("id", _KEY, nullable=False),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("payload", sa.JSON(), nullable=False),
        sa.Column("progress_done", sa.Integer(), nullable=False),
        sa.Column("progress_total", sa.Integer(), nullable=False),
        sa.Column("result", sa.JSON(), nullable=True),
        sa.Column("problem", sa.Text(), nullable=True),
        sa.Column("owner_id", _KEY, nullable=True),
        sa.Column("created_at", _INSTANT, nullable=False),
        sa.Column("started_at", _INSTANT, nullable=True),
        sa.Column("finished_at", _INSTANT, nullable=True),
        sa.Column("heartbeat_at", _INSTANT, nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.CheckConstraint(
            "state IN ('queued', 'running', 'done', 'failed', 'cancelled')", name="ck_jobs_state"
        ),
        sa.ForeignKeyConstraint(
            ["owner_id"], ["accounts.id"], name="fk_jobs_owner_id_accounts", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_jobs"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_jobs_owner_id", "jobs", ["owner_id"], unique=False)
    op.create_index("ix_jobs_state_id", "jobs", ["state", "id"], unique=False)
    op.create_table(
        "job_files",
        sa.Column("job_id", _KEY, nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("media_type", sa.String(length=100), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["job_id"], ["jobs.id"], name="fk_job_files_job_id_jobs", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("job_id", name="pk_job_files"),
    )
    op.create_table(
        "audit",
        sa.Column("id", _KEY, nullable=False),
        sa.Column("at", _INSTANT, nullable=False),
        sa.Column("actor_id", _KEY, nullable=True),
        sa.Column("action", sa.String(length=80), nullable=False),
        sa.Column("object", sa.String(length=200), nullable=False),
        sa.ForeignKeyConstraint(
            ["actor_id"], ["accounts.id"], name="fk_audit_actor_id_accounts", ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_audit"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_audit_actor_id", "audit", ["actor_id"], unique=False)
    op.create_index("ix_audit_at", "audit", ["at"], unique=False)
