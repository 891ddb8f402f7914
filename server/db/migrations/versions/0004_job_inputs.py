"""What a job works on, beside its order: recordings as they arrived."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Makes the table."""
    op.create_table(
        "job_inputs",
        sa.Column("job_id", _KEY, nullable=False),
        sa.Column("attempt_id", _KEY, nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=True),
        sa.ForeignKeyConstraint(
            ["job_id"], ["jobs.id"], name="fk_job_inputs_job_id_jobs", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["attempt_id"],
            ["attempts.id"],
            name="fk_job_inputs_attempt_id_attempts",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("job_id", name="pk_job_inputs"),
    )
    op.create_index("ix_job_inputs_attempt_id", "job_inputs", ["attempt_id"])


def downgrade() -> None:
    """Drops the table; what waited to be done with it cannot be done any more."""
    op.execute(
        "UPDATE jobs SET state = 'cancelled' WHERE kind = 'recording' "
        "AND state IN ('queued', 'running')"
    )
    op.drop_table("job_inputs")
