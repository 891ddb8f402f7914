"""Importing a file full of addresses connects to nobody."""

import json
import socket
import zipfile
from pathlib import Path
from typing import Any

import pytest

from client.core.settings import load_settings
from tests.client.cli.conftest import Run

ADDRESS = "http://127.0.0.1:9/ask?me=1"
MORE = f"{ADDRESS} <img src='{ADDRESS}'> file:///etc/passwd =WEBSERVICE(\"{ADDRESS}\")"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Whom somebody looked up or connected to; nobody gets through."""
    asked: list[object] = []

    def refuses(*arguments: object, **_: object) -> Any:
        asked.append(arguments)
        raise ConnectionRefusedError("no network in this test")

    for name in ("connect", "connect_ex", "sendto"):
        monkeypatch.setattr(socket.socket, name, refuses)
    monkeypatch.setattr(socket, "getaddrinfo", refuses)
    return asked


def test_the_guard_notices(asked: list[object]) -> None:
    """Or the tests below could not fail."""
    with pytest.raises(OSError, match="no network"):
        socket.create_connection(("127.0.0.1", 9))
    with socket.socket() as direct, pytest.raises(OSError, match="no network"):
        direct.connect(("127.0.0.1", 9))
    assert len(asked) == 2


def test_an_archive_and_a_bundle(run: Run, tmp_path: Path, asked: list[object]) -> None:
    text = tmp_path / "answer.txt"
    text.write_text(f"We page the cache. {MORE}", encoding="utf-8")
    question = json.loads(run("bank", "list", "--json").stdout)[0]["id"]
    saved = run("grade", "--question", question, "--transcript", str(text), "--save")
    assert saved.exit_code == 0, saved.output
    archive = tmp_path / "archive.json"
    exported = run("export", "--format", "json").stdout
    archive.write_text(
        exported.replace('"model_answer": "', f'"model_answer": "{ADDRESS} '), "utf-8"
    )
    assert ADDRESS in archive.read_text("utf-8")
    bundle = tmp_path / "answer.zip"
    assert run("bundle", "export", "1", "--out", str(bundle)).exit_code == 0
    with zipfile.ZipFile(bundle) as packed:
        review = json.loads(packed.read("comments.json"))
    review["comments"] = [
        {
            "external_id": "a" * 32,
            "text": MORE,
            "author": ADDRESS,
            "created_at": "2026-03-01T12:00:00Z",
        }
    ]
    back = tmp_path / "back.json"
    back.write_text(json.dumps(review), "utf-8")
    merged = run("bundle", "merge", str(back), str(bundle))
    assert "1 new comment" in merged.stdout, merged.output
    assert run("purge", "--all", "--yes").exit_code == 0
    imported = run("import", str(archive))
    assert "1 imported" in imported.stdout, imported.output
    assert asked == []


def test_drill_items_as_csv_and_as_the_file_they_are_kept_in(
    run: Run, tmp_path: Path, asked: list[object]
) -> None:
    file = tmp_path / "own.csv"
    file.write_text(
        f"term,readings,mistakes,tip\nRoCE,R AA1 K IY0,R OW1 S,{ADDRESS} file:///etc/passwd\n"
    )
    done = run("drill", "--import", str(file))
    assert "1 added" in done.stdout, done.output
    assert ADDRESS in load_settings().own_drills.read_text("utf-8")
    listed = run("drill", "own", "--list")
    assert "1 new" in listed.stdout, listed.output
    assert asked == []
