"""A second factor for accounts, and which answers are in a file that a job made."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

_KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Nobody has a second factor yet; files made before, kept for a day, are made again."""
    op.add_column("accounts", sa.Column("totp_secret", sa.String(64), nullable=True))
    op.add_column("accounts", sa.Column("totp_step", sa.BigInteger(), nullable=True))
    op.create_table(
        "recovery_codes",
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("account_id", _KEY, nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"],
            ["accounts.id"],
            name="fk_recovery_codes_account_id_accounts",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("digest", name="pk_recovery_codes"),
    )
    op.create_index("ix_recovery_codes_account_id", "recovery_codes", ["account_id"])
    op.execute(
        "DELETE FROM job_files WHERE job_id IN (SELECT id FROM jobs WHERE kind = 'cohort-export')"
    )
    op.add_column("job_files", sa.Column("answers", sa.LargeBinary(), nullable=True))


def downgrade() -> None:
    """Drops them; accounts are opened by the password alone again."""
    op.drop_column("job_files", "answers")
    op.drop_index("ix_recovery_codes_account_id", "recovery_codes")
    op.drop_table("recovery_codes")
    op.drop_column("accounts", "totp_step")
    op.drop_column("accounts", "totp_secret")
