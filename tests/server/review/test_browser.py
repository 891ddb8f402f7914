"""The review page in a browser, with nothing but the keyboard: a coach's, and a guest's."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from playwright.sync_api import Browser, Page

from server.attempts.grading_data import Grader
from server.attempts.service import Service
from server.contract import Language, LanguageNote, Report, Transcript, Word
from server.core.settings import sqlite_url
from server.db.tables import RecordingRow, ShareRow
from tests.server.conftest import grade, make_submission
from tests.worlds.chromium import in_a_browser, signed_in
from tests.worlds.people import NOW, People, people
from tests.worlds.queues import wait_for
from tests.worlds.served import served

pytestmark = pytest.mark.browser

TEXT = "I use paged attention every day"
WORD_S = 8.0
"""So long that what is played is still going on when it is looked at."""


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
        """The path of the coach's review page."""
        return f"/coach/attempts/{self.world.attempt.id}"

    def document(self) -> dict[str, Any]:
        """What Ana sees of what was written."""
        path = f"/api/v1/attempts/{self.world.attempt.id}/review"
        found: dict[str, Any] = self.world.client("ana").get(path).json()
        return found


@pytest.fixture
def running(make_service: Callable[..., Service]) -> Iterator[Running]:
    def english(report: Report, language: Language) -> Report:
        return report.model_copy(update={"language": language})

    def slow(*asked: Any) -> Report:
        return english(grade(*asked), Language(pending=True))

    note = LanguageNote(
        kind="article", said=TEXT, better=f"{TEXT}!", why="", start_s=16, end_s=32, sentence=TEXT
    )
    found = Language(notes=(note,), by="rules")
    grader = Grader(slow, "slow-1", language=lambda *_: found, with_language=english)
    service = make_service(grader=grader)
    words = tuple(
        Word(text=each, start_s=index * WORD_S, end_s=(index + 1) * WORD_S)
        for index, each in enumerate(TEXT.split())
    )
    transcript = Transcript(text=TEXT, words=words, engine="faster-whisper", duration_s=6 * WORD_S)
    world = people(service, make_submission(TEXT, transcript=transcript))
    ids = {"attempt_id": world.attempt.id, "owner_id": world.by_name["ana"].id}
    sound = {"media_type": "audio/flac", "duration_s": 6 * WORD_S, "content": hum(6 * WORD_S)}
    kept = RecordingRow(**ids, **sound, sha256="0" * 64, uploaded_at=NOW, expires_at=None)
    with service.database.write() as session:
        session.merge(kept)
    with served(world.app) as address:
        yield Running(world, address)


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


def give_voice(page: Page, *, is_local: bool) -> None:
    """Gives the browser one English voice, and a list of what it says."""
    voice = f"{{lang: 'en_US', localService: {str(is_local).lower()}}}"
    page.add_init_script(f"""
        window.said = [];
        window.SpeechSynthesisUtterance = function (text) {{ this.text = text; }};
        const speech = {{ getVoices: () => [{voice}], cancel() {{}} }};
        speech.speak = (each) => said.push(each);
        Object.defineProperty(window, "speechSynthesis", {{ value: speech }});
    """)


def test_words_are_chosen_played_and_commented_on_by_keyboard(running: Running) -> None:
    def drive(page: Page) -> None:
        give_voice(page, is_local=False)
        page.goto(running.page)
        page.get_by_text("The remarks on the English are here.").wait_for()
        page.click("#language [data-play-from]")
        page.wait_for_selector("#language [aria-pressed=true]")
        page.keyboard.press("Space")
        assert page.is_hidden("[data-say]"), "a voice elsewhere would be sent what was said"
        page.focus("#w-0")
        for key in ("ArrowRight", "ArrowRight", "Shift+ArrowRight"):
            page.keyboard.press(key)
        assert page.locator(".word.chosen").all_inner_texts() == ["paged", "attention"]
        page.keyboard.press("c")
        page.keyboard.type("Say <i>how</i> it pages.")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        comes(page, ".review-comment")
        assert page.locator(".review-comment").inner_text().count("Say <i>how</i> it pages.") == 1
        assert page.locator(".word.commented").all_inner_texts() == ["paged", "attention"]

        page.focus("#main")
        page.keyboard.press("j")
        assert page.locator(".word.chosen").all_inner_texts() == ["paged", "attention"]
        assert page.inner_text("[data-status]") == "Cleo: Say <i>how</i> it pages."
        page.keyboard.press("Escape")
        assert page.locator(".word.chosen").count() == 0

        page.focus("#main")
        listen(page)
        page.keyboard.press("c")
        assert page.inner_text("[data-place]").startswith("at 0:")

        page.keyboard.press("Escape")
        page.keyboard.press("d")
        page.wait_for_url("**/coach/queue")
        assert "Nothing is waiting" in page.inner_text("main")

    signed_in(running.address, running.world.tokens["cleo"], drive)
    (comment,) = running.document()["comments"]
    assert (comment["kind"], comment["word_from"], comment["word_to"]) == ("span", 2, 3)


def test_two_answers_are_compared_with_their_sound_and_their_english(running: Running) -> None:
    world = running.world
    ana = world.service.of(world.by_name["ana"].id)
    other = ana.submit(make_submission("I use continuous batching"))
    with world.service.database.write() as session:
        shared = {"owner_id": world.by_name["ana"].id, "cohort_id": world.spring.id}
        session.add(ShareRow(**shared, attempt_id=other.id, with_audio=True, created_at=NOW))

    def drive(page: Page) -> None:
        page.route("**/language", lambda route: route.abort(), times=1)
        page.goto(f"{running.page}/compare/{other.id}")
        page.get_by_text("Reload this page to see it").wait_for()
        page.reload()
        page.get_by_role("row", name="article 1 1 still there").wait_for()
        assert page.locator("audio").count() == 1, "the other has no recording"
        page.click("[data-answer] .notes [data-play-from]")
        page.wait_for_selector(".notes [aria-pressed=true]")
        page.click(".word[data-start]:text-is('use')")
        page.wait_for_selector(".playing:text-is('use')")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
        page.wait_for_selector(".playing:text-is('paged')")

    signed_in(running.address, world.tokens["cleo"], drive)


def by_link(running: Running, drive: Callable[[Page], None]) -> None:
    """Runs ``drive`` on the page of Ana's share link, in a browser that nobody signed in with."""

    def run(browser: Browser) -> None:
        faults: list[str] = []
        context = browser.new_context(base_url=running.address)
        context.set_default_timeout(60_000)
        page = context.new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.goto(f"/s/{running.world.link}")
        drive(page)
        context.close()
        assert faults == []

    in_a_browser(run)


def listen(page: Page) -> None:
    """Plays some of the recording by keyboard, and pauses."""
    page.keyboard.press("Space")
    page.wait_for_selector(".word.playing")
    wait_for(lambda: bool(page.evaluate("document.querySelector('audio').currentTime > 0.2")))
    page.keyboard.press("Space")
    wait_for(lambda: bool(page.evaluate("document.querySelector('audio').paused")))


def comes(page: Page, selector: str) -> None:
    """Waits for the page that has this, and for its script."""
    page.wait_for_selector(selector)
    page.wait_for_load_state("load")


def tab_to(page: Page, selector: str, most: int = 150) -> None:
    """Goes with the Tab key to the next thing of this kind, as somebody without a mouse does."""
    for _ in range(most):
        page.keyboard.press("Tab")
        if page.evaluate("(wanted) => document.activeElement.matches(wanted)", selector):
            return
    raise AssertionError(f"{selector} is not reached by Tab")


def test_a_guest_reviews_by_keyboard_alone(running: Running) -> None:
    running.world.client("cleo").post(
        f"/coach/cohorts/{running.world.spring.id}/rubric", data={"criteria": "Depth | deep | 5"}
    )

    def drive(page: Page) -> None:
        give_voice(page, is_local=True)
        page.reload()
        tab_to(page, "button[data-say]")
        page.keyboard.press("Enter")
        assert page.evaluate("[said[0].text, said[0].lang]") == [f"{TEXT}!", "en_US"]
        page.evaluate("said[0].onend()")
        assert page.get_attribute("[data-say]", "aria-pressed") is None
        page.focus("body")
        tab_to(page, ".word")
        for key in ("ArrowRight", "ArrowRight", "Shift+ArrowRight"):
            page.keyboard.press(key)
        page.keyboard.press("c")
        page.keyboard.type("Say how it pages.")
        page.keyboard.press("Tab")
        page.keyboard.type("Dr. Who")
        page.keyboard.press("Enter")
        comes(page, ".review-comment")
        assert "You are writing as Dr. Who" in page.inner_text("#comment-form")
        assert page.locator(".word.commented").all_inner_texts() == ["paged", "attention"]

        page.keyboard.press("j")
        assert page.locator(".word.chosen").all_inner_texts() == ["paged", "attention"]
        page.keyboard.press("r")
        page.keyboard.type("Or what it saves.")
        page.keyboard.press("Control+Enter")
        comes(page, ".review-answer")

        listen(page)
        page.keyboard.press("c")
        page.keyboard.type("Slower here")
        page.keyboard.press("Control+Enter")
        comes(page, "[data-moment]")

        tab_to(page, "input[name=score]")
        page.keyboard.type("4")
        page.keyboard.press("Enter")
        comes(page, "#rubric table")
        tab_to(page, ".did-say summary")
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        page.keyboard.type("heard otherwise")
        page.keyboard.press("Enter")
        comes(page, "text=corrected by Dr. Who")

    by_link(running, drive)
    written = running.document()
    assert [each["kind"] for each in written["comments"]] == ["span", "answer", "moment"]
    assert (written["comments"][0]["word_from"], written["comments"][0]["word_to"]) == (2, 3)
    assert written["comments"][1]["parent"] == written["comments"][0]["external_id"]
    assert [each["score"] for each in written["scores"]] == [4]
    assert [each["note"] for each in written["corrections"]] == ["heard otherwise"]
    authors = {
        each["author"] for part in ("comments", "scores", "corrections") for each in written[part]
    }
    assert authors == {"Dr. Who"}


def test_what_a_guest_wrote_stands_where_it_was_when_it_cannot_be_kept(running: Running) -> None:
    def drive(page: Page) -> None:
        tab_to(page, ".word")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("c")
        page.keyboard.type("Slower")
        page.keyboard.press("Tab")
        page.keyboard.type(" ")  # something, and no name
        page.keyboard.press("Enter")
        comes(page, "[role=alert]")
        assert page.input_value("#comment-text") == "Slower"
        assert page.locator(".word.chosen").all_inner_texts() == ["use"]
        assert page.inner_text("[data-place]") == "on “use”"
        page.fill("#signed", "Dr. Who")
        page.keyboard.press("Enter")
        comes(page, ".review-comment")

    by_link(running, drive)
    (comment,) = running.document()["comments"]
    assert (comment["kind"], comment["word_from"]) == ("word", 1)
