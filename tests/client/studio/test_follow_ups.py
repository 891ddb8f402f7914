"""Follow-ups in the studio: offered after an answer, spoken into it, shown and played with it."""

from typing import Any

from starlette.testclient import TestClient

from client.studio.state.studio import Studio
from pronunciation.clip import Clip
from tests.client.studio.test_interview import begin as begin_interview
from tests.client.studio.test_interview import question_id
from tests.worlds.studio_answering import QUESTION, is_left, send_all, until, wait_for
from tests.worlds.studio_parts import SOCKET


def spoken(client: TestClient, speech: Clip, question: str = QUESTION, **start: Any) -> Any:
    with client.websocket_connect(SOCKET) as socket:
        socket.send_json({"type": "start", "question_id": question, **start})
        until(socket, "recording")
        send_all(socket, speech)
        socket.send_json({"type": "stop"})
        return until(socket, "done", "given", "problem")


def test_two_follow_ups_belong_to_their_answer(
    client: TestClient, studio: Studio, speech: Clip
) -> None:
    done = spoken(client, speech)
    number = done["attempt_id"]
    asked = []
    while done["follow_up"] is not None:
        following = done["follow_up"]
        assert (following["follows"], following["question_id"]) == (number, QUESTION)
        asked.append(following["asked"]["ask"])
        done = spoken(client, speech, follow_up=following["asked"], follows=number)
        assert done["attempt_id"] == number
    assert len(asked) == len(set(asked)) == 2
    assert studio.backend.history().total == 1
    page = client.get(f"/attempts/{number}").text
    for at, ask in enumerate(asked):
        assert ask in page.replace("&#39;", "'")
        assert client.get(f"/attempts/{number}/audio?follow_up={at}").status_code == 200
    assert client.get(f"/attempts/{number}/audio?follow_up=2").status_code == 404
    client.post(f"/attempts/{number}/delete", data={"confirmed": "yes"})
    assert list(studio.settings.recordings.glob("*.wav")) == []


def test_a_follow_up_whose_page_goes_is_finished_into_its_answer(
    client: TestClient, studio: Studio, speech: Clip
) -> None:
    done = spoken(client, speech)
    following = done["follow_up"]
    with client.websocket_connect(SOCKET) as socket:
        start = {"type": "start", "question_id": QUESTION, "follow_up": following["asked"]}
        socket.send_json({**start, "follows": done["attempt_id"]})
        until(socket, "recording")
        send_all(socket, speech)
        wait_for(lambda: studio.microphone.recording and studio.microphone.recording.recorded_s > 1)
    wait_for(lambda: is_left(studio.settings))
    (left,) = client.get("/takes").json()["interrupted"]
    assert left["prompt"] == following["asked"]["ask"]
    client.post(f"/takes/{left['name']}/finish")
    wait_for(lambda: studio.backend.attempt(done["attempt_id"]).report.follow_ups)
    assert studio.backend.history().total == 1


def test_an_interview_asks_after_each_answer_if_that_was_chosen(
    client: TestClient, speech: Clip
) -> None:
    for chosen, expected in (({"follow_ups": "true"}, True), ({}, False)):
        address = begin_interview(client, **chosen)
        assert client.get(f"{address}/state").json()["follow_ups"] is expected
        if not expected:
            continue
        asked = question_id(client, address)
        spoken(client, speech, asked, interview=address.rpartition("/")[2])
        found = client.get(f"{address}/follow-up?question_id={asked}").json()["follow_up"]
        assert found["question_id"] == asked
        assert found["asked"]["ask"]


def test_the_next_take_is_compared_on_the_aim_first(client: TestClient, speech: Clip) -> None:
    first = spoken(client, speech)["attempt_id"]
    page = client.get(f"/attempts/{first}").text
    assert "Your aim for the next take" in page
    assert f"/practice/{QUESTION}?aim={first}" in page
    practice = client.get(f"/practice/{QUESTION}?aim={first}").text
    assert "Your aim:" in practice and 'data-target-s="60"' in practice
    second = spoken(client, speech)["attempt_id"]
    assert "the take before" in client.get(f"/attempts/{second}").text
    assert "The aim:" in client.get(f"/attempts/{first}/compare/{second}").text


def test_an_interview_closes_with_your_questions_and_a_debrief(
    client: TestClient, studio: Studio, speech: Clip
) -> None:
    address = begin_interview(client, follow_ups="true")
    asked = question_id(client, address)
    spoken(client, speech, asked, interview=address.rpartition("/")[2])
    wait_for(lambda: studio.backend.history().total)
    client.post(f"{address}/end", follow_redirects=False)
    assert client.get(f"{address}/state").json()["closed"] is False
    assert client.post(f"{address}/closing").status_code == 204
    assert client.get(f"{address}/state").json()["closed"] is True
    follows = "data-language=" in client.get(f"{address}/report").text
    assert follows and client.post(f"{address}/language").json() == {"follows": False}
    assert "data-language=" not in client.get(f"{address}/report").text
    for page in (f"{address}/report", f"{address}/page", f"{address}/report.md"):
        shown = client.get(page).text
        assert "Verdict" in shown
        assert "You had no question. Prepare three" in shown
