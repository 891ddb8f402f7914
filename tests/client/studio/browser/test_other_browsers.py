"""The whole way in Firefox and WebKit: from an empty folder to a report, a drill and progress."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from client.audio.files import read_audio
from client.audio.wav import write_wav
from client.data import demo
from tests.client.studio.conftest import Serve
from tests.worlds.browser_page import Page
from tests.worlds.firefox import firefox
from tests.worlds.pulseaudio import PulseAudio
from tests.worlds.webkit import webkit

pytestmark = pytest.mark.browser

SPOKEN_S = 8.0

Open = Callable[[Mapping[str, str]], AbstractContextManager[Page]]
"""Starts a browser in an environment."""
BROWSERS: tuple[Open, ...] = (firefox, webkit)


def on_page(page: Page, path: str) -> None:
    """Wait until a page is there and its scripts listen."""
    page.wait_for(f"location.pathname.startsWith('{path}') && document.readyState === 'complete'")


def in_state(page: Page, *states: str) -> None:
    wanted = ",".join(f'.recorder[data-state="{state}"]' for state in states)
    page.wait_for(f"document.querySelector('{wanted}') !== null")


@pytest.mark.parametrize("browser", BROWSERS, ids=lambda browser: browser.__name__)
def test_the_whole_way_in_other_browsers(
    browser: Open, serve: Serve, pulseaudio: PulseAudio, tmp_path: Path
) -> None:
    spoken = tmp_path / "answer.wav"
    write_wav(read_audio(demo.AUDIO).slice(0.0, SPOKEN_S), spoken)
    running = serve()
    with (
        pulseaudio.named_microphone(),
        pulseaudio.room_noise(tmp_path),
        browser(pulseaudio.environment) as page,
    ):
        page.goto(running.url + "/")
        page.click('main a.button[href="/microphone"]')
        on_page(page, "/microphone")
        page.click("[data-primary]")
        in_state(page, "preparing")
        page.click("[data-primary]")
        in_state(page, "recording")
        sentence = pulseaudio.play(spoken)
        page.wait_for_element("[data-result]")
        sentence.wait()
        page.click("[data-yes]")
        page.click("[data-ready] a.primary")

        on_page(page, "/practice/")
        in_state(page, "ready", "asking")
        page.click("[data-primary]")
        in_state(page, "recording")
        pulseaudio.play(spoken).wait()
        page.click("[data-primary]")
        on_page(page, "/attempts/")
        assert "Your first report" in page.text()
        assert "remote direct memory access" in page.text("#transcript")
        page.wait_for("document.querySelector('audio[data-recording]').duration > 5")

        page.goto(running.url + "/drills/acronyms?items=5")
        page.wait_for("document.querySelector('[data-drill][data-state=ready]') !== null")
        page.goto(running.url + "/progress")
        assert "1 answer" in page.text()
        for width_px in (390, 1280):
            page.resize(width_px, 800)
            # the window of WebKit is as wide as its own buttons at least, 450 px
            page.wait_for(f"Math.abs(innerWidth - {width_px}) < 100")
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
