"""``aloud backup`` and ``aloud restore``."""

from pathlib import Path

import pytest

from tests.client.cli.conftest import Run


def test_accounts_come_back_in_another_folder(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "all.aloud"
    assert run("user", "add", "ana", "--role", "admin").exit_code == 0
    made = run("backup", str(file))
    assert made.exit_code == 0, made.stderr
    assert "0 answers and 1 account in" in made.stdout
    monkeypatch.setenv("ALOUD_DATABASE_URL", f"sqlite:///{tmp_path / 'other.db'}")
    assert "ana" not in run("user", "list").stdout
    restored = run("restore", str(file))
    assert restored.exit_code == 0, restored.stderr
    assert "ana" in run("user", "list").stdout
    again = run("restore", str(file))
    assert again.exit_code == 1
    assert "not empty" in again.stderr


def test_a_backup_is_not_written_over(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "all.aloud"
    file.write_text("something else", encoding="utf-8")
    monkeypatch.setenv("ALOUD_DATABASE_URL", f"sqlite:///{tmp_path / 'new.db'}")
    nothing = run("backup", str(tmp_path / "empty.aloud"))
    assert nothing.exit_code == 1
    assert "nothing to back up" in nothing.stderr
    run("user", "list")  # makes the tables
    refused = run("backup", str(file))
    assert refused.exit_code == 1
    assert "already" in refused.stderr
    assert file.read_text(encoding="utf-8") == "something else"
    assert run("backup", str(file), "--replace").exit_code == 0


def test_what_is_no_backup_is_refused(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "other.file"
    file.write_text("something else", encoding="utf-8")
    refused = run("restore", str(file))
    assert refused.exit_code == 1
    assert "not a backup" in refused.stderr
