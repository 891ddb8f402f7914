"""Attempts and reports."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Makes the two tables."""
    op.create_table(
        "attempts",
        sa.Column("id", _KEY, nullable=False),
        sa.Column("submission_id", sa.String(32), nullable=False),
        sa.Column("question_id", sa.String(80), nullable=False),
        sa.Column("role", sa.String(80), nullable=True),
        sa.Column("round", sa.String(40), nullable=False),
        sa.Column("topic", sa.String(), nullable=False),
        sa.Column("engine", sa.String(500), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("received_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("submission", sa.JSON(), nullable=False),
        sa.Column("question", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_attempts"),
        sa.UniqueConstraint("submission_id", name="uq_attempts_submission_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_attempts_question_id", "attempts", ["question_id"])
    op.create_index("ix_attempts_role", "attempts", ["role"])
    op.create_index("ix_attempts_created_at_id", "attempts", ["created_at", "id"])
    op.create_table(
        "reports",
        sa.Column("id", _KEY, nullable=False),
        sa.Column("attempt_id", _KEY, nullable=False),
        sa.Column("grader_version", sa.String(100), nullable=False),
        sa.Column("bank_version", sa.String(100), nullable=False),
        sa.Column("graded_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("score", sa.Float(), nullable=False),
        sa.Column("words", sa.Integer(), nullable=False),
        sa.Column("answer_s", sa.Float(), nullable=True),
        sa.Column("report", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_reports"),
        sa.ForeignKeyConstraint(
            ["attempt_id"],
            ["attempts.id"],
            name="fk_reports_attempt_id_attempts",
            ondelete="CASCADE",
        ),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_reports_attempt_id_id", "reports", ["attempt_id", "id"])


def downgrade() -> None:
    """Drops the two tables."""
    op.drop_table("reports")
    op.drop_table("attempts")
