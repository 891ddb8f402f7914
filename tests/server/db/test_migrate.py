import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine, text

from server.attempts.store import Store
from server.core.errors import StoreError
from server.core.settings import sqlite_url
from server.db import HEAD_REVISION, migrate
from server.db.engine import make_engine
from server.db.migrate import alembic_config, current_revision, upgrade
from server.db.tables import Base


def test_head_is_the_newest_revision() -> None:
    assert ScriptDirectory.from_config(alembic_config()).get_heads() == [HEAD_REVISION]


def test_migrations_and_models_agree(empty_url: str) -> None:
    engine = make_engine(empty_url)
    upgrade(engine)
    with engine.connect() as connection:
        context = MigrationContext.configure(
            connection, opts={"compare_type": True, "compare_server_default": True}
        )
        assert compare_metadata(context, Base.metadata) == []
    engine.dispose()


def test_an_up_to_date_database_opens_without_alembic(tmp_path: Path) -> None:
    url = sqlite_url(tmp_path / "aloud.db")
    Store(url).close()
    code = (
        "import sys; from server.attempts.store import Store; Store(sys.argv[1]).close(); "
        "sys.exit('alembic' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code, url], check=False).returncode == 0


def test_a_database_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    url = sqlite_url(tmp_path / "aloud.db")
    Store(url).close()
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    engine.dispose()
    with pytest.raises(StoreError, match="newer version of Aloud"):
        Store(url)


def test_a_migration_that_fails_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = sqlite_url(tmp_path / "aloud.db")

    def upgrade_half(config: object, revision: str) -> None:
        connection = config.attributes["connection"]  # type: ignore[attr-defined]
        connection.execute(text("CREATE TABLE half (id INTEGER)"))
        raise RuntimeError("planted")

    with monkeypatch.context() as patch:
        patch.setattr(command, "upgrade", upgrade_half)
        with pytest.raises(RuntimeError, match="planted"):
            Store(url)
    engine = create_engine(url)
    with engine.connect() as connection:
        assert not connection.dialect.has_table(connection, "half")
    engine.dispose()
    Store(url).close()


# A database of each revision as it was, with two attempts in it; the second was graded twice.
REVISIONS = Path(__file__).parent / "revisions"


def test_every_revision_has_a_database_of_its_time() -> None:
    script = ScriptDirectory.from_config(alembic_config())
    revisions = sorted(each.revision for each in script.walk_revisions())
    assert sorted(file.stem for file in REVISIONS.glob("*.sql")) == revisions


@pytest.mark.parametrize("revision", sorted(file.stem for file in REVISIONS.glob("*.sql")))
def test_an_upgrade_keeps_the_data(tmp_path: Path, revision: str) -> None:
    path = tmp_path / "aloud.db"
    connection = sqlite3.connect(path)
    connection.executescript((REVISIONS / f"{revision}.sql").read_text(encoding="utf-8"))
    connection.close()
    with Store(sqlite_url(path)) as store:
        (card,) = store.drills.cards()
        assert (card.item_id, card.reps, card.misses) == ("roce", 2, 1)
        assert [each.verdict for each in store.drills.reviews(0, 10)[0]] == [
            *("mispronounced", "correct", "unclear")
        ]
        first, second = store.archive(0, 10)[0]
        assert store.ids() == [1, 2]
        assert store.of(1).ids() == [3]
        assert store.get(2).attempt.report.grader_version == "stub-2"
    assert first.submission.submission_id == f"{1:032x}"
    assert first.submission.transcript.text == "paged attention, first answer"
    assert [each.report.grader_version for each in second.reports] == ["stub-1", "stub-2"]
    assert second.question.key_phrases[1].phrase == "continuous batching"
    connection = sqlite3.connect(path)
    assert connection.execute("SELECT version_num FROM alembic_version").fetchall() == [
        (HEAD_REVISION,)
    ]
    facts = dict(connection.execute("SELECT phrase, missed FROM phrase_facts WHERE attempt_id = 2"))
    connection.close()
    assert facts == {
        each.phrase: each.status == "missing" for each in second.reports[-1].report.coverage.phrases
    }


REBUILDS = f"""
import sqlalchemy as sa
from alembic import op

revision = "note"
down_revision = "{HEAD_REVISION}"


def upgrade():
    with op.batch_alter_table("attempts", recreate="always") as batch:
        batch.add_column(sa.Column("note", sa.String(), nullable=False, server_default="none"))
"""


def test_rebuilding_a_table_keeps_what_refers_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite drops the old table: with foreign keys on, that deletes all reports."""
    migrations = tmp_path / "migrations"
    shutil.copytree(migrate.MIGRATIONS, migrations)
    (migrations / "versions" / "note.py").write_text(REBUILDS)
    monkeypatch.setattr(migrate, "MIGRATIONS", migrations)
    path = tmp_path / "aloud.db"
    connection = sqlite3.connect(path)
    connection.executescript((REVISIONS / "0005.sql").read_text(encoding="utf-8"))
    connection.close()
    engine = make_engine(sqlite_url(path))
    upgrade(engine, "note")
    with engine.connect() as opened:
        assert opened.scalar(text("SELECT count(*) FROM reports")) == 4
        assert opened.scalars(text("SELECT note FROM attempts")).all() == ["none"] * 3
        assert opened.scalar(text("PRAGMA foreign_keys")) == 1
        assert current_revision(opened) == "note"
    with engine.begin() as opened:
        opened.execute(text("DELETE FROM attempts WHERE id = 2"))
        assert opened.scalar(text("SELECT count(*) FROM reports")) == 2
    engine.dispose()
