"""``aloud unfinished``, and what interview, assess and purge do with unfinished answers."""

import json
from datetime import UTC, datetime

import numpy as np
import pytest

from client.answer.answer import Answer
from client.answer.journal import Journal
from client.audio.files import read_audio
from client.core.settings import ClientSettings, load_settings
from client.data import demo
from client.practice.drills.items import DrillVerdict, load_items
from pronunciation.clip import SAMPLE_RATE_HZ
from tests.client.cli.conftest import Run

SPOKEN_S = 3.0


@pytest.fixture
def settings() -> ClientSettings:
    return load_settings()


def leave(settings: ClientSettings, *, drill: str = "", question: str = demo.QUESTION_ID) -> str:
    """An answer, or a take of a drill, that was killed while it was recorded; its id."""
    journal = Journal.of(settings)
    kept = journal.drill(drill, "acronyms") if drill else journal.answer(question)
    writer = kept.open(SAMPLE_RATE_HZ)
    writer.append(read_audio(demo.AUDIO).slice(0.0, SPOKEN_S).samples)
    writer.abandon()
    kept.leave()
    return kept.submission_id


def listed(run: Run) -> list[dict[str, object]]:
    return list(json.loads(run("unfinished", "--json").stdout))


def test_nothing_is_unfinished(run: Run) -> None:
    assert run("unfinished").stdout == "Nothing is unfinished.\n"
    assert listed(run) == []


@pytest.mark.usefixtures("scripted_engine")
def test_an_answer_is_listed_and_finished_in_place(run: Run, settings: ClientSettings) -> None:
    submission_id = leave(settings)
    (offer,) = listed(run)
    assert (offer["asked"], offer["duration_s"]) == (demo.QUESTION_ID, SPOKEN_S)
    assert offer["submission_id"] == submission_id
    shown = run("unfinished").stdout
    assert "0:03" in shown and demo.QUESTION_ID in shown and "was interrupted" in shown

    finished = run("unfinished", "--finish", "all").stdout
    assert "stored as attempt 1" in finished
    (attempt,) = json.loads(run("history", "--json").stdout)["attempts"]
    assert attempt["submission_id"] == submission_id
    spoken_at = datetime.fromisoformat(attempt["created_at"])
    assert spoken_at == datetime.fromisoformat(str(offer["spoken_at"]))
    assert [path.name for path in settings.recordings.iterdir()] == [f"{submission_id}.wav"]
    assert listed(run) == []


def test_a_drill_s_take_is_heard_and_stored_when_it_was_spoken(
    run: Run, settings: ClientSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "client.practice.drills.drill_session.drill_hearing",
        lambda: lambda clip, item: DrillVerdict("correct", item.readings[0], 0.9),
    )
    drilled = load_items(settings).sets["acronyms"][0]
    review_id = leave(settings, drill=drilled.id)
    (offer,) = listed(run)
    assert (offer["kind"], offer["asked"], offer["problem"]) == ("drill", drilled.id, "")
    assert "correct" in run("unfinished", "--finish", str(offer["name"])).stdout
    assert list(settings.recordings.iterdir()) == []
    archive = json.loads(run("export", "--format", "json").stdout)
    (review,) = archive["drill_reviews"]
    assert (review["review_id"], review["item_id"]) == (review_id, drilled.id)
    assert datetime.fromisoformat(review["reviewed_at"]) == datetime.fromisoformat(
        str(offer["spoken_at"])
    )


def test_what_cannot_be_finished_says_why_and_can_be_discarded(
    run: Run, settings: ClientSettings
) -> None:
    leave(settings, question="gone-from-the-bank")
    leave(settings, drill="no-such-item")
    for offer in listed(run):
        assert "no longer" in str(offer["problem"])
    failed = run("unfinished", "--finish", "all")
    assert failed.exit_code == 1
    assert "2 of 2 could not be finished and are kept" in failed.stderr
    assert len(listed(run)) == 2
    assert run("unfinished", "--discard", "nothing of this name").exit_code == 1
    asked = run("unfinished", "--discard", "all", input="n\n")
    assert "Delete it for good?" in asked.output
    assert len(listed(run)) == 2
    run("unfinished", "--discard", "all", "--yes")
    assert list(settings.recordings.iterdir()) == []


def test_an_answer_for_another_server_waits_for_it(run: Run, settings: ClientSettings) -> None:
    journal = Journal(settings.recordings, "https://aloud.example.org")
    writer = journal.answer(demo.QUESTION_ID).open(SAMPLE_RATE_HZ)
    writer.append(np.ones(SAMPLE_RATE_HZ, np.float32) * 0.1)
    writer.abandon()
    (offer,) = listed(run)
    assert offer["problem"] == (
        "it was spoken for the server https://aloud.example.org: "
        "start Aloud with --server https://aloud.example.org"
    )


@pytest.mark.parametrize("options", [["--all"], ["--before", "2999-01-01"]])
def test_purge_says_what_else_would_go_before_it_asks(
    run: Run, settings: ClientSettings, options: list[str]
) -> None:
    leave(settings)
    refused = run("purge", *options, input="n\n")
    assert "this also deletes 1 unfinished answer, 0:03 of speech" in refused.stderr
    assert len(listed(run)) == 1
    run("purge", *options, "--yes")
    assert listed(run) == []


def test_purge_before_a_day_leaves_what_was_spoken_later(
    run: Run, settings: ClientSettings
) -> None:
    leave(settings)
    assert "unfinished" not in run("purge", "--before", "2020-01-01", input="y\n").stderr
    assert len(listed(run)) == 1


def test_a_stored_answer_is_never_stored_twice(
    run: Run, settings: ClientSettings, scripted_engine: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed after the server had stored it, and before the journal could know."""
    leave(settings)
    with monkeypatch.context() as patch:
        patch.setattr(Answer, "stored", lambda self: self.leave())
        run("unfinished", "--finish", "all")
    (offer,) = listed(run)
    assert offer["state"] == "transcribed"
    assert "only needs to be sent" in " ".join(run("unfinished").stdout.split())
    run("unfinished", "--finish", "all")
    assert listed(run) == []
    history = json.loads(run("history", "--json").stdout)
    assert history["total"] == 1
    assert history["attempts"][0]["created_at"] <= datetime.now(UTC).isoformat()
