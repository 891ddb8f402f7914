"""Answers over the WebSocket."""

import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from starlette.testclient import TestClient

from client.answer.answer import Answer
from client.audio.devices import zeros_remedy
from client.audio.take_file import read_take
from client.core.errors import EngineError, NoSpeech
from client.core.settings import ClientSettings
from client.studio.app import create_studio
from client.studio.state.page_recording import MAX_BLOCK_BYTES
from client.studio.state.studio import Studio
from pronunciation.clip import SAMPLE_RATE_HZ, Clip
from server.contract import Word
from tests.worlds.ports import listening
from tests.worlds.studio_answering import (
    QUESTION,
    begin,
    interrupt,
    is_left,
    send_all,
    until,
    wait_for,
    with_engine,
)
from tests.worlds.studio_parts import ORIGIN, SOCKET, ScriptedTranscriber, tone


def test_an_answer_is_graded_stored_and_its_recording_kept(
    client: TestClient, studio: Studio, speech: Clip
) -> None:
    with client.websocket_connect(SOCKET) as socket:
        recording = begin(socket)
        send_all(socket, speech)
        socket.send_json({"type": "stop"})
        working = until(socket, "working")
        done = until(socket, "done", "problem")

    assert recording["type"] == "recording"
    assert (recording["target_s"], recording["limit_s"]) == (100.0, 600.0)
    assert working["stopped_by"] == "person"
    attempt = studio.backend.attempt(done["attempt_id"])
    assert done["url"] == f"/attempts/{attempt.id}"
    assert attempt.submission.submission_id == done["submission_id"]
    assert "priority flow control" in {
        each.phrase for each in attempt.report.coverage.phrases if each.status == "covered"
    }
    kept, rate_hz = read_take(studio.recordings.path_of(done["submission_id"]))
    assert rate_hz == SAMPLE_RATE_HZ
    assert np.abs(kept - speech.samples).max() < 1e-4
    assert is_left(studio.settings) == []


def test_captions_come_before_the_report(client: TestClient, speech: Clip) -> None:
    with client.websocket_connect(SOCKET) as socket:
        begin(socket)
        send_all(socket, speech)
        socket.send_json({"type": "stop"})
        captions = []
        while (message := until(socket, "caption", "done", "problem"))["type"] == "caption":
            captions.append(message["text"])
        assert "priority flow control" in " ".join(captions)
        assert message["type"] == "done"


def test_what_is_said_in_a_pause_is_not_recorded(
    client: TestClient, studio: Studio, speech: Clip
) -> None:
    with client.websocket_connect(SOCKET) as socket:
        begin(socket)
        send_all(socket, speech)
        socket.send_json({"type": "pause"})
        send_all(socket, Clip(tone(1.0)))
        socket.send_json({"type": "resume"})
        send_all(socket, speech)
        socket.send_json({"type": "stop"})
        done = until(socket, "done", "problem")

    kept, _ = read_take(studio.recordings.path_of(done["submission_id"]))
    assert kept.size == 2 * speech.samples.size


def test_a_discarded_answer_leaves_nothing(
    client: TestClient, studio: Studio, speech: Clip
) -> None:
    with client.websocket_connect(SOCKET) as socket:
        begin(socket)
        send_all(socket, speech)
        socket.send_json({"type": "discard"})
        assert until(socket, "discarded", "problem")["type"] == "discarded"

    assert list(studio.settings.recordings.glob("*")) == []
    assert studio.backend.history().total == 0


def test_how_an_answer_ended_is_told_to_who_subscribed(
    client: TestClient, studio: Studio, speech: Clip
) -> None:
    reported: list[Answer] = []
    studio.answers.subscribe(lambda answer: 1 // 0)
    studio.answers.subscribe(reported.append)
    with client.websocket_connect(SOCKET) as socket:
        take = begin(socket)["take"]
        send_all(socket, speech)
        assert studio.answers.is_there(take)
        socket.send_json({"type": "stop"})
        done = until(socket, "done", "problem")
    with client.websocket_connect(SOCKET) as socket:
        dropped = begin(socket)["take"]
        send_all(socket, speech)
        socket.send_json({"type": "discard"})
        until(socket, "discarded")

    assert [(each.name, each.asked, each.state) for each in reported] == [
        (take, QUESTION, "stored"),
        (dropped, QUESTION, "discarded"),
    ]
    assert reported[0].attempt_id == done["attempt_id"]
    assert (reported[1].outcome, reported[1].problem) == (None, "")
    assert not studio.answers.is_there(take)


# ---------------------------------------------------------------- what can go wrong


@pytest.mark.parametrize(
    "nonsense",
    [b"\0", b"", bytes(MAX_BLOCK_BYTES + 2), "no JSON", '{"type": "start", "question_id": "x"}'],
)
def test_nonsense_ends_the_recording_and_keeps_what_was_said(
    client: TestClient, settings: ClientSettings, speech: Clip, nonsense: str | bytes
) -> None:
    with client.websocket_connect(SOCKET) as socket:
        begin(socket)
        send_all(socket, speech)
        (socket.send_bytes if isinstance(nonsense, bytes) else socket.send_text)(nonsense)
        problem = until(socket, "problem", "done")

    assert (problem["code"], problem["kept"]) == ("protocol", True)
    assert is_left(settings) == [3.0]


def test_silence_is_no_answer_and_is_kept_to_be_heard(
    settings: ClientSettings, speech: Clip
) -> None:
    nothing = ScriptedTranscriber(failure=NoSpeech("no speech detected: only noise"))
    with with_engine(settings, nothing) as client, client.websocket_connect(SOCKET) as socket:
        begin(socket)
        send_all(socket, speech)
        socket.send_json({"type": "stop"})
        problem = until(socket, "problem", "done")

    assert (problem["code"], problem["kept"]) == ("no-speech", True)
    assert "only noise" in problem["detail"]
    assert is_left(settings) == [3.0]


def test_exact_zeros_are_named_and_not_kept(client: TestClient, settings: ClientSettings) -> None:
    with client.websocket_connect(SOCKET) as socket:
        begin(socket)
        socket.send_bytes(bytes(32_000))
        socket.send_json({"type": "stop"})
        problem = until(socket, "problem", "done")

    assert (problem["code"], problem["kept"]) == ("recording", False)
    assert "zeros" in problem["detail"]
    assert problem["remedy"] == zeros_remedy("browser")
    assert list(settings.recordings.iterdir()) == []


def test_a_stop_before_any_sound_says_that_nothing_was_recorded(client: TestClient) -> None:
    with client.websocket_connect(SOCKET) as socket:
        begin(socket)
        socket.send_json({"type": "stop"})
        problem = until(socket, "problem", "done")

    assert (problem["detail"], problem["kept"]) == ("nothing was recorded", False)


def test_an_engine_that_fails_loses_nothing_and_finish_works_later(
    settings: ClientSettings, speech: Clip
) -> None:
    engine = ScriptedTranscriber(failure=EngineError("the weights are broken: fetch them again"))
    with with_engine(settings, engine) as client:
        with client.websocket_connect(SOCKET) as socket:
            name = begin(socket)["take"]
            send_all(socket, speech)
            socket.send_json({"type": "stop"})
            problem = until(socket, "problem", "done")
        assert (problem["code"], problem["kept"]) == ("engine", True)
        assert "fetch them again" in problem["detail"]
        (shown,) = client.get("/takes").json()["interrupted"]
        assert shown["reason"] == "the weights are broken: fetch them again"

        engine.failure = None
        assert client.post(f"/takes/{name}/finish").status_code == 202
        wait_for(lambda: client.get(f"/takes/{name}").json()["state"] != "running")
        assert client.get(f"/takes/{name}").json()["url"]
    assert is_left(settings) == []


def test_an_answer_waits_where_the_shared_server_is_away(
    settings: ClientSettings, speech: Clip
) -> None:
    with listening(0) as closed:  # bound, but nobody takes a connection
        away = replace(settings, server=f"http://127.0.0.1:{closed.getsockname()[1]}")
        with (
            with_engine(away, ScriptedTranscriber()) as client,
            client.websocket_connect(SOCKET) as socket,
        ):
            assert begin(socket)["target_s"] == 120.0
            send_all(socket, speech)
            socket.send_json({"type": "stop"})
            done = until(socket, "done", "problem")

    assert done["type"] == "done", done
    assert done["url"] is None
    assert "kept" in done["waiting"]
    assert (settings.recordings / f"{done['submission_id']}.wav").exists()
    assert is_left(settings) == []


def test_a_page_of_another_site_cannot_record(studio: Studio) -> None:
    from starlette.websockets import WebSocketDisconnect

    with (
        TestClient(
            create_studio(studio), base_url=ORIGIN, headers={"Origin": "http://example.org"}
        ) as foreign,
        pytest.raises(WebSocketDisconnect),
        foreign.websocket_connect(SOCKET),
    ):
        pass


def test_answers_take_turns_at_the_engine(settings: ClientSettings, speech: Clip) -> None:
    """An engine serves one at a time; an interrupted take is finished while another is spoken."""

    class OneAtATime(ScriptedTranscriber):
        inside = 0
        most = 0

        def recognize(self, clip: Clip) -> Sequence[Word]:
            self.inside += 1
            self.most = max(self.most, self.inside)
            time.sleep(0.3)
            self.inside -= 1
            return super().recognize(clip)

    engine = OneAtATime()
    with with_engine(settings, engine) as client:
        first, second = (interrupt(client, settings, speech) for _ in range(2))
        for name in (first, second):
            client.post(f"/takes/{name}/finish")
        with client.websocket_connect(SOCKET) as socket:
            begin(socket)
            send_all(socket, speech)
            socket.send_json({"type": "stop"})
            assert until(socket, "done", "problem")["type"] == "done"
        for name in (first, second):
            wait_for(lambda name=name: client.get(f"/takes/{name}").json()["state"] == "done")

    assert len(engine.clips) == 3
    assert engine.most == 1
