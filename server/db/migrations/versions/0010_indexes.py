"""Indexes for a coach's pages: an owner's interviews, and the answers with corrected verdicts."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Makes them; nobody looks for an interview without its owner."""
    op.drop_index("ix_attempts_interview_id", "attempts")
    op.create_index("ix_attempts_owner_id_interview_id", "attempts", ["owner_id", "interview_id"])
    op.create_index(
        "ix_answer_facts_corrected",
        "answer_facts",
        ["owner_id"],
        sqlite_where=sa.text("corrections > 0"),
        postgresql_where=sa.text("corrections > 0"),
    )


def downgrade() -> None:
    """Drops them again."""
    op.drop_index("ix_answer_facts_corrected", "answer_facts")
    op.drop_index("ix_attempts_owner_id_interview_id", "attempts")
    op.create_index("ix_attempts_interview_id", "attempts", ["interview_id"])
