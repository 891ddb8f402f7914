"""A judge in the studio: its verdicts in the report, and the warning about one elsewhere."""

from dataclasses import replace

from starlette.testclient import TestClient

from client.core.judge_settings import JudgeSettings
from client.core.settings import ClientSettings
from client.studio.app import create_studio
from pronunciation.clip import Clip
from tests.worlds.fake_judge import FakeJudge
from tests.worlds.studio_answering import begin, send_all, until
from tests.worlds.studio_parts import ORIGIN, SOCKET, make_studio

QUOTE = "both give me remote direct memory access"


def test_an_answer_is_judged(settings: ClientSettings, fake_judge: FakeJudge, speech: Clip) -> None:
    fake_judge.judges(SHARP=QUOTE)
    message: list[str] = []
    studio = make_studio(replace(settings, judge=fake_judge.settings), tell=message.append)
    app = create_studio(studio)
    with TestClient(app, base_url=ORIGIN, headers={"Origin": ORIGIN}) as client:
        with client.websocket_connect(SOCKET) as socket:
            begin(socket)
            send_all(socket, speech)
            socket.send_json({"type": "stop"})
            done = until(socket, "done", "problem")
        page = client.get(done["url"]).text

    judged, worded = fake_judge.requests
    assert "key_phrase" in str(judged) or "phrases" in str(judged)
    assert "ask" in str(worded), "the follow-up is put into words"
    assert "verdict of a language model on these words" in page
    assert f"(small at {fake_judge.address})" in page
    assert message == []


def test_a_judge_elsewhere_is_warned_of(settings: ClientSettings) -> None:
    message: list[str] = []
    judge = JudgeSettings("https://judge.example/v1", "big")
    make_studio(replace(settings, judge=judge), tell=message.append).close()

    assert len(message) == 1
    assert "https://judge.example/v1 is not on this machine" in message[0]
