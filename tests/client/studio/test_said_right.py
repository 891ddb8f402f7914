"""“I said it right”: in one answer, or always; drills and all questions know it."""

import time

import pytest
from starlette.testclient import TestClient

from client.practice.drills.items import load_items
from client.studio.state.studio import Studio
from pronunciation.lexicon_loader import read_own_readings
from server.contract import Correction, TermVerdict
from tests.client.studio.test_corrections import NOW, answer, merge

MISTAKE = "R OW1 S"


@pytest.fixture
def number(studio: Studio) -> int:
    return answer(studio)


def roce(studio: Studio, number: int) -> TermVerdict:
    terms = studio.backend.attempt(number).report.pronunciation.terms
    (found,) = [each for each in terms if each.term == "RoCE"]
    return found


def say(client: TestClient, number: int, counts: str) -> str:
    given = {"term": "RoCE", "counts": counts}
    return client.post(f"/attempts/{number}/said-right", data=given).text


def regraded(studio: Studio, number: int, verdict: str) -> TermVerdict:
    """The verdict once the grading in the background has reached the answer."""
    end_s = time.monotonic() + 60
    while roce(studio, number).verdict != verdict and time.monotonic() < end_s:
        time.sleep(0.05)
    return roce(studio, number)


def test_in_this_answer_alone_and_taken_back(
    client: TestClient, studio: Studio, number: int
) -> None:
    other = answer(studio)
    assert "I said it right" in client.get(f"/attempts/{number}").text
    page = say(client, number, "here")
    assert "you say “I said it right”; graded “mispronounced”" in page
    assert roce(studio, number).verdict == "correct"
    assert roce(studio, other).verdict == "mispronounced"
    points = studio.backend.attempt(number).report.summary.work_on
    assert not any("RoCE" in point.text for point in points)
    assert "Undo “I said it right”" in page
    assert "I said it right<" in say(client, number, "back")
    assert roce(studio, number).verdict == "mispronounced"


def test_always_counts_in_all_answers_and_in_drills_until_it_is_taken_back(
    client: TestClient, studio: Studio, number: int
) -> None:
    other = answer(studio)
    say(client, number, "always")
    assert read_own_readings(studio.settings.own_readings) == {"RoCE": (MISTAKE,)}
    assert regraded(studio, other, "correct").corrected is None, "the lexicon accepts it"
    items = [item for items in load_items(studio.settings).sets.values() for item in items]
    drilled = [item for item in items if item.term == "RoCE"]
    assert drilled
    for item in drilled:
        assert item.readings[0] == "R AA1 K IY0", "what is taught stays"
        assert MISTAKE in item.readings
        assert MISTAKE not in [each.phones for each in item.mistakes]
    assert studio.drill_items.item(drilled[0].id) == drilled[0]
    known = studio.lexicon.get("RoCE")
    assert known is not None and MISTAKE in known.readings
    page = client.get(f"/attempts/{other}").text
    assert "Your own way of saying it counts everywhere" in page
    say(client, other, "back")
    assert regraded(studio, other, "mispronounced").phones == MISTAKE
    assert MISTAKE not in studio.drill_items.item(drilled[0].id).readings  # type: ignore[union-attr]


def test_a_coach_has_the_last_word(client: TestClient, studio: Studio, number: int) -> None:
    wrong = Correction.model_validate(
        {
            "external_id": f"{7:032x}",
            "target": "term",
            "name": "RoCE",
            "verdict": "mispronounced",
            "author": "Cleo Martin",
            "created_at": NOW,
        }
    )
    merge(studio.settings, studio, number, wrong)
    say(client, number, "here")
    assert roce(studio, number).verdict == "mispronounced"


def test_only_a_verdict_of_mispronounced_can_be_answered(
    client: TestClient, studio: Studio, number: int
) -> None:
    given = {"term": "priority flow control", "counts": "here"}
    refused = client.post(f"/attempts/{number}/said-right", data=given)
    assert refused.status_code == 422
    assert "does not say that" in refused.text
