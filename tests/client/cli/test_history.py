"""``aloud history`` with a verdict that a coach corrected in a bundle."""

import json
import shlex
from pathlib import Path

import pytest

from client.backend.opening import open_backend
from client.core.settings import load_settings
from server.contract import Attempt, Transcript
from tests.client.cli.conftest import Run
from tests.server.conftest import make_submission
from tests.worlds.planted_report import PHRASES, planted_attempt
from tests.worlds.planted_report import QUESTION as ASKED

QUESTION = "infiniband-or-roce"


@pytest.fixture
def attempt() -> Attempt:
    text = "Both give me remote direct memory access."
    with open_backend(load_settings()) as backend:
        return backend.submit(
            make_submission(question_id=QUESTION, transcript=Transcript(text=text))
        )


def test_a_filter_that_nothing_matches_is_not_called_an_empty_history(
    run: Run, attempt: Attempt
) -> None:
    assert "No attempt matches" in run("history", "--question", "no-such-question").stdout
    assert "Nothing practiced for 'nobody'" in run("progress", "--role", "nobody").stdout
    assert QUESTION in run("history", "--question", QUESTION).stdout


def test_a_question_about_a_phrase_comes_with_the_commands_that_answer_it(run: Run) -> None:
    with open_backend(load_settings()) as backend:
        backend.import_attempts([planted_attempt(ASKED, "a" * 32, PHRASES)])
    yes, no = (_typed(run, reply) for reply in ("Yes", "No"))
    assert (yes[:2], yes[3:]) == (["correct", "1"], ["--phrase", "continuous batching"])
    assert no == ["correct", "1", "--phrase", "continuous batching", "--no"]
    assert run(*no).exit_code == 0
    shown = run("history", "1").stdout
    assert "answered by you" in shown
    assert "Yes to " not in shown and "No to " not in shown
    assert _status(run, "continuous batching") == "missing"
    assert run(*yes).exit_code == 0
    assert _status(run, "continuous batching") == "covered"


def _typed(run: Run, reply: str) -> list[str]:
    lines = run("history", "1").stdout.splitlines()
    (line,) = (each for each in lines if each.startswith(f"{reply} to "))
    return shlex.split(line.partition(": aloud ")[2])


def _status(run: Run, phrase: str) -> str:
    phrases = json.loads(run("history", "1", "--json").stdout)["report"]["coverage"]["phrases"]
    found: str = next(each["status"] for each in phrases if each["phrase"] == phrase)
    return found


def test_an_attempt_is_named_in_one_way_everywhere(
    run: Run, attempt: Attempt, tmp_path: Path
) -> None:
    number, file = str(attempt.id), str(tmp_path / "a.zip")
    for command in (("history",), ("export",), ("export", "--format", "csv")):
        assert run(*command, number).stdout == run(*command, "--attempt", number).stdout
    assert run("history", f"--attempt={number}").exit_code == 0
    assert run("bundle", "export", "--attempt", number, "--out", file).exit_code == 0
    assert "This keeps your settings" in run("purge", "--all").stderr
    assert run("purge", "--yes", number).stdout == "1 attempt deleted\n"
