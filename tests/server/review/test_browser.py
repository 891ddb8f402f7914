"""The review page in a browser, with nothing but the keyboard."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
import uvicorn
from playwright.sync_api import Page

from server.contract import Transcript, Word
from server.service import Service
from server.settings import sqlite_url
from server.store.tables_sharing import RecordingRow
from tests.chromium import signed_in
from tests.server.conftest import make_submission
from tests.server.jobs.conftest import wait_for
from tests.server.people import NOW, People, people

TEXT = "I use paged attention every day"


@pytest.fixture
def store_url(tmp_path: Path) -> str:
    return sqlite_url(tmp_path / "aloud.db")


@dataclass(frozen=True)
class Running:
    """A server with Ana's answer and its recording, and where it is."""

    world: People
    address: str

    @property
    def page(self) -> str:
        """The path of the review page."""
        return f"/coach/attempts/{self.world.attempt.id}"


@pytest.fixture
def running(service: Service) -> Iterator[Running]:
    words = tuple(
        Word(text=each, start_s=index * 0.5, end_s=index * 0.5 + 0.4)
        for index, each in enumerate(TEXT.split())
    )
    transcript = Transcript(text=TEXT, words=words, engine="faster-whisper", duration_s=4.0)
    world = people(service, make_submission(TEXT, transcript=transcript))
    with service.database.write() as session:
        session.merge(
            RecordingRow(
                attempt_id=world.attempt.id,
                owner_id=world.by_name["ana"].id,
                media_type="audio/flac",
                duration_s=4.0,
                content=hum(4.0),
                sha256="0" * 64,
                uploaded_at=NOW,
                expires_at=None,
            )
        )
    config = uvicorn.Config(world.app, port=0, log_level="warning", loop="asyncio")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        wait_for(lambda: server.started)
        port = server.servers[0].sockets[0].getsockname()[1]
        yield Running(world, f"http://127.0.0.1:{port}")
    finally:
        server.should_exit = True
        thread.join()


def hum(seconds: float) -> bytes:
    """A quiet tone as FLAC."""
    made = BytesIO()
    with av.open(made, "w", format="flac") as target:
        stream: Any = target.add_stream("flac", rate=16_000)
        stream.layout = "mono"
        times = np.arange(int(seconds * 16_000)) / 16_000
        samples = (np.sin(times * 880) * 3000).astype(np.int16)
        frame = av.AudioFrame.from_ndarray(samples[None, :], format="s16", layout="mono")
        frame.sample_rate = 16_000
        target.mux(stream.encode(frame))
        target.mux(stream.encode(None))
    return made.getvalue()


def test_words_are_chosen_played_and_commented_on_by_keyboard(running: Running) -> None:
    def drive(page: Page) -> None:
        page.goto(running.page)
        page.focus("#w-0")
        for key in ("ArrowRight", "ArrowRight", "Shift+ArrowRight"):
            page.keyboard.press(key)
        assert page.locator(".word.chosen").all_inner_texts() == ["paged", "attention"]
        page.keyboard.press("c")
        page.keyboard.type("Say <i>how</i> it pages.")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.wait_for_selector(".review-comment")
        assert page.locator(".review-comment").inner_text().count("Say <i>how</i> it pages.") == 1
        assert page.locator(".word.commented").all_inner_texts() == ["paged", "attention"]

        page.focus("#main")
        page.keyboard.press("j")
        assert page.locator(".word.chosen").all_inner_texts() == ["paged", "attention"]
        assert page.inner_text("[data-status]") == "Cleo: Say <i>how</i> it pages."
        page.keyboard.press("Escape")
        assert page.locator(".word.chosen").count() == 0

        page.focus("#main")
        page.keyboard.press("Space")
        page.wait_for_selector(".word.playing")
        wait_for(lambda: bool(page.evaluate("document.querySelector('audio').currentTime > 0.2")))
        page.keyboard.press("Space")
        wait_for(lambda: bool(page.evaluate("document.querySelector('audio').paused")))
        page.keyboard.press("c")
        assert page.inner_text("[data-place]").startswith("at 0:0")

        page.keyboard.press("Escape")
        page.keyboard.press("d")
        page.wait_for_url("**/coach/queue")
        assert "Nothing waits" in page.inner_text("main")

    signed_in(running.address, running.world.tokens["cleo"], drive)
    (comment,) = (
        running.world.client("ana")
        .get(f"/api/v1/attempts/{running.world.attempt.id}/review")
        .json()["comments"]
    )
    assert (comment["kind"], comment["word_from"], comment["word_to"]) == ("span", 2, 3)
