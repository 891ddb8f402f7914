"""Browser sessions that ended before their cookie expires."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_INSTANT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Makes the table."""
    op.create_table(
        "ended_sessions",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("account_id", _KEY, nullable=False),
        sa.Column("until", _INSTANT, nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"],
            ["accounts.id"],
            name="fk_ended_sessions_account_id_accounts",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("digest", name="pk_ended_sessions"),
    )
    op.create_index("ix_ended_sessions_account_id", "ended_sessions", ["account_id"])
    op.create_index("ix_ended_sessions_until", "ended_sessions", ["until"])


def downgrade() -> None:
    """Drops the table."""
    op.drop_table("ended_sessions")
