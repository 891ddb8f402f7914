"""What a cohort misses has a table of its own: the key phrases of each answer."""

import json
from typing import Any

import sqlalchemy as sa
from alembic import context, op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

_BATCH = 500


def upgrade() -> None:
    """Makes the table, and fills it from the newest report of each attempt."""
    op.create_table(
        "phrase_facts",
        sa.Column("attempt_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite")),
        sa.Column("phrase", sa.String(500)),
        sa.Column("missed", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("attempt_id", "phrase", name=op.f("pk_phrase_facts")),
        sa.ForeignKeyConstraint(
            ["attempt_id"],
            ["answer_facts.attempt_id"],
            name=op.f("fk_phrase_facts_attempt_id_answer_facts"),
            ondelete="CASCADE",
        ),
    )
    if not context.is_offline_mode():
        _fill(op.get_bind())


def downgrade() -> None:
    """Drops the table; everything in it follows from others."""
    op.drop_table("phrase_facts")


def _fill(connection: sa.Connection) -> None:
    after = 0
    while True:
        rows = connection.execute(
            sa.text(
                "SELECT f.attempt_id, r.report FROM answer_facts f JOIN reports r"
                " ON r.id = f.report_id WHERE f.attempt_id > :after"
                " ORDER BY f.attempt_id LIMIT :batch"
            ),
            {"after": after, "batch": _BATCH},
        ).all()
        if not rows:
            break
        facts = [each for attempt_id, report in rows for each in _phrases(attempt_id, report)]
        if facts:
            connection.execute(
                sa.text(
                    "INSERT INTO phrase_facts (attempt_id, phrase, missed)"
                    " VALUES (:attempt_id, :phrase, :missed)"
                ),
                facts,
            )
        after = rows[-1][0]
    # these lack their corrections: they are computed again before they are next read
    connection.execute(
        sa.text(
            "UPDATE answer_facts SET corrections = 0, corrections_ids = 0, corrected_at = NULL"
            " WHERE corrections > 0"
        )
    )


def _phrases(attempt_id: int, report: Any) -> list[dict[str, Any]]:
    """The facts of one report; of a damaged one, none."""
    missed: dict[str, int] = {}
    try:
        found = json.loads(report) if isinstance(report, str | bytes) else report
        for each in found["coverage"]["phrases"]:
            phrase = str(each["phrase"])[:500].replace("\0", "\ufffd")
            missed[phrase] = int(each["status"] == "missing" or bool(each.get("negated")))
    except (ValueError, KeyError, TypeError):
        return []
    return [
        {"attempt_id": attempt_id, "phrase": phrase, "missed": value}
        for phrase, value in missed.items()
    ]
