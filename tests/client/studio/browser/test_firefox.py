"""The whole way in Firefox: from an empty folder to the first report, a drill and the progress."""

from pathlib import Path

from client.audio.files import read_audio
from client.audio.wav import write_wav
from client.data import demo
from tests.client.studio.conftest import Serve
from tests.firefox import FirefoxPage, firefox
from tests.pulseaudio import PulseAudio

SPOKEN_S = 8.0


def on_page(page: FirefoxPage, path: str) -> None:
    """Wait until a page is there and its scripts listen."""
    page.wait_for(f"location.pathname.startsWith('{path}') && document.readyState === 'complete'")


def in_state(page: FirefoxPage, *states: str) -> None:
    wanted = ",".join(f'.recorder[data-state="{state}"]' for state in states)
    page.wait_for(f"document.querySelector('{wanted}') !== null")


def test_the_whole_way_in_firefox(serve: Serve, pulseaudio: PulseAudio, tmp_path: Path) -> None:
    spoken = tmp_path / "answer.wav"
    write_wav(read_audio(demo.AUDIO).slice(0.0, SPOKEN_S), spoken)
    running = serve()
    with pulseaudio.room_noise(tmp_path), firefox(pulseaudio.environment) as page:
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
            wide = page.evaluate("document.documentElement.scrollWidth")
            assert wide <= width_px
