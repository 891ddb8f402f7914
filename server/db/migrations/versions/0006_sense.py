"""What the grader made of an answer's words, kept so that grading again needs no model."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds the column; it is filled when an attempt is graded again."""
    op.add_column("attempts", sa.Column("sense", sa.JSON(), nullable=True))


def downgrade() -> None:
    """Drops the column."""
    op.drop_column("attempts", "sense")
