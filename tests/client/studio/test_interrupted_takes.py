"""What is left when an answer is interrupted, and what can be done with it."""

import threading
from datetime import datetime

import pytest
from starlette.testclient import TestClient

from client.audio.take_file import TakeWriter
from client.core.settings import ClientSettings
from client.studio.app import create_studio
from client.studio.state.page_recording import TakeBusyError
from client.studio.state.studio import Studio
from pronunciation.clip import SAMPLE_RATE_HZ, Clip
from tests.worlds.studio_answering import (
    QUESTION,
    begin,
    interrupt,
    is_left,
    send_all,
    until,
    wait_for,
)
from tests.worlds.studio_parts import ORIGIN, SOCKET, ScriptedTranscriber, make_studio, tone


def test_a_broken_connection_leaves_what_was_said_to_be_finished(
    client: TestClient, studio: Studio, speech: Clip
) -> None:
    name = interrupt(client, studio.settings, speech)

    (shown,) = client.get("/takes").json()["interrupted"]
    assert shown["name"] == name
    assert shown["length"] == "0:03"
    assert shown["started"] == f"{datetime.now():%H:%M}"
    assert shown["question_id"] == QUESTION
    assert "InfiniBand" in shown["prompt"]
    assert "the page was closed" in shown["reason"]
    assert client.get(f"/takes/{name}/audio").content[:4] == b"RIFF"

    assert client.post(f"/takes/{name}/finish").json()["state"] == "running"
    wait_for(lambda: client.get(f"/takes/{name}").json()["state"] != "running")
    done = client.get(f"/takes/{name}").json()
    attempt = studio.backend.attempt(int(done["url"].rsplit("/", 1)[1]))
    assert attempt.submission.question_id == QUESTION
    assert studio.recordings.path_of(attempt.submission.submission_id).exists()
    assert client.get("/takes").json()["interrupted"] == []


def test_an_interrupted_recording_can_be_discarded(
    client: TestClient, studio: Studio, speech: Clip
) -> None:
    name = interrupt(client, studio.settings, speech)

    assert client.post(f"/takes/{name}/discard").status_code == 204
    assert list(studio.settings.recordings.iterdir()) == []
    assert client.post(f"/takes/{name}/discard").status_code == 404


def test_a_page_that_goes_while_it_is_transcribed_still_gets_its_report(
    settings: ClientSettings, speech: Clip
) -> None:
    gate = threading.Event()
    studio = make_studio(settings, ScriptedTranscriber(gate=gate))
    with TestClient(create_studio(studio), base_url=ORIGIN, headers={"Origin": ORIGIN}) as client:
        with client.websocket_connect(SOCKET) as socket:
            begin(socket)
            send_all(socket, speech)
            socket.send_json({"type": "stop"})
            until(socket, "working")
            gate.set()
        wait_for(lambda: studio.backend.history().total == 1)
        wait_for(lambda: not list(settings.recordings.glob("*.part")))


def test_a_second_tab_is_told_and_may_record_once_the_first_has_ended(
    client: TestClient, settings: ClientSettings, speech: Clip
) -> None:
    with client.websocket_connect(SOCKET) as first:
        begin(first)
        send_all(first, speech)
        assert client.get("/takes").json()["recording"]
        with client.websocket_connect(SOCKET) as second:
            problem = begin(second)
        assert (problem["code"], problem["kept"]) == ("busy", False)
        assert "another tab" in problem["detail"]
        first.send_json({"type": "discard"})
        until(first, "discarded", "problem")
    with client.websocket_connect(SOCKET) as second:
        assert begin(second)["type"] == "recording"


def test_a_second_program_with_the_same_home_is_told_too(
    client: TestClient, settings: ClientSettings
) -> None:
    with client.websocket_connect(SOCKET) as socket:
        begin(socket)
        other = make_studio(settings)
        with pytest.raises(TakeBusyError, match="another Aloud"):
            other.microphone.begin(QUESTION)
        other.close()
    wait_for(lambda: not client.get("/takes").json()["recording"])


def test_a_recording_of_the_terminal_can_be_finished_here(
    client: TestClient, studio: Studio, speech: Clip
) -> None:
    """At the microphone's own rate, with a label that `TakeWriter` cut."""
    writer = TakeWriter(studio.settings.recordings, 48_000, QUESTION)
    writer.append(speech.samples.repeat(3))
    writer.abandon()

    assert client.post(f"/takes/{writer.part_path.name}/finish").status_code == 202
    wait_for(lambda: client.get(f"/takes/{writer.part_path.name}").json()["state"] == "done")


def test_a_recording_whose_question_is_gone_is_shown_but_not_finished(
    client: TestClient, settings: ClientSettings
) -> None:
    writer = TakeWriter(settings.recordings, SAMPLE_RATE_HZ, "a-question-of-old")
    writer.append(tone(1.0))
    writer.abandon()

    (shown,) = client.get("/takes").json()["interrupted"]
    assert (shown["question_id"], shown["prompt"]) == ("", "")
    refused = client.post(f"/takes/{shown['name']}/finish")
    assert refused.status_code == 404
    assert "a-question-of-old" in refused.json()["detail"]
    assert is_left(settings) == [1.0]


def test_a_name_reaches_no_file_but_an_unfinished_take(
    client: TestClient, settings: ClientSettings
) -> None:
    settings.recordings.mkdir(parents=True, exist_ok=True)
    kept = settings.recordings / "kept.wav"
    kept.write_bytes(b"a kept recording")
    outside = settings.home / "outside.wav.part"
    outside.write_bytes(b"not ours")

    names = "..%2Faloud.db %2e%2e%2faloud.db .. aloud.db ..%5Caloud.db %2Fetc%2Fpasswd kept.wav"
    for name in (*names.split(), ".wav.part", "%00", "x" * 5000):
        for ask, action in (
            (client.post, "finish"),
            (client.post, "discard"),
            (client.get, "audio"),
        ):
            assert ask(f"/takes/{name}/{action}").status_code in (404, 405), (name, action)
    assert kept.read_bytes() == b"a kept recording"
    assert outside.exists()
    assert settings.database.exists()
