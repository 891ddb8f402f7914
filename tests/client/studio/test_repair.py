"""Transcribed again in the background, corrected, restored; “I did say it” in one answer."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from starlette.testclient import TestClient

from client.audio.files import read_audio
from client.audio.wav import write_wav
from client.core.settings import ClientSettings
from client.data import demo
from client.engines.base import Transcriber
from client.studio.app import create_studio
from client.studio.state.engine_state import EngineState
from client.studio.state.studio import Studio
from server.contract import Transcript, Word
from tests.client.conftest import make_submission
from tests.client.studio.conftest import NewPage, Serve
from tests.worlds.studio_parts import ANSWER, ORIGIN, ScriptedTranscriber, make_studio

QUESTION = "infiniband-or-roce"
ROUGH = "rocky and in Fini Band both give me remote memory access"


class Repairable:
    """A studio with a scripted engine whose pages a test asks for."""

    def __init__(self, studio: Studio, client: TestClient) -> None:
        self.studio = studio
        self.client = client

    def answer(self, *, recorded: bool = True) -> int:
        """Stores an answer of PocketSphinx, with its recording; gives its number."""
        words = tuple(
            Word(text=each, start_s=at * 0.3, end_s=at * 0.3 + 0.2)
            for at, each in enumerate(ROUGH.split())
        )
        transcript = Transcript(text=ROUGH, engine="pocketsphinx", words=words, duration_s=4.0)
        submission = make_submission(question_id=QUESTION, transcript=transcript)
        if recorded:
            path = self.studio.recordings.path_of(submission.submission_id)
            path.parent.mkdir(parents=True, exist_ok=True)
            write_wav(read_audio(demo.AUDIO).slice(0.0, 4.0), path)
        return self.studio.backend.submit(submission).id

    def page(self, number: int) -> str:
        return self.client.get(f"/attempts/{number}").text

    def finished(self) -> dict[str, Any]:
        """The status once nothing is left to do."""
        give_up_s = time.monotonic() + 60
        while (found := self.client.get("/repairs").json())["running"]:
            assert time.monotonic() < give_up_s
            time.sleep(0.05)
        status: dict[str, Any] = found
        return status

    def text(self, number: int) -> str:
        return self.studio.backend.attempt(number).report.transcript.text


@pytest.fixture
def repairable(settings: ClientSettings) -> Iterator[Callable[..., Repairable]]:
    """Makes a studio with this engine, or this state of engines."""
    with ExitStack() as running:

        def start(
            transcriber: ScriptedTranscriber | None = None, engine: EngineState | None = None
        ) -> Repairable:
            parts = {} if engine is None else {"engine": engine}
            studio = make_studio(settings, transcriber, **parts)
            app = create_studio(studio)
            client = TestClient(app, base_url=ORIGIN, headers={"Origin": ORIGIN})
            return Repairable(studio, running.enter_context(client))

        yield start


def test_rough_answers_are_transcribed_again_while_the_pages_go_on(
    repairable: Callable[..., Repairable],
) -> None:
    gate = threading.Event()
    studio = repairable(ScriptedTranscriber(gate=gate))
    one, two, gone = studio.answer(), studio.answer(), studio.answer(recorded=False)
    assert "Transcribe <span data-rough>2 rough answers</span> again" in studio.client.get("/").text
    assert "Transcribe <span data-rough>2 rough answers</span>" in studio.page(one)
    begun = studio.client.post("/repairs").json()
    assert (begun["running"], begun["total"], begun["rough"]) == (True, 2, 2)
    assert 'data-engine="repairing"' in studio.client.get("/").text
    assert studio.client.post("/repairs").json()["total"] <= 3  # the one at work may come again
    gate.set()
    done = studio.finished()
    assert (done["rough"], done["problems"]) == (0, [])
    assert [studio.text(each) for each in (one, two, gone)] == [ANSWER, ANSWER, ROUGH]
    assert "rough answers</span> again" not in studio.client.get("/").text.replace("0 rough", "")
    page = studio.page(one)
    assert "transcript by scripted none" in page
    earlier = studio.client.get(f"/attempts/{one}/versions/1").text
    assert "Fini" in earlier and "report 1 of" in earlier
    assert studio.client.get(f"/attempts/{one}/versions/9").status_code == 422


def test_words_are_corrected_marked_and_restored(repairable: Callable[..., Repairable]) -> None:
    studio = repairable()
    number = studio.answer()
    page = studio.page(number)
    assert f">{ROUGH}</textarea>" in page
    assert "Put the engine" not in page
    right = ROUGH.replace("in Fini Band", "InfiniBand <b>") + "&c."
    answered = studio.client.post(
        f"/attempts/{number}/words", data={"text": right}, follow_redirects=False
    )
    assert answered.status_code == 303
    assert answered.headers["location"] == f"/attempts/{number}#answer-title"
    page = studio.page(number)
    assert "mark-corrected" in page
    assert "corrected by you, the engine wrote “in Fini Band”" in page
    assert "<b>" not in page
    assert "pocketsphinx, corrected by you" in page
    assert "You corrected words of the transcript: " in page
    assert "The candidate corrected" not in page
    assert "<li>words corrected</li>" in studio.client.get("/history").text
    studio.client.post(f"/attempts/{number}/words/restore")
    assert studio.text(number) == ROUGH
    assert studio.client.post(f"/attempts/{number}/words", data={"text": " "}).status_code == 422


def test_whisper_is_offered_where_the_rough_notice_stands(
    repairable: Callable[..., Repairable], settings: ClientSettings
) -> None:
    studio = repairable(engine=EngineState(settings, "pocketsphinx", fetch=lambda *_: None))
    number = studio.answer()
    for page in (studio.client.get("/").text, studio.page(number)):
        assert "Download Whisper base.en, 145 MB" in page
        assert "data-again hidden" in page
    without = repairable()
    assert 'data-fetch="base.en" hidden' in without.page(number)


class FetchedEngine(EngineState):
    """PocketSphinx until Whisper has been fetched, then a scripted engine."""

    fetched = False

    def load(self) -> Transcriber:
        engine = ScriptedTranscriber()
        engine.name = "faster-whisper"
        return engine

    def _choice(self) -> tuple[str, str]:
        return ("faster-whisper", "none") if self.fetched else ("pocketsphinx", "")


def test_one_button_fetches_whisper_and_the_next_one_repairs_the_report(
    repairable: Callable[..., Repairable], settings: ClientSettings, serve: Serve, new_page: NewPage
) -> None:
    def fetch(model: str, tell: Callable[[int, int], None]) -> None:
        tell(50_000_000, 145_000_000)
        engine.fetched = True

    engine = FetchedEngine(settings, fetch=fetch)
    studio = repairable(engine=engine)
    number = studio.answer()
    page = new_page()
    page.goto(f"{serve(studio=studio.studio).url}/attempts/{number}")
    page.get_by_role("button", name="Download Whisper base.en, 145 MB").click()
    page.get_by_text("Whisper base.en is ready").wait_for()
    page.get_by_role("button", name="Transcribe 1 rough answer again").click()
    page.get_by_text("1 earlier report").wait_for()
    assert "priority flow control" in page.locator("#transcript").inner_text()
    assert page.locator("#engine").is_hidden()
