"""Answers over the WebSocket, and what is left when one is interrupted."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient, WebSocketTestSession

from client import demo
from client.audio_file import read_audio
from client.backend import RejectedError
from client.errors import EngineError, NoSpeech
from client.recording import unfinished_recordings
from client.recording.take_file import TakeWriter, read_take
from client.settings import ClientSettings
from client.studio.app import create_studio
from client.studio.running_take import MAX_BLOCK_BYTES, RunningTake, TakeProtocolError, limit_s_for
from client.studio.studio import Studio
from client.studio.takes import AnswerDone, TakeBusyError
from pronunciation.clip import SAMPLE_RATE_HZ, Clip
from tests.client.conftest import listening
from tests.client.studio.studio_parts import ORIGIN, SOCKET, ScriptedTranscriber, make_studio, tone

QUESTION = demo.QUESTION_ID
BLOCK = 1600


@pytest.fixture(scope="module")
def speech() -> Clip:
    """Three seconds of somebody speaking."""
    return read_audio(demo.AUDIO).slice(0.0, 3.0)


def pcm(clip: Clip) -> bytes:
    return np.rint(clip.samples * 32767).astype("<i2").tobytes()


def blocks(content: bytes) -> Iterator[bytes]:
    for at in range(0, len(content), BLOCK):
        yield content[at : at + BLOCK]


def begin(socket: WebSocketTestSession, question_id: str = QUESTION, **more: str) -> dict[str, Any]:
    socket.send_json({"type": "start", "question_id": question_id, **more})
    return dict(socket.receive_json())


def until(socket: WebSocketTestSession, *types: str) -> dict[str, Any]:
    """The next message of these types."""
    for _ in range(200):
        message = dict(socket.receive_json())
        if message["type"] in types:
            return message
    raise AssertionError(f"no {types}")


def send_all(socket: WebSocketTestSession, clip: Clip) -> None:
    for block in blocks(pcm(clip)):
        socket.send_bytes(block)


def wait_for(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.02)


def is_left(settings: ClientSettings) -> list[float]:
    """The lengths of the unfinished takes."""
    return [round(take.duration_s, 2) for take in unfinished_recordings(settings.recordings)]


def with_engine(settings: ClientSettings, transcriber: ScriptedTranscriber) -> TestClient:
    studio = make_studio(settings, transcriber)
    return TestClient(create_studio(studio), base_url=ORIGIN, headers={"Origin": ORIGIN})


# ---------------------------------------------------------------- one answer


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


def test_sound_is_on_the_disk_while_it_is_spoken(
    client: TestClient, settings: ClientSettings, speech: Clip
) -> None:
    with client.websocket_connect(SOCKET) as socket:
        name = begin(socket)["take"]
        send_all(socket, speech)
        wait_for(lambda: read_take(settings.recordings / name)[0].size == speech.samples.size)


def test_captions_come_before_the_report(client: TestClient, speech: Clip) -> None:
    with client.websocket_connect(SOCKET) as socket:
        begin(socket)
        send_all(socket, speech)
        socket.send_json({"type": "stop"})
        caption = until(socket, "caption", "done", "problem")
        assert caption["type"] == "caption"
        assert "priority flow control" in caption["text"]
        assert until(socket, "done", "problem")["type"] == "done"


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


def test_the_answer_of_an_interview_is_told_to_who_subscribed(
    client: TestClient, studio: Studio, speech: Clip
) -> None:
    told: list[AnswerDone] = []
    studio.takes.subscribe(lambda done: 1 // 0)
    studio.takes.subscribe(told.append)
    with client.websocket_connect(SOCKET) as socket:
        begin(socket, interview="ab12")
        send_all(socket, speech)
        socket.send_json({"type": "stop"})
        done = until(socket, "done", "problem")

    assert [(each.interview, each.question_id) for each in told] == [("ab12", QUESTION)]
    assert told[0].outcome.attempt_id == done["attempt_id"]


# ---------------------------------------------------------------- what can go wrong


def test_a_question_that_is_not_there_is_a_problem(client: TestClient) -> None:
    with client.websocket_connect(SOCKET) as socket:
        problem = begin(socket, "no-such-question")

    assert (problem["type"], problem["code"], problem["kept"]) == ("problem", "rejected", False)


@pytest.mark.parametrize(
    "first",
    [
        "no JSON",
        "[]",
        '{"type": "stop"}',
        '{"type": "start"}',
        '{"type": "start", "question_id": 7}',
        '{"type": "start", "question_id": "x", "more": 1}',
        '{"type": "start", "question_id": "x", "interview": "../../etc"}',
        json.dumps({"type": "start", "question_id": "x" * 10_000}),
        b"\0\0",
    ],
)
def test_a_first_message_that_cannot_be_read_is_a_problem(
    client: TestClient, settings: ClientSettings, first: str | bytes
) -> None:
    with client.websocket_connect(SOCKET) as socket:
        (socket.send_bytes if isinstance(first, bytes) else socket.send_text)(first)
        problem = socket.receive_json()

    assert (problem["type"], problem["code"]) == ("problem", "protocol")
    assert not settings.recordings.exists() or not list(settings.recordings.iterdir())


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
    assert "Microphone" in problem["remedy"]
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


def test_a_failure_nobody_expected_is_a_problem_and_keeps_the_take(
    settings: ClientSettings, speech: Clip
) -> None:
    engine = ScriptedTranscriber(failure=ZeroDivisionError("planted"))
    with with_engine(settings, engine) as client, client.websocket_connect(SOCKET) as socket:
        begin(socket)
        send_all(socket, speech)
        socket.send_json({"type": "stop"})
        problem = until(socket, "problem", "done")

    assert problem["kept"]
    assert "planted" in problem["detail"]
    assert is_left(settings) == [3.0]


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


# ---------------------------------------------------------------- limits of a take


class _Live:
    """A live answer that only counts."""

    captions = ()

    def __init__(self) -> None:
        self.samples = 0
        self.cancelled = False

    def feed(self, samples: np.ndarray[Any, Any]) -> None:
        self.samples += samples.size

    def cancel(self) -> None:
        self.cancelled = True


def make_take(folder: Path, studio: Studio, clock: list[float], target_s: float) -> RunningTake:
    return RunningTake(
        TakeWriter(folder, SAMPLE_RATE_HZ),
        _Live(),  # type: ignore[arg-type]
        studio.recordings,
        target_s,
        on_end=lambda: None,
        clock_s=lambda: clock[0],
    )


def test_a_recording_ends_at_its_limit_to_the_sample(tmp_path: Path, studio: Studio) -> None:
    clock = [0.0]
    take = make_take(tmp_path, studio, clock, target_s=120)
    block = bytes(MAX_BLOCK_BYTES)
    while not take.is_full:
        clock[0] += 2.048
        take.take_in(block)
    take.take_in(block)

    assert take.recorded_s == take.limit_s == 600.0
    take.discard()


def test_the_limit_is_twice_the_target_but_never_below_ten_minutes() -> None:
    assert (limit_s_for(60), limit_s_for(300), limit_s_for(420)) == (600, 600, 840)


def test_sound_that_comes_faster_than_anybody_speaks_is_refused(
    tmp_path: Path, studio: Studio
) -> None:
    clock = [0.0]
    take = make_take(tmp_path, studio, clock, target_s=120)
    second = bytes(2 * SAMPLE_RATE_HZ)
    for _ in range(30):
        take.take_in(second)
    with pytest.raises(TakeProtocolError, match="faster"):
        take.take_in(second)
    clock[0] += 1.0
    take.take_in(second)

    take.abandon("the page is gone")
    assert [round(each.duration_s) for each in unfinished_recordings(tmp_path)] == [31]


# ---------------------------------------------------------------- interrupted


def interrupt(client: TestClient, settings: ClientSettings, clip: Clip) -> str:
    """Begin an answer, then break the connection."""
    with client.websocket_connect(SOCKET) as socket:
        name = str(begin(socket)["take"])
        send_all(socket, clip)
        wait_for(lambda: read_take(settings.recordings / name)[0].size == clip.samples.size)
    wait_for(lambda: is_left(settings))
    return name


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


def test_a_connection_that_broke_before_any_sound_leaves_nothing(
    client: TestClient, settings: ClientSettings
) -> None:
    with client.websocket_connect(SOCKET) as socket:
        begin(socket)
    wait_for(lambda: not client.get("/takes").json()["recording"])

    assert list(settings.recordings.iterdir()) == []


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
            other.takes.begin(QUESTION)
        other.close()
    wait_for(lambda: not client.get("/takes").json()["recording"])


def test_a_recording_of_the_terminal_can_be_finished_here(
    client: TestClient, studio: Studio
) -> None:
    """At the microphone's own rate, with a label that `TakeWriter` cut."""
    writer = TakeWriter(studio.settings.recordings, 48_000, QUESTION)
    writer.append(tone(1.0).repeat(3))
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


def test_the_date_is_said_where_it_was_not_today(
    client: TestClient, settings: ClientSettings
) -> None:
    writer = TakeWriter(settings.recordings, SAMPLE_RATE_HZ, QUESTION)
    writer.append(tone(1.0))
    writer.abandon()
    old = datetime(2024, 2, 3, 12, 30, tzinfo=UTC)
    name = f"{old:%Y%m%dT%H%M%S%fZ}-{QUESTION}.wav.part"
    writer.part_path.rename(settings.recordings / name)

    (shown,) = client.get("/takes").json()["interrupted"]
    assert "Feb 2024" in shown["started"]


@pytest.mark.parametrize(
    "name",
    [
        "..%2Faloud.db",
        "%2e%2e%2faloud.db",
        "..",
        "aloud.db",
        "..%5Caloud.db",
        "%2Fetc%2Fpasswd",
        "kept.wav",
        ".wav.part",
        "%00",
        "x" * 5000,
    ],
)
@pytest.mark.parametrize("action", ["finish", "discard", "audio"])
def test_a_name_reaches_no_file_but_an_unfinished_take(
    client: TestClient, settings: ClientSettings, name: str, action: str
) -> None:
    settings.recordings.mkdir(parents=True, exist_ok=True)
    kept = settings.recordings / "kept.wav"
    kept.write_bytes(b"a kept recording")
    outside = settings.home / "outside.wav.part"
    outside.write_bytes(b"not ours")

    method = client.get if action == "audio" else client.post
    answer = method(f"/takes/{name}/{action}")

    assert answer.status_code in (404, 405)
    assert kept.read_bytes() == b"a kept recording"
    assert outside.exists()
    assert settings.database.exists()


def test_unknown_questions_of_the_backend_stay_unknown(studio: Studio) -> None:
    with pytest.raises(RejectedError):
        studio.takes.begin("nobody-asked-this")
    assert studio.takes.running is None


def test_answers_take_turns_at_the_engine(settings: ClientSettings, speech: Clip) -> None:
    """An engine serves one at a time; an interrupted take is finished while another is spoken."""

    class OneAtATime(ScriptedTranscriber):
        inside = 0
        most = 0

        def transcribe(self, clip: Clip, **more: Any) -> Any:
            self.inside += 1
            self.most = max(self.most, self.inside)
            time.sleep(0.3)
            self.inside -= 1
            return super().transcribe(clip, **more)

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
