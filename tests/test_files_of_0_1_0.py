"""What Aloud 0.1.0 wrote opens in today's version (see tests/data/v0_1_0/README.md).

Commands are run as people type them, so that the tests hold whatever becomes of the modules.
"""

import json
import sqlite3
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from click.testing import Result
from starlette.testclient import TestClient
from typer.testing import CliRunner

from client.answer.journal import Journal
from client.cli import common
from client.cli.app import app
from client.practice.interviews.store import Interviews
from tests.client.conftest import make_app

DATA = Path(__file__).parent / "data" / "v0_1_0"
SERVER = "http://aloud.example.org"
TOKEN = "aloud_" + "a" * 43

Run = Callable[..., Result]


@pytest.fixture
def run() -> Run:
    """Run ``aloud`` with these arguments; it must succeed."""

    def _run(*arguments: str, input: str | None = None) -> Result:
        common.out.cache_clear()
        common.errors.cache_clear()
        done = CliRunner().invoke(app, list(arguments), input=input)
        assert done.exit_code == 0, done.output
        return done

    return _run


@pytest.fixture
def empty_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder with nothing in it, which the commands use."""
    folder = tmp_path / "home"
    monkeypatch.setenv("ALOUD_HOME", str(folder))
    return folder


@pytest.fixture
def home(empty_home: Path) -> Path:
    """The data folder of 0.1.0."""
    with zipfile.ZipFile(DATA / "home.zip") as packed:
        packed.extractall(empty_home)
    return empty_home


def attempt_ids(run: Run) -> list[int]:
    return [each["id"] for each in json.loads(run("history", "--json").stdout)["attempts"]]


def export(run: Run, *options: str) -> list[dict[str, Any]]:
    exported = json.loads(run("export", "--format", "json", *options).stdout)
    found: list[dict[str, Any]] = exported["attempts"]
    return found


def assert_is_shown(run: Run, home: Path) -> dict[str, Any]:
    """The history and progress of the answers in a data folder; the progress."""
    with closing(sqlite3.connect(home / "aloud.db")) as database:
        rows = database.execute("SELECT id, submission FROM attempts").fetchall()
    before = {number: json.loads(submission) for number, submission in rows}
    assert sorted(attempt_ids(run)) == sorted(before)
    for number, submission in before.items():
        shown = json.loads(run("history", str(number), "--json").stdout)
        assert shown["submission"]["submission_id"] == submission["submission_id"]
        assert shown["submission"]["transcript"]["text"] == submission["transcript"]["text"]
        graded = shown["report"]["transcript"]
        assert graded["text"] == submission["transcript"]["text"] or graded["corrected"]
        run("history", str(number))
    progress: dict[str, Any] = json.loads(run("progress", "--json").stdout)
    assert sum(each["attempts"] for each in progress["topics"]) == len(before)
    assert progress["drills"]
    return progress


def test_the_history_of_a_data_folder(run: Run, home: Path) -> None:
    progress = assert_is_shown(run, home)
    assert sum(each["attempts"] for each in progress["roles"]) == len(attempt_ids(run))
    run("plan")


def test_old_answers_are_graded_again(run: Run, home: Path) -> None:
    (original,) = json.loads((DATA / "attempts.json").read_text())["attempts"]
    run("regrade")
    again = next(
        each
        for each in export(run)
        if each["submission"]["submission_id"] == original["submission"]["submission_id"]
    )
    assert len(again["reports"]) >= len(original["reports"])


def test_words_of_your_own_still_count(run: Run, home: Path) -> None:
    aliases = (home / "own_aliases.yaml").read_bytes()
    run("regrade")
    counted = next(
        each["reports"][-1]["report"]
        for each in export(run)
        if "it never sends blindly" in each["submission"]["transcript"]["text"]
    )
    covered = [
        each["phrase"] for each in counted["coverage"]["phrases"] if each["status"] == "covered"
    ]
    # the phrase was called "sampling period" in the bank of 0.1.0
    assert covered == ["any kernel running"]
    assert (home / "own_aliases.yaml").read_bytes() == aliases


def test_recordings_and_interrupted_takes(home: Path) -> None:
    (interrupted,) = Journal(home / "recordings").unfinished()
    assert interrupted.entry.asked == "what-gpu-utilization-hides"
    assert interrupted.is_for(None) and interrupted.is_for("https://aloud.example.org")
    assert interrupted.entry.reason == "the microphone was unplugged"
    assert interrupted.duration_s == pytest.approx(0.5)
    with interrupted.claim() as kept:
        samples = kept.clip().samples
        assert samples.size == 8_000
        assert abs(samples).max() > 0.3
        kept.discard()
    assert not list((home / "recordings").glob("*.wav.part*"))


def test_an_answer_is_shared_with_its_recording(run: Run, home: Path, tmp_path: Path) -> None:
    (original,) = json.loads((DATA / "attempts.json").read_text())["attempts"]
    path = tmp_path / "answer.zip"
    run("bundle", "export", "1", "--audio", "--out", str(path))
    with zipfile.ZipFile(path) as now, zipfile.ZipFile(DATA / "bundle.zip") as before:
        assert now.read("recording.flac")[:4] == b"fLaC"
        expected = json.loads(before.read("comments.json"))
        for correction in expected["corrections"]:
            correction["by_owner"] = False  # 0.1.0 asked candidates nothing
        for comment in expected["comments"]:
            comment["no_account"] = True  # 0.1.0 did not say it of its guests
        assert json.loads(now.read("comments.json")) == expected
        (attempt,) = json.loads(now.read("attempt.json"))["attempts"]
    assert attempt["submission"]["submission_id"] == original["submission"]["submission_id"]


def test_interviews(home: Path) -> None:
    kept = Interviews(home / "interviews").all()
    assert kept.unreadable == ()
    (record,) = kept.records
    assert [each.state for each in record.questions][:2] == ["answered", "open"]


def test_own_drill_items_and_the_reviews_of_drills(run: Run, home: Path) -> None:
    assert "0 due, 1 new" in run("drill", "own", "--list").stdout
    archive = json.loads(run("export", "--format", "json").stdout)
    assert [each["verdict"] for each in archive["drill_reviews"]] == ["mispronounced", "correct"]


def test_an_export_and_a_bundle_are_read_back(run: Run, empty_home: Path) -> None:
    (original,) = json.loads((DATA / "attempts.json").read_text())["attempts"]
    run("import", str(DATA / "attempts.json"))
    (attempt,) = export(run)
    assert attempt["submission"]["submission_id"] == original["submission"]["submission_id"]
    assert (
        attempt["submission"]["transcript"]["text"] == original["submission"]["transcript"]["text"]
    )
    merged = run("bundle", "merge", str(DATA / "bundle.zip")).stdout
    assert "1 new comment on attempt 1, 1 already known" in " ".join(merged.split())
    assert "Cleo: Slower here" in merged


def test_a_backup_of_a_data_folder(run: Run, empty_home: Path) -> None:
    run("restore", str(DATA / "home.backup"))
    assert len(attempt_ids(run)) == 3
    assert len(export(run)) == 3


def test_a_backup_of_a_shared_server(
    run: Run, empty_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALOUD_DATABASE_URL", f"sqlite:///{tmp_path / 'server.db'}")
    run("restore", str(DATA / "server.backup"))
    listed = run("user", "list").stdout
    assert all(name in listed for name in ("ana", "ben", "cleo", "dora", "ed"))
    assert "spring" in run("user", "cohort", "list").stdout
    with closing(sqlite3.connect(tmp_path / "server.db")) as database:
        assert database.execute("SELECT count(*) FROM share_links").fetchone() == (1,)


Answer = Callable[[httpx.Request], httpx.Response]


@pytest.fixture
def network(monkeypatch: pytest.MonkeyPatch) -> Callable[[Answer], None]:
    """Leads all HTTP of clients to a function."""

    def lead(answer: Answer) -> None:
        monkeypatch.setenv("ALOUD_SERVER", SERVER)
        monkeypatch.setattr(
            httpx.HTTPTransport, "handle_request", lambda _, request: answer(request)
        )

    return lead


@pytest.fixture
def server(tmp_path: Path, network: Callable[[Answer], None]) -> Iterator[set[str]]:
    """Today's, without accounts, where all HTTP leads; what it is sent to say who asks."""
    app, service = make_app(tmp_path / "server.db")
    known_by = set()
    with TestClient(app, base_url="http://localhost") as client:

        def answer(request: httpx.Request) -> httpx.Response:
            headers = {**request.headers, "host": "localhost"}
            known_by.add(headers.pop("authorization", ""))
            target = request.url.raw_path.decode()
            reply = client.request(request.method, target, content=request.read(), headers=headers)
            return httpx.Response(
                reply.status_code, headers=reply.headers.multi_items(), content=reply.content
            )

        network(answer)
        yield known_by
    service.close()


def test_answers_that_waited_go_to_the_server(run: Run, home: Path, server: set[str]) -> None:
    assert "1 waiting answer" in run("history").stderr
    (attempt,) = export(run)
    archive = json.loads(run("export", "--format", "json").stdout)
    assert attempt["submission"]["submission_id"] == f"{8:032x}"
    assert [each["review_id"] for each in archive["drill_reviews"]] == [f"{3:032x}"]
    assert server == {f"Bearer {TOKEN}"}


def as_it_said(folder: Path) -> Answer:
    """What a server of that time said."""

    def key(method: str, target: str) -> str:
        return f"{method} {urlsplit(target).path}"

    said = json.loads((folder / "http.json").read_text())
    answers = {key(each["method"], each["target"]): each for each in said}

    def answer(request: httpx.Request) -> httpx.Response:
        known = answers[key(request.method, request.url.raw_path.decode())]
        return httpx.Response(
            known["status"],
            headers={"content-type": known["content_type"]},
            content=json.dumps(known["answer"]),
        )

    return answer


def assert_is_understood(run: Run, folder: Path) -> None:
    """What the server says that all HTTP leads to; leaves the bundle of its answer in a folder."""
    assert "paged attention" in run("history", "1").stdout
    assert "kv-cache" in run("bank", "list").stdout
    assert "paged attention" in run("bank", "show", "kv-cache").stdout
    answer = folder / "answer.txt"
    answer.write_text("I use paged attention", encoding="utf-8")
    graded = run("grade", "--question", "kv-cache", "--transcript", str(answer), "--json")
    assert json.loads(graded.stdout)["coverage"]["score"] == 0.5
    assert export(run)
    run("drill", "--list")
    run("progress")
    assert "my coach" in run("share", "1").stdout
    run("bundle", "export", "1", "--out", str(folder / "answer.zip"))


def test_a_server_of_0_1_0_is_understood(
    run: Run, empty_home: Path, tmp_path: Path, network: Callable[[Answer], None]
) -> None:
    network(as_it_said(DATA))
    assert attempt_ids(run) == [1]
    assert_is_understood(run, tmp_path)
    with zipfile.ZipFile(tmp_path / "answer.zip") as packed:
        (comment,) = json.loads(packed.read("comments.json"))["comments"]
    assert comment["text"] == "Slower here"
    run("bundle", "merge", str(tmp_path / "answer.zip"))
