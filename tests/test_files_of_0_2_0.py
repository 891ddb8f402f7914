"""What Aloud 0.2.0 wrote opens in today's version (see tests/data/v0_2_0/README.md).

Commands are run as people type them, so that the tests hold whatever becomes of the modules.
"""

import gzip
import json
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from starlette.testclient import TestClient

from client.answer.journal import Journal
from client.practice.interviews.store import Interviews
from tests.client.conftest import make_app
from tests.test_files_of_0_1_0 import (
    Answer,
    Run,
    as_it_said,
    assert_is_shown,
    assert_is_understood,
    attempt_ids,
    export,
)
from tests.test_files_of_0_1_0 import empty_home as empty_home
from tests.test_files_of_0_1_0 import network as network
from tests.test_files_of_0_1_0 import run as run
from tests.test_files_of_0_1_0 import server as server

DATA = Path(__file__).parent / "data" / "v0_2_0"
SAID_RIGHT = f"{6:032x}"
ADDED_SINCE = {
    "doubted": None,
    "off_topic": False,
    "asked": True,
    "aim": None,
    "by": None,
    "pending": False,
    "weight": 1.0,
    "first_word_s": None,
    "first_point_s": None,
    "pauses_inside": None,
    "pauses_between": None,
    "mean_run": None,
    "self_corrections": None,
}
"""What reports have got since, and what old ones must read as."""
PEOPLE = ("ana", "ben", "cleo", "dora", "ed")


def as_written(now: Any, was: Any) -> Any:
    """Without the fields that reports have got since, which must say nothing."""
    if isinstance(now, list) and isinstance(was, list) and len(now) == len(was):
        return [as_written(one, other) for one, other in zip(now, was, strict=True)]
    if not (isinstance(now, dict) and isinstance(was, dict)):
        return now
    return {
        name: as_written(value, was.get(name))
        for name, value in now.items()
        if name in was or name not in ADDED_SINCE or value != ADDED_SINCE[name]
    }


@pytest.fixture
def home(empty_home: Path) -> Path:
    """The data folder of 0.2.0."""
    with zipfile.ZipFile(DATA / "home.zip") as packed:
        packed.extractall(empty_home)
    return empty_home


def test_the_history_of_a_data_folder(run: Run, home: Path) -> None:
    assert_is_shown(run, home)
    assert len(attempt_ids(run)) == 4
    run("plan", "--role", "ml-infrastructure-engineer")


def test_a_revised_and_corrected_answer(run: Run, home: Path) -> None:
    (original,) = json.loads((DATA / "attempts.json").read_text())["attempts"]
    now = next(each for each in export(run) if each["submission"]["submission_id"] == SAID_RIGHT)
    assert now["corrections"] == original["corrections"]
    assert as_written(now["reports"], original["reports"]) == original["reports"]
    (replaced,) = now["reports"][-1]["report"]["transcript"]["corrected"]
    assert replaced["was"] == "needs"
    run("regrade")
    (again,) = (each for each in export(run) if each["submission"]["submission_id"] == SAID_RIGHT)
    assert again["corrections"] == original["corrections"]


def test_each_unfinished_answer_can_be_taken_up(run: Run, home: Path) -> None:
    unfinished = Journal(home / "recordings").unfinished()
    assert [(each.entry.kind, each.entry.state, each.entry.reason) for each in unfinished] == [
        ("answer", "recording", "the microphone was unplugged"),
        ("answer", "recording", ""),
        ("answer", "recorded", ""),
        ("answer", "transcribed", ""),
        ("drill", "transcribed", ""),
    ]
    assert all(each.is_for(None) for each in unfinished)
    assert all(each.duration_s == pytest.approx(0.5) for each in unfinished)
    transcribed, take = unfinished[3:]
    assert transcribed.entry.submission is not None
    assert transcribed.entry.submission.transcript.text == "I use paged attention"
    assert take.entry.review is not None and take.entry.review.verdict == "correct"
    for each in unfinished:
        with each.claim() as kept:
            samples = kept.clip().samples
            assert samples.size == 8_000 and abs(samples).max() > 0.3
    assert run("unfinished").stdout.count(".wav.part") == 5


def test_a_transcribed_answer_is_finished(run: Run, home: Path) -> None:
    transcribed = Journal(home / "recordings").unfinished()[3]
    run("unfinished", "--finish", transcribed.name)
    stored = {each["submission"]["submission_id"] for each in export(run)}
    assert transcribed.entry.submission_id in stored
    assert (home / "recordings" / f"{transcribed.entry.submission_id}.wav").exists()
    assert len(Journal(home / "recordings").unfinished()) == 4


def test_an_answer_is_shared_with_its_recording(run: Run, home: Path, tmp_path: Path) -> None:
    path = tmp_path / "answer.zip"
    run("bundle", "export", "1", "--audio", "--out", str(path))
    with zipfile.ZipFile(path) as now, zipfile.ZipFile(DATA / "bundle.zip") as before:
        assert now.read("recording.flac") == before.read("recording.flac")
        assert json.loads(now.read("comments.json")) == json.loads(before.read("comments.json"))
        for name in ("submission", "reports", "corrections", "corrected"):
            is_now, was = (
                json.loads(each.read("attempt.json"))["attempts"][0][name] for each in (now, before)
            )
            if name == "corrected":  # summed again at every reading, by today's weights
                assert is_now.pop("score") == pytest.approx(was.pop("score"), abs=0.01)
                assert is_now.pop("score_parts") and was.pop("score_parts")
                del is_now["delivery"]["first_point_s"]  # which 0.2.0 did not measure
            assert as_written(is_now, was) == was


def test_what_is_your_own(run: Run, home: Path) -> None:
    assert "0 due, 1 new" in run("drill", "own", "--list").stdout
    kept = Interviews(home / "interviews").all()
    assert kept.unreadable == ()
    (record,) = kept.records
    assert [each.state for each in record.questions][:2] == ["answered", "open"]
    run("regrade")
    by_id = {each["submission"]["submission_id"]: each for each in export(run)}
    terms = by_id[SAID_RIGHT]["reports"][-1]["report"]["pronunciation"]["terms"]
    verdicts = {each["term"]: each["verdict"] for each in terms}
    assert verdicts["CUDA"] == "correct"  # by own_readings.yaml
    covered = [
        each["status"]
        for each in by_id[f"{7:032x}"]["reports"][-1]["report"]["coverage"]["phrases"]
    ]
    assert covered[0] == "covered"  # by own_aliases.yaml


def test_an_export_and_a_bundle_are_read_back(run: Run, empty_home: Path) -> None:
    (original,) = json.loads((DATA / "attempts.json").read_text())["attempts"]
    run("import", str(DATA / "attempts.json"))
    (attempt,) = export(run)
    for name in ("submission", "question", "reports", "corrections"):
        assert as_written(attempt[name], original[name]) == original[name]
    with zipfile.ZipFile(DATA / "bundle.zip") as packed:
        (empty_home / "attempt.json").write_bytes(packed.read("attempt.json"))
    run("import", str(empty_home / "attempt.json"))
    merged = run("bundle", "merge", str(DATA / "bundle.zip")).stdout
    assert "1 already known" in " ".join(merged.split())
    assert "Cleo: Slower here" in merged


def test_a_backup_of_a_data_folder(run: Run, empty_home: Path) -> None:
    run("restore", str(DATA / "home.backup"))
    assert len(attempt_ids(run)) == 4
    assert len(export(run)) == 4


@pytest.mark.parametrize("how", ["database", "backup"])
def test_a_shared_server(
    run: Run, empty_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    path = tmp_path / "server.db"
    monkeypatch.setenv("ALOUD_DATABASE_URL", f"sqlite:///{path}")
    if how == "backup":
        run("restore", str(DATA / "server.backup"))
    else:
        path.write_bytes(gzip.decompress((DATA / "server.db.gz").read_bytes()))
    listed = run("user", "list").stdout
    assert all(name in listed for name in PEOPLE)
    assert "spring" in run("user", "cohort", "list").stdout
    with closing(sqlite3.connect(path)) as database:
        counted = {
            table: database.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
            for table in ("attempts", "share_links", "recordings", "comments", "bank_versions")
        }
        jobs = database.execute("SELECT kind, state FROM jobs ORDER BY id").fetchall()
    assert counted == {
        "attempts": 2,
        "share_links": 1,
        "recordings": 1,
        "comments": 2,
        "bank_versions": 1,
    }
    assert jobs == [("regrade", "done"), ("regrade", "queued")]


def test_answers_that_waited_go_to_the_server(run: Run, home: Path, server: set[str]) -> None:
    assert "1 waiting answer" in run("history").stderr
    (attempt,) = export(run)
    assert attempt["submission"]["submission_id"] == f"{8:032x}"


def test_a_client_of_0_2_0_is_understood(tmp_path: Path) -> None:
    """Everything it asked is answered with what it read in the answer, and more at most."""
    said = json.loads((DATA / "http.json").read_text())
    graded = ("/api/v1/attempts", "/api/v1/grade")
    server, service = make_app(tmp_path / "server.db")
    with TestClient(server, base_url="http://localhost") as client:
        vectors = 0
        for each in said:
            if each["method"] != "POST" or urlsplit(each["target"]).path not in graded:
                continue
            vectors += "vectors" in (each["sent"].get("sense") or ())
            sent = each["sent"] | {"submission_id": f"{vectors:032x}"}
            reply = client.post(each["target"], json=sent)
            assert reply.status_code == each["status"], reply.text
            assert set(reply.json()) >= set(each["answer"])
    service.close()
    assert vectors == 2


def test_a_server_of_0_2_0_is_understood(
    run: Run, empty_home: Path, tmp_path: Path, network: Callable[[Answer], None]
) -> None:
    network(as_it_said(DATA))
    assert attempt_ids(run) == [2, 1]
    assert_is_understood(run, tmp_path)
