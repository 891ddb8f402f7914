"""The microphone check without a browser."""

from starlette.testclient import TestClient

from client.audio.files import read_audio
from client.core.errors import EngineError, SpeakingError
from client.core.settings import ClientSettings
from client.data import demo
from client.studio.app import create_studio
from client.studio.routes.sound import SENTENCE
from client.studio.state.studio import microphone_passed
from tests.worlds.studio_parts import ORIGIN, ScriptedTranscriber, make_studio

RAW = {"Content-Type": "application/octet-stream"}


def spoken() -> bytes:
    return read_audio(demo.AUDIO).slice(0.0, 4.0).pcm16()


def test_the_page_shows_what_to_read(client: TestClient) -> None:
    assert SENTENCE in client.get("/microphone").text


def test_a_sentence_is_measured_and_understood(
    client: TestClient, settings: ClientSettings
) -> None:
    found = client.post("/microphone/check", content=spoken(), headers=RAW).json()

    assert found["works"], found
    assert -40 < found["speech_dbfs"] < -5
    assert "priority flow control" in found["understood"]
    assert not settings.recordings.exists()


def test_a_muted_microphone_is_told_what_to_do(client: TestClient) -> None:
    found = client.post("/microphone/check", content=bytes(64_000), headers=RAW).json()

    assert found["state"] == "zeros"
    assert found["peak_dbfs"] is None
    assert "Unmute" in found["remedy"]


def test_an_engine_that_fails_does_not_hide_the_level(settings: ClientSettings) -> None:
    studio = make_studio(settings, ScriptedTranscriber(failure=EngineError("weights are broken")))
    with TestClient(create_studio(studio), base_url=ORIGIN, headers={"Origin": ORIGIN}) as client:
        found = client.post("/microphone/check", content=spoken(), headers=RAW).json()

    assert found["works"]
    assert found["not_understood"] == "weights are broken"


def test_that_it_was_passed_is_remembered_until_it_fails(
    client: TestClient, settings: ClientSettings
) -> None:
    assert not microphone_passed(settings)
    assert "You have passed this check" not in client.get("/microphone").text

    assert client.post("/microphone/passed").status_code == 204
    assert microphone_passed(settings)
    assert "You have passed this check" in client.get("/microphone").text

    assert client.post("/microphone/failed").status_code == 204
    assert not microphone_passed(settings)


def test_everything_else_is_looked_at(client: TestClient) -> None:
    checks = {each["name"]: each for each in client.get("/microphone/setup").json()}

    assert list(checks) == ["Transcription", "Voice", "data folder", "server"]
    assert all(each["ok"] for name, each in checks.items() if name != "Transcription")


def test_what_does_not_work_says_its_remedy(settings: ClientSettings) -> None:
    class Mute:
        def clip(self, text: str) -> object:
            raise SpeakingError("no voice works here", "install one")

    studio = make_studio(settings, make_speaker=lambda lexicon: Mute())
    with TestClient(create_studio(studio), base_url=ORIGIN) as client:
        checks = {each["name"]: each for each in client.get("/microphone/setup").json()}

    assert not checks["Voice"]["ok"]
    assert checks["Voice"]["remedy"] == "install one"
