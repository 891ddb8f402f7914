"""A report keeps the evidence of its own transcript, and in how many places it was corrected."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds the columns; every report so far was made from the submission as it came in."""
    op.add_column("reports", sa.Column("evidence", sa.JSON(), nullable=True))
    op.add_column(
        "reports", sa.Column("corrections", sa.Integer(), nullable=False, server_default="0")
    )


def downgrade() -> None:
    """Drops the columns."""
    op.drop_column("reports", "corrections")
    op.drop_column("reports", "evidence")
