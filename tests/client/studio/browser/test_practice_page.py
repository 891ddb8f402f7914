"""Practicing in a real browser with a microphone, from the question to the report."""

import os
import re
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from client.answer.journal import Journal
from client.audio.files import read_audio
from client.core.settings import ClientSettings
from client.data import demo
from client.data.demo import AUDIO
from client.engines.engine_process import EngineProcess
from tests.client.studio.conftest import NewPage, Serve
from tests.worlds.studio_parts import ScriptedTranscriber
from tests.worlds.studio_process import studio_process

PAGE = f"/practice/{demo.QUESTION_ID}"

SPEECH_WITHIN_S = 4
"""By then the spoken answer below has begun, also on a busy machine."""


@pytest.fixture(scope="session")
def answer_sound(microphone_sound: Callable[..., Path]) -> Path:
    """The spoken answer that comes with Aloud."""
    return microphone_sound(demo.AUDIO, before_s=1.0, after_s=20.0)


def wait_state(page: Any, *states: str, timeout_s: float = 60) -> None:
    wanted = ", ".join(f'.recorder[data-state="{state}"]' for state in states)
    page.wait_for_selector(wanted, timeout=1000 * timeout_s)


def wait_recorded(page: Any, seconds: int) -> None:
    page.wait_for_function(
        """(wanted) => {
          const [minutes, seconds] = document.querySelector("[data-clock]").textContent.split(":");
          return 60 * Number(minutes) + Number(seconds) >= wanted;
        }""",
        arg=seconds,
        timeout=60_000,
    )


def open_ready(page: Any, url: str) -> None:
    page.goto(url)
    wait_state(page, "ready", "asking", "preparing")


def start(page: Any) -> None:
    page.keyboard.press("Space")
    wait_state(page, "recording")


def discard(page: Any) -> None:
    """By the keyboard, whether the page asks first (after 5 s, so on a slow machine) or not."""
    page.keyboard.press("Escape")
    page.wait_for_selector('dialog[open], .recorder[data-state="ready"]')
    if page.locator("dialog[open]").count():
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
    wait_state(page, "ready")


def left(settings: ClientSettings) -> int:
    return len(Journal.of(settings).unfinished())


def test_record_cannot_be_pressed_before_the_page_listens(serve: Serve, new_page: NewPage) -> None:
    page = new_page()
    held: list[Any] = []
    page.route("**/static/practice.js", lambda route: held.append(route))
    page.goto(serve().url + PAGE, wait_until="commit")
    page.wait_for_selector(".recorder[inert]")
    while not held:
        page.wait_for_timeout(50)
    held[0].continue_()
    page.wait_for_selector(".recorder:not([inert])")
    page.get_by_role("button", name="Record").click()
    wait_state(page, "recording")
    discard(page)


@pytest.mark.slow
def test_a_spoken_answer_becomes_a_report_with_the_right_phrases_covered(
    serve: Serve, new_page: NewPage, microphone_sound: Callable[..., Path], settings: ClientSettings
) -> None:
    """The demo's first eight seconds, by the real engine, which is killed in the middle."""
    spoken = read_audio(demo.AUDIO).slice(0.0, 8.5)
    engine = EngineProcess("faster-whisper", "tiny.en")
    running = serve(engine)
    page = new_page(sound=microphone_sound(spoken, before_s=1.0, after_s=30.0))
    open_ready(page, running.url + PAGE)

    start(page)
    wait_recorded(page, 11)
    page.wait_for_function(
        "() => document.querySelector('[data-captions]').textContent.length > 20", timeout=120_000
    )
    assert engine.pid is not None
    os.kill(engine.pid, signal.SIGKILL)
    page.keyboard.press("Space")
    page.wait_for_url("**/attempts/*", timeout=120_000)

    attempt = running.studio.backend.attempt(int(page.url.rsplit("/", 1)[1]))
    covered = {each.phrase for each in attempt.report.coverage.phrases if each.status == "covered"}
    assert covered == {"remote direct memory access"}
    kept = running.studio.recordings.path_of(attempt.submission.submission_id)
    recorded_s = read_audio(kept).duration_s
    assert recorded_s == pytest.approx(attempt.submission.transcript.duration_s, abs=1e-3)
    assert recorded_s >= 10
    assert left(settings) == 0


def test_the_keyboard_alone_pauses_discards_and_retries(
    serve: Serve, new_page: NewPage, answer_sound: Path, settings: ClientSettings
) -> None:
    page = new_page(sound=answer_sound)
    open_ready(page, serve().url + PAGE)
    page.wait_for_selector(".recorder")

    start(page)
    wait_recorded(page, 1)
    page.keyboard.press("p")
    wait_state(page, "paused")
    before = page.text_content("[data-clock]")
    page.wait_for_timeout(1500)
    assert page.text_content("[data-clock]") == before
    page.keyboard.press("p")
    wait_state(page, "recording")

    discard(page)
    page.locator("[data-status]", has_text="Discarded").wait_for()
    assert list(settings.recordings.iterdir()) == []

    page.keyboard.press("r")
    wait_state(page, "recording")
    wait_recorded(page, 6)
    page.keyboard.press("Escape")  # longer than 5 s: asked first
    page.wait_for_selector("dialog[open]")
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog", state="detached")
    wait_state(page, "recording")
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog[open]")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    wait_state(page, "ready")
    assert list(settings.recordings.iterdir()) == []

    page.keyboard.press("r")
    wait_state(page, "recording")
    wait_recorded(page, SPEECH_WITHIN_S)
    page.keyboard.press("Space")
    page.wait_for_url("**/attempts/*")


def test_keys_are_not_taken_from_who_needs_them(
    serve: Serve, new_page: NewPage, answer_sound: Path
) -> None:
    page = new_page(sound=answer_sound)
    open_ready(page, serve().url + PAGE)

    page.focus("#preparation")
    page.keyboard.press("r")
    page.keyboard.press("Control+p")
    page.keyboard.press("n")
    page.wait_for_timeout(500)

    assert page.get_attribute(".recorder", "data-state") in ("ready", "asking", "preparing")
    assert page.url.endswith(PAGE)


def test_recording_begins_by_itself_after_the_time_to_think(
    serve: Serve, new_page: NewPage, answer_sound: Path
) -> None:
    page = new_page(sound=answer_sound)
    url = serve().url + PAGE
    page.goto(url)
    with page.expect_response("**/settings/thinking_s"):
        page.select_option("#preparation", "10")
    page.reload()
    assert page.input_value("#preparation") == "10"  # remembered

    page.click("button:has-text('Hear the question')")
    wait_state(page, "preparing")
    wait_state(page, "recording")
    discard(page)


def test_a_reload_in_the_middle_leaves_a_recording_to_finish(
    serve: Serve, new_page: NewPage, answer_sound: Path, settings: ClientSettings
) -> None:
    page = new_page(sound=answer_sound)
    running = serve()
    open_ready(page, running.url + PAGE)
    start(page)
    wait_recorded(page, 2)

    warned: list[str] = []

    def leave(dialog: Any) -> None:
        warned.append(dialog.type)
        dialog.accept()

    page.on("dialog", leave)
    page.reload()
    assert warned == ["beforeunload"]
    notice = page.locator("[data-take]")
    notice.wait_for()
    assert "the page was closed" in notice.inner_text()
    assert re.search(r"A recording of 0:\d\d", notice.inner_text())
    notice.get_by_role("button", name="Finish").click()
    page.wait_for_url("**/attempts/*")

    assert running.studio.backend.history().total == 1
    assert left(settings) == 0


def test_an_answer_without_speech_says_so_and_can_be_retried(
    serve: Serve, new_page: NewPage, answer_sound: Path
) -> None:
    from client.core.errors import NoSpeech

    page = new_page(sound=answer_sound)
    engine = ScriptedTranscriber(failure=NoSpeech("no speech detected: only noise"))
    open_ready(page, serve(engine).url + PAGE)
    start(page)
    wait_recorded(page, SPEECH_WITHIN_S)
    page.keyboard.press("Space")
    wait_state(page, "problem")

    assert "No speech detected: only noise" in page.inner_text("[data-problem]")
    page.locator("[data-take]").wait_for()
    page.click("[data-take] >> text=Discard")
    page.click("dialog button:has-text('Discard')")
    page.locator("[data-take]").wait_for(state="detached")
    engine.failure = None
    page.keyboard.press("r")
    wait_state(page, "recording")
    wait_recorded(page, SPEECH_WITHIN_S)
    page.keyboard.press("Space")
    page.wait_for_url("**/attempts/*")


def test_a_killed_studio_loses_nothing_and_the_next_one_finishes_it(
    new_page: NewPage, answer_sound: Path, settings: ClientSettings
) -> None:
    page = new_page(sound=answer_sound)
    with studio_process(settings.home) as (process, url):
        open_ready(page, url + PAGE)
        start(page)
        wait_recorded(page, 3)
        process.send_signal(signal.SIGKILL)
        process.wait()
        wait_state(page, "problem")
        assert "connection to Aloud was lost" in page.inner_text("[data-problem]")
        assert "is kept" in page.inner_text("[data-problem]")
    (take,) = Journal.of(settings).unfinished()
    assert take.duration_s > 2.5

    with studio_process(settings.home, int(url.rsplit(":", 1)[1])):
        deadline = time.monotonic() + 120
        offered = page.locator(".recorder [data-take]")  # in place, without a reload
        offered.wait_for()
        offered.get_by_role("button", name="Finish").click()
        page.wait_for_url("**/attempts/*")
        while left(settings):
            assert time.monotonic() < deadline
            time.sleep(0.1)


def test_the_connection_can_be_lost_while_the_studio_stays(
    serve: Serve, new_page: NewPage, answer_sound: Path, settings: ClientSettings
) -> None:
    page = new_page(sound=answer_sound)
    page.add_init_script(
        """const Real = WebSocket;
        window.WebSocket = class extends Real {
          constructor(...given) { super(...given); window.lastSocket = this; }
        };"""
    )
    open_ready(page, serve().url + PAGE)
    start(page)
    wait_recorded(page, 1)

    page.evaluate("lastSocket.close()")
    wait_state(page, "problem")

    page.locator("[data-take]").wait_for()
    assert left(settings) == 1


def test_a_file_becomes_a_report(serve: Serve, new_page: NewPage) -> None:
    page = new_page()
    page.goto(serve().url + PAGE)
    page.get_by_text("Bring an answer").click()
    page.set_input_files("#file", AUDIO)
    page.get_by_role("button", name="Transcribe and grade it").click()
    page.wait_for_url("**/attempts/*")


def test_on_a_phone_record_stays_in_view_and_no_key_is_shown(
    serve: Serve, new_page: NewPage
) -> None:
    page = new_page(viewport={"width": 390, "height": 800}, has_touch=True, is_mobile=True)
    page.goto(serve().url + PAGE)
    page.wait_for_selector(".recorder")
    page.evaluate("document.querySelectorAll('.notice').forEach((each) => (each.hidden = false))")
    box = page.locator("[data-primary]").bounding_box()
    assert box is not None
    assert box["height"] >= 24
    assert box["y"] >= 0 and box["y"] + box["height"] <= 800
    assert page.locator(".kbd:visible").count() == 0

    page.reload()
    hint = page.locator("[data-hint]")
    hint.wait_for()  # nothing was clicked, so that the browser plays nothing
    told, record = hint.bounding_box(), page.locator("[data-primary]").bounding_box()
    assert told["y"] + told["height"] <= record["y"]


def test_two_clicks_lead_to_the_first_question_and_four_to_the_first_report(
    serve: Serve, new_page: NewPage, answer_sound: Path
) -> None:
    page = new_page(sound=answer_sound)
    page.add_init_script(
        "addEventListener('click', () => {"
        " sessionStorage.clicks = 1 + Number(sessionStorage.clicks ?? 0); }, true)"
    )
    page.goto(serve().url)
    page.get_by_role("link", name="Answer it").click()
    page.wait_for_url("**/practice/*")
    page.wait_for_load_state()  # a click before the page's script runs would be lost
    wait_state(page, "ready", "asking")
    assert page.evaluate("Number(sessionStorage.clicks)") <= 2
    page.click("[data-primary]")
    wait_recorded(page, 6)
    page.click("[data-primary]")
    page.wait_for_url("**/attempts/*")
    assert "Your first report" in page.inner_text("main")
    assert 0 < page.evaluate("Number(sessionStorage.clicks)") <= 4
    page.set_viewport_size({"width": 390, "height": 800})
    score = page.locator("#summary .value").first
    assert score.evaluate("e => e.getBoundingClientRect().bottom + scrollY") < 800, (
        "the score first"
    )
    assert not page.get_by_text("Colors and lines in").is_visible(), "folded, below the score"
    assert page.get_by_role("link", name="answer the question once more").is_visible()
