"""Version 0.2.0: what the grader made of the words, revised transcripts, facts for a coach's pages.

What pages about many answers show of each has tables of its own.
"""

import json
from collections import Counter
from typing import Any, Final

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0005"
branch_labels = None
depends_on = None

_BATCH: Final = 500
_KEY: Final = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Adds columns, tables and indexes; fills the facts from each attempt's newest report."""
    op.add_column("attempts", sa.Column("sense", sa.JSON(), nullable=True))
    op.add_column("reports", sa.Column("evidence", sa.JSON(), nullable=True))
    op.add_column(
        "reports", sa.Column("corrections", sa.Integer(), nullable=False, server_default="0")
    )
    op.create_table(
        "answer_facts",
        _key("attempt_id", "answer_facts", "attempts.id"),
        sa.Column("report_id", _KEY, nullable=False),
        sa.Column(
            "owner_id",
            _KEY,
            sa.ForeignKey(
                "accounts.id", name="fk_answer_facts_owner_id_accounts", ondelete="CASCADE"
            ),
        ),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("topic", sa.String(), nullable=False),
        sa.Column("score", sa.Float(), nullable=False),
        sa.Column("grader_version", sa.String(100), nullable=False),
        sa.Column("corrections", sa.Integer(), nullable=False),
        sa.Column("corrections_ids", sa.BigInteger(), nullable=False),
        sa.Column("corrected_at", sa.DateTime(timezone=True)),
        sa.PrimaryKeyConstraint("attempt_id", name="pk_answer_facts"),
    )
    op.create_index(
        "ix_answer_facts_owner_id_created_at",
        "answer_facts",
        ["owner_id", "created_at", "attempt_id"],
    )
    op.create_index(
        "ix_answer_facts_corrected",
        "answer_facts",
        ["owner_id"],
        sqlite_where=sa.text("corrections > 0"),
        postgresql_where=sa.text("corrections > 0"),
    )
    op.create_table(
        "term_facts",
        _key("attempt_id", "term_facts", "answer_facts.attempt_id"),
        sa.Column("term", sa.String(500)),
        sa.Column("judged", sa.Integer(), nullable=False),
        sa.Column("wrong", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("attempt_id", "term", name="pk_term_facts"),
    )
    op.create_table(
        "phrase_facts",
        _key("attempt_id", "phrase_facts", "answer_facts.attempt_id"),
        sa.Column("phrase", sa.String(500)),
        sa.Column("missed", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("attempt_id", "phrase", name="pk_phrase_facts"),
    )
    op.create_index(
        "ix_shares_shown",
        "shares",
        ["cohort_id", "owner_id", "attempt_id", "interview_id", "revoked_at"],
    )
    op.drop_index("ix_attempts_interview_id", "attempts")
    op.create_index("ix_attempts_owner_id_interview_id", "attempts", ["owner_id", "interview_id"])
    _fill(op.get_bind())


def _key(name: str, table: str, other: str) -> sa.Column[Any]:
    named = f"fk_{table}_{name}_{other.partition('.')[0]}"
    return sa.Column(name, _KEY, sa.ForeignKey(other, name=named, ondelete="CASCADE"))


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
    newest = sa.text(
        "SELECT f.attempt_id, r.report FROM answer_facts f JOIN reports r ON r.id = f.report_id"
        " WHERE f.attempt_id > :after ORDER BY f.attempt_id LIMIT :batch"
    )
    after = 0
    while rows := connection.execute(newest, {"after": after, "batch": _BATCH}).all():
        for attempt_id, stored in rows:
            try:
                report = json.loads(stored) if isinstance(stored, str | bytes) else stored
                terms, phrases = _terms(report), _phrases(report)
            except (ValueError, KeyError, TypeError):
                continue  # a damaged report has no facts
            known = {"attempt_id": attempt_id}
            for table, facts in (("term_facts", terms), ("phrase_facts", phrases)):
                if facts:
                    names = list(known | facts[0])
                    columns, values = ", ".join(names), ", ".join(f":{each}" for each in names)
                    connection.execute(
                        sa.text(f"INSERT INTO {table} ({columns}) VALUES ({values})"),
                        [known | each for each in facts],
                    )
        after = rows[-1][0]


def _terms(report: Any) -> list[dict[str, Any]]:
    judged: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    for each in report["pronunciation"]["terms"]:
        judged[_text(each["term"])] += each["verdict"] != "unclear"
        wrong[_text(each["term"])] += each["verdict"] == "mispronounced"
    return [
        {"term": term, "judged": count, "wrong": wrong[term]}
        for term, count in judged.items()
        if count
    ]


def _phrases(report: Any) -> list[dict[str, Any]]:
    missed = {
        _text(each["phrase"]): int(each["status"] == "missing" or bool(each.get("negated")))
        for each in report["coverage"]["phrases"]
    }
    return [{"phrase": phrase, "missed": value} for phrase, value in missed.items()]


def _text(value: Any) -> str:
    return str(value)[:500].replace("\0", "\ufffd")
