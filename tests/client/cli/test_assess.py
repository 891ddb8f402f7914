import json
from pathlib import Path
from typing import Any

import pytest

from client.answer.session import Session
from client.audio.files import read_audio
from client.core.settings import load_settings
from server.attempts.store import Store
from tests.client.cli.conftest import ANSWER, Run

QUESTION = "what-the-kv-cache-costs"

pytestmark = pytest.mark.usefixtures("scripted_engine")


def test_assess_stores_what_history_shows_with_its_sound(run: Run, recording: Path) -> None:
    result = run("assess", str(recording), "--question", QUESTION)
    assert result.exit_code == 0, result.stderr
    assert "stored as attempt 1" in result.stderr
    page = json.loads(run("history", "--json").stdout)
    assert [(each["question_id"], each["engine"]) for each in page["attempts"]] == [
        (QUESTION, "scripted")
    ]
    again = run("history", "1")
    assert "autoregressive decoding" in again.stdout
    (attempt,) = json.loads(run("export", "--format", "json").stdout)["attempts"]
    (kept,) = sounds()
    assert kept.stem == attempt["submission"]["submission_id"]
    assert read_audio(kept).duration_s == pytest.approx(3.0, abs=0.01)
    assert recording.exists()


def sounds() -> list[Path]:
    return list(load_settings().recordings.glob("*"))


def test_of_a_damaged_file_what_can_be_read_is_offered(
    run: Run, recording: Path, tmp_path: Path
) -> None:
    content = recording.read_bytes()
    cut = tmp_path / "cut.wav"
    cut.write_bytes(content[: len(content) // 2])
    refused = run("assess", str(cut), "--question", QUESTION)
    assert refused.exit_code == 1
    assert "1.5 s of 3.0 s can be read" in refused.stderr
    assert "--partial assesses what can be read" in refused.stderr
    taken = run("assess", str(cut), "--question", QUESTION, "--partial", "--json")
    assert taken.exit_code == 0, taken.stderr
    sound = json.loads(taken.stdout)["sound"]
    assert "damaged" in sound["problems"] and sound["missing_s"] == pytest.approx(1.5, abs=0.1)
    assert read_audio(sounds()[0]).duration_s == pytest.approx(1.5, abs=0.1)
    many = run("assess", str(tmp_path), "--question", QUESTION, "--partial")
    assert many.exit_code == 2 and "--partial is for one recording" in many.stderr


def test_no_save_leaves_no_trace(run: Run, recording: Path) -> None:
    result = run("assess", str(recording), "--question", QUESTION, "--no-save", "--json")
    assert json.loads(result.stdout)["transcript"]["text"] == ANSWER
    assert json.loads(run("history", "--json").stdout)["total"] == 0
    assert sounds() == []


def test_an_unknown_question_fails_before_anything_is_transcribed(
    run: Run, recording: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never() -> None:
        raise AssertionError("the engine was waited for")

    monkeypatch.setattr("client.cli.loading.begin_loading", lambda *_, **__: never)
    result = run("assess", str(recording), "--question", "nope")
    assert result.exit_code == 1
    assert "no question 'nope'" in result.stderr


def test_the_database_is_opened_when_the_answer_is_heard(
    run: Run, recording: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    happened = []

    class NotedStore(Store):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            happened.append("opened")
            super().__init__(*arguments, **options)

    rest = Session.rest
    monkeypatch.setattr("server.attempts.store.Store", NotedStore)
    monkeypatch.setattr(Session, "rest", lambda it: (happened.append("heard"), rest(it))[1])
    asked = ["assess", str(recording), "--question", QUESTION]
    assert run(*asked, "--no-save").exit_code == 0
    assert run(*asked).exit_code == 0
    assert happened[0] == "heard"
    assert (happened.count("heard"), "opened" in happened) == (2, True)


def test_a_damaged_database_fails_before_anything_is_transcribed(
    run: Run, recording: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never() -> None:
        raise AssertionError("the engine was waited for")

    monkeypatch.setattr("client.cli.loading.begin_loading", lambda *_, **__: never)
    database = load_settings().database
    database.parent.mkdir(parents=True, exist_ok=True)
    database.write_bytes(b"damaged" * 1000)
    result = run("assess", str(recording), "--question", QUESTION)
    assert result.exit_code == 1
    assert "is damaged" in result.stderr


def test_regrade_diff_shows_what_a_changed_bank_changes(
    run: Run, recording: Path, tmp_path: Path
) -> None:
    run("assess", str(recording), "--question", QUESTION)
    result = run("regrade", "--diff")
    assert "1 attempt graded again, 0 would change" in result.stdout
    (tmp_path / "own.yaml").write_text(
        f"""
- id: {QUESTION}
  role: ai-infrastructure-architect
  round: phone-screen
  topic: KV Cache Management
  prompt: What is it?
  model_answer: It holds keys and values.
  key_phrases:
    - phrase: keys and values
""",
        encoding="utf-8",
    )
    result = run("regrade", "--diff", "--bank", str(tmp_path / "own.yaml"))
    assert "keys and values: not asked for → " in result.stdout
    assert "1 would change" in result.stdout


def test_purge_deletes_and_asks_first(run: Run, recording: Path) -> None:
    run("assess", str(recording), "--question", QUESTION)
    assert run("purge", "--all", input="n\n").exit_code == 1
    assert json.loads(run("history", "--json").stdout)["total"] == 1
    assert "1 attempt deleted" in run("purge", "--all", "--yes").stdout
    assert json.loads(run("history", "--json").stdout)["total"] == 0
    assert run("purge", "--yes").exit_code == 2
