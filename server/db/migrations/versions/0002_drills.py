"""Drill reviews and cards."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Makes the two tables."""
    op.create_table(
        "drill_reviews",
        sa.Column("id", _KEY, nullable=False),
        sa.Column("review_id", sa.String(32), nullable=False),
        sa.Column("item_id", sa.String(160), nullable=False),
        sa.Column("drill_set", sa.String(80), nullable=False),
        sa.Column("reviewed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("received_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("review", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_drill_reviews"),
        sa.UniqueConstraint("review_id", name="uq_drill_reviews_review_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_drill_reviews_item_id", "drill_reviews", ["item_id"])
    op.create_table(
        "drill_cards",
        sa.Column("item_id", sa.String(160), nullable=False),
        sa.Column("drill_set", sa.String(80), nullable=False),
        sa.Column("due", sa.DateTime(timezone=True), nullable=False),
        sa.Column("card", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("item_id", name="pk_drill_cards"),
    )
    op.create_index("ix_drill_cards_due", "drill_cards", ["due"])


def downgrade() -> None:
    """Drops the two tables."""
    op.drop_table("drill_cards")
    op.drop_table("drill_reviews")
