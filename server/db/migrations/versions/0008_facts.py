"""What pages about many answers show of each has tables of its own."""

import json
from collections import Counter
from typing import Any

import sqlalchemy as sa
from alembic import context, op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

_BATCH = 500


def upgrade() -> None:
    """Makes the tables, and fills them from the newest report of each attempt."""
    op.create_table(
        "answer_facts",
        sa.Column("attempt_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite")),
        sa.Column(
            "report_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("owner_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite")),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("topic", sa.String(), nullable=False),
        sa.Column("score", sa.Float(), nullable=False),
        sa.Column("grader_version", sa.String(100), nullable=False),
        sa.Column("corrections", sa.Integer(), nullable=False),
        sa.Column("corrections_ids", sa.BigInteger(), nullable=False),
        sa.Column("corrected_at", sa.DateTime(timezone=True)),
        sa.PrimaryKeyConstraint("attempt_id", name=op.f("pk_answer_facts")),
        sa.ForeignKeyConstraint(
            ["attempt_id"],
            ["attempts.id"],
            name=op.f("fk_answer_facts_attempt_id_attempts"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["owner_id"],
            ["accounts.id"],
            name=op.f("fk_answer_facts_owner_id_accounts"),
            ondelete="CASCADE",
        ),
    )
    op.create_index(
        "ix_answer_facts_owner_id_created_at",
        "answer_facts",
        ["owner_id", "created_at", "attempt_id"],
    )
    op.create_table(
        "term_facts",
        sa.Column("attempt_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite")),
        sa.Column("term", sa.String(500)),
        sa.Column("judged", sa.Integer(), nullable=False),
        sa.Column("wrong", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("attempt_id", "term", name=op.f("pk_term_facts")),
        sa.ForeignKeyConstraint(
            ["attempt_id"],
            ["answer_facts.attempt_id"],
            name=op.f("fk_term_facts_attempt_id_answer_facts"),
            ondelete="CASCADE",
        ),
    )
    op.create_index(
        "ix_shares_shown",
        "shares",
        ["cohort_id", "owner_id", "attempt_id", "interview_id", "revoked_at"],
    )
    if not context.is_offline_mode():
        _fill(op.get_bind())


def downgrade() -> None:
    """Drops the tables; everything in them follows from others."""
    op.drop_index("ix_shares_shown", "shares")
    op.drop_table("term_facts")
    op.drop_table("answer_facts")


def _fill(connection: sa.Connection) -> None:
    connection.execute(
        sa.text(
            "INSERT INTO answer_facts (attempt_id, report_id, owner_id, created_at,"
            " topic, score, grader_version, corrections, corrections_ids)"
            " SELECT a.id, r.id, a.owner_id, a.created_at, a.topic, r.score,"
            " r.grader_version, 0, 0 FROM attempts a JOIN reports r ON r.id ="
            " (SELECT max(id) FROM reports WHERE attempt_id = a.id)"
        )
    )
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
            return
        facts = [each for attempt_id, report in rows for each in _terms(attempt_id, report)]
        if facts:
            connection.execute(
                sa.text(
                    "INSERT INTO term_facts (attempt_id, term, judged, wrong)"
                    " VALUES (:attempt_id, :term, :judged, :wrong)"
                ),
                facts,
            )
        after = rows[-1][0]


def _terms(attempt_id: int, report: Any) -> list[dict[str, Any]]:
    """The facts of one report; of a damaged one, none."""
    judged: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    try:
        found = json.loads(report) if isinstance(report, str | bytes) else report
        for each in found["pronunciation"]["terms"]:
            term = str(each["term"])[:500].replace("\0", "\ufffd")
            judged[term] += each["verdict"] != "unclear"
            wrong[term] += each["verdict"] == "mispronounced"
    except (ValueError, KeyError, TypeError):
        return []
    return [
        {"attempt_id": attempt_id, "term": term, "judged": count, "wrong": wrong[term]}
        for term, count in judged.items()
        if count
    ]
