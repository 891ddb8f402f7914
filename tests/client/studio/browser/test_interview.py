"""A mock interview in real Chromium: real recording, a scripted engine, a clock set short."""

import re
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from client.audio.files import read_audio
from client.core.settings import ClientSettings
from client.data.demo import AUDIO
from client.practice.interviews import Interviews
from client.studio.state.studio import Studio
from tests.client.studio.conftest import NewPage, Serve
from tests.client.studio.test_interview import planted
from tests.worlds.studio_answering import wait_for
from tests.worlds.studio_parts import RunningStudio, ScriptedTranscriber
from tests.worlds.studio_process import studio_process

PATIENCE_MS = 60_000
"""A busy machine needs a while to open a microphone, and the engine to load."""

READY = "[data-recorder][data-state=ready], [data-recorder][data-state=asking]"


@pytest.fixture
def speech(microphone_sound: Callable[..., Path]) -> Path:
    """A microphone into which somebody speaks for half a minute."""
    return microphone_sound(read_audio(AUDIO).slice(0, 30))


def speak(page: Any) -> None:
    """Begin to answer by keyboard, and wait until a few seconds are recorded."""
    page.wait_for_selector(READY)
    page.keyboard.press("Space")
    page.wait_for_selector("[data-recorder][data-state=recording]")
    page.locator("[data-clock]", has_text=re.compile("0:0[3-9]|0:[1-9]")).wait_for()


def answer(page: Any) -> None:
    """Answer the question that is up."""
    speak(page)
    page.keyboard.press("Space")


def wait_for_question(page: Any, number: int) -> None:
    page.get_by_text(f"Question {number} of about").wait_for()
    page.wait_for_selector(READY)


def begun(
    serve: Serve, questions: int, left_s: float, gate: threading.Event | None = None
) -> tuple[RunningStudio, str]:
    running = serve(ScriptedTranscriber(gate=gate))
    record = planted(running.studio, questions, left_s=left_s)
    return running, f"{running.url}/interview/{record.id}"


def leave_s(studio: Studio, url: str, left_s: float) -> None:
    """Have so much time left, from now."""
    update = {"spent_s": 600 - left_s, "seen_at": None}
    Interviews.of(studio.settings).change(
        url.rpartition("/")[2], lambda record: record.model_copy(update=update)
    )


def prompts(studio: Studio, url: str) -> list[str]:
    record = Interviews.of(studio.settings).get(url.rpartition("/")[2])
    return [each.prompt for each in record.questions]


def test_an_interview_from_the_choice_to_the_report_by_keyboard(
    serve: Serve, new_page: NewPage, speech: Path
) -> None:
    page = new_page(speech)
    page.set_default_timeout(PATIENCE_MS)
    page.goto(f"{serve().url}/interview?role=ml-platform-engineer&round=domain-deep-dive")
    page.get_by_label("10 minutes, for practice").check()
    page.get_by_label("ask up to two more questions").uncheck()
    page.get_by_role("button", name="Start the interview").press("Enter")
    wait_for_question(page, 1)
    assert re.fullmatch(r"9:\d\d|10:00", page.locator("[data-left]").inner_text())
    address = page.url
    page.evaluate("scrollTo(0, 200)")
    answer(page)
    wait_for_question(page, 2)
    page.wait_for_function("scrollY === 0")  # the clock and the question are in view
    page.keyboard.press("s")
    page.locator("dialog").get_by_role("button", name="Skip").press("Enter")
    wait_for_question(page, 3)
    assert page.url == address, "no page in between"
    page.get_by_role("button", name="End the interview now").press("Enter")
    page.get_by_role("button", name="End it").press("Enter")
    page.wait_for_url("**/report")
    page.get_by_text("still being transcribed").wait_for(state="detached")
    # the page loads itself once more when the last answer is transcribed
    page.locator(".figure-number", has_text=re.compile(r"Answered\s*1\s+of\s+3")).wait_for()
    page.get_by_text("cut off by the end").wait_for()
    page.locator("#question-1 a").first.click()
    page.wait_for_url("**/attempts/1")


def test_the_engine_and_other_tabs_are_behind_and_the_last_answer_is_finished(
    serve: Serve, new_page: NewPage, speech: Path
) -> None:
    gate = threading.Event()
    running, url = begun(serve, 2, left_s=590, gate=gate)
    first, second = prompts(running.studio, url)
    page = new_page(speech, color_scheme="dark", viewport={"width": 360, "height": 740})
    page.set_default_timeout(PATIENCE_MS)
    page.goto(url)
    wait_for_question(page, 1)
    assert page.locator("#prompt").inner_text() == first
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    other = new_page(context=page.context)
    fetched: list[str] = []
    other.on("request", lambda request: fetched.append(request.url))
    other.goto(url)
    wait_for_question(other, 1)
    other.get_by_text("Another tab asks the questions").wait_for()
    answer(page)
    wait_for_question(page, 2)  # the engine still works on the first answer
    assert page.locator("#prompt").inner_text() == second
    wait_for_question(other, 2)
    other.get_by_text("Another tab asks the questions").wait_for()
    assert not [each for each in fetched if "/sound/" in each], "only one tab speaks"
    other.close()
    leave_s(running.studio, url, 10)
    page.keyboard.press("Space")
    told = page.get_by_text("Time is up. Finish this answer")
    told.wait_for()
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    box, button = told.bounding_box(), page.locator("[data-primary]").bounding_box()
    assert 0 < box["y"] < box["y"] + box["height"] <= button["y"] < 740, "in view beside Record"
    page.wait_for_selector("[data-recorder][data-state=recording]")
    page.keyboard.press("Space")
    page.wait_for_url("**/report")
    page.get_by_text("2 answers are still being transcribed").wait_for()
    gate.set()
    page.get_by_text("still being transcribed").wait_for(state="detached")
    assert "2" in page.locator(".figure-number", has_text="answered").inner_text()
    assert running.studio.backend.history().total == 2
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_a_reload_in_mid_answer_goes_on_with_what_was_said(
    serve: Serve, new_page: NewPage, speech: Path
) -> None:
    running, url = begun(serve, 2, left_s=500)
    page = new_page(speech)
    page.set_default_timeout(PATIENCE_MS)
    page.goto(url)
    wait_for_question(page, 1)
    speak(page)
    page.on("dialog", lambda dialog: dialog.accept())
    page.reload()
    kept = re.compile(r"Your answer of 0:\d\d .* was interrupted; it is kept")
    page.get_by_text(kept).wait_for()
    other = new_page(context=page.context)
    other.goto(url)
    other.get_by_text(kept).wait_for()
    page.get_by_role("button", name="Use it as the answer").press("Enter")
    wait_for_question(page, 2)
    wait_for_question(other, 2)
    wait_for(lambda: running.studio.backend.history().total == 1)


def test_the_clock_stops_at_once_when_the_page_is_left(serve: Serve, new_page: NewPage) -> None:
    running, url = begun(serve, 2, left_s=590)
    interviews = Interviews.of(running.studio.settings)
    page = new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.goto(url)
    wait_for(lambda: interviews.get(url.rpartition("/")[2]).seen_at is not None)
    page.goto(f"{running.url}/plan")
    wait_for(lambda: interviews.get(url.rpartition("/")[2]).seen_at is None)


def test_a_killed_studio_is_waited_for_and_the_interview_goes_on_where_it_was(
    new_page: NewPage, speech: Path, settings: ClientSettings
) -> None:
    page = new_page(speech)
    page.set_default_timeout(PATIENCE_MS)
    with studio_process(settings.home) as (process, url):
        page.goto(f"{url}/interview?role=ml-platform-engineer&round=domain-deep-dive")
        page.get_by_label("ask up to two more questions").uncheck()
        page.get_by_role("button", name="Start the interview").press("Enter")
        speak(page)
        process.send_signal(signal.SIGKILL)
        process.wait()
        page.get_by_text("What you said is kept").wait_for()
        page.wait_for_timeout(1000)
        assert page.locator("[data-left]").inner_text() < "9:59", "the clock stands where it was"
        box = page.locator("[data-problem]").bounding_box()
        assert box["y"] + box["height"] <= page.locator("[data-primary]").bounding_box()["y"]
    with studio_process(settings.home, int(url.rsplit(":", 1)[1])):
        page.get_by_text(re.compile(r"Your answer of 0:\d\d .* was interrupted")).wait_for()
        page.get_by_role("button", name="Use it as the answer").press("Enter")
        wait_for_question(page, 2)
        answer(page)
        wait_for_question(page, 3)
        speak(page)
        page.get_by_role("button", name="End the interview now").press("Enter")
        page.get_by_role("button", name="Count it and end").press("Enter")
        page.wait_for_url("**/report")
        page.get_by_text("still being transcribed").wait_for(state="detached")
        page.locator(".figure-number", has_text=re.compile(r"Answered\s*3\s+of\s+3")).wait_for()


def test_when_the_time_is_over_nothing_more_is_asked(serve: Serve, new_page: NewPage) -> None:
    _, url = begun(serve, 2, left_s=-5)
    page = new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.goto(url)
    page.get_by_role("heading", name="Time is up").wait_for()
    assert page.get_by_role("button", name=re.compile("^Answer")).count() == 0
    page.get_by_role("button", name="See the report").press("Enter")
    page.wait_for_url("**/report")
    page.get_by_text("cut off by the end").wait_for()
