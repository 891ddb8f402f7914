"""A drill in real Chromium, with the real hearing and a microphone that says given phones."""

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from client.audio.files import read_audio
from client.backend.protocol import Backend
from client.core.settings import ClientSettings
from client.practice.drills.own_items import OwnItem, write_own_items
from pronunciation.terms import Mistake
from tests.client.practice.drills.conftest import RIGHT, WRONG
from tests.client.studio.conftest import NewPage, Serve

ROCE = OwnItem(
    id="own-roce",
    term="RoCE",
    prompt="RoCE",
    say="ROCK-ee",
    readings=(RIGHT,),
    mistakes=(Mistake(phones=WRONG, tip="Two syllables, like the boxer Rocky."),),
    sentence="We run RoCE on the <b>leaf</b> switches.",
)
PATIENCE_MS = 60_000
"""The hearing loads its model, and a busy machine needs a while to open a microphone."""


@pytest.fixture
def said(tmp_path: Path, microphone_sound: Callable[..., Path]) -> Callable[[str, str], Path]:
    """A file for the microphone in which a voice says these phones."""
    if shutil.which("flite") is None:
        pytest.skip("no flite to speak given phones: apt install flite")

    def make(phones: str, voice: str) -> Path:
        path = tmp_path / "said.wav"
        named = " ".join(phone.lower().rstrip("02") for phone in phones.split())
        command = ["flite", "-voice", voice, "-p", f"pau {named} pau", "-o", str(path)]
        subprocess.run(command, check=True)
        return microphone_sound(read_audio(path), before_s=0.5)

    return make


def open_drill(page: Any, url: str) -> None:
    page.goto(f"{url}/drills/own")
    page.wait_for_selector("[data-drill][data-state=ready]")
    assert page.locator("#term").inner_text() == "RoCE"
    assert page.get_by_text("We run RoCE on the <b>leaf</b> switches.").is_visible()
    assert page.get_by_text("1 of 1").is_visible()


def say(page: Any) -> str:
    """Press Space and say nothing more to the page: the silence after the term ends the take."""
    page.keyboard.press("Space")
    page.wait_for_selector("[data-drill][data-state=verdict]")
    return str(page.locator("[data-outcome]").inner_text())


def verdicts(backend: Backend) -> list[tuple[str, str]]:
    return [(each.verdict, each.phones) for each in backend.export_all().drill_reviews]


def test_a_wrong_take_shows_both_readings_and_comes_back(
    serve: Serve, new_page: NewPage, said: Callable[[str, str], Path], settings: ClientSettings
) -> None:
    write_own_items(settings.own_drills, [ROCE])
    running = serve()
    page = new_page(said(WRONG, "slt"))
    page.set_default_timeout(PATIENCE_MS)
    open_drill(page, running.url)
    page.get_by_text("All ways to say it").click()
    assert page.locator("[data-ways-right]").inner_text().split()[-2:] == ["ROCK-ee", "/ˈɹɑki/"]
    wrong = page.locator("[data-ways-wrong] li")
    assert "Two syllables, like the boxer Rocky." in wrong.inner_text()
    with page.expect_response("**/sound/reading?*"):
        wrong.get_by_role("button").click()
    page.evaluate("document.activeElement.blur()")  # a button that has the focus keeps Space
    assert re.match(r"✗\s+Mispronounced", say(page))
    assert page.locator("[data-heard-say]").inner_text() == "ROHSS"
    assert page.locator("[data-expected-say]").inner_text() == "ROCK-ee"
    assert page.locator("[data-expected-ipa]").inner_text() == "/ˈɹɑki/"
    assert page.locator("[data-tip]").inner_text() == "Two syllables, like the boxer Rocky."
    assert page.get_by_text("Comes again in this drill.").is_visible()
    assert verdicts(running.studio.backend) == [("mispronounced", WRONG)]
    page.keyboard.press("o")
    with page.expect_response("**/sound/drill/own-roce"):
        page.keyboard.press("m")
    assert page.evaluate("document.activeElement.dataset.next") is not None
    page.keyboard.press("Enter")
    page.wait_for_selector("[data-drill][data-state=ready]")
    assert page.get_by_text("you missed this one a moment ago").is_visible()
    page.keyboard.press("s")
    page.wait_for_selector("[data-over]:not([hidden])")
    assert page.get_by_text("0 of 1 right.").is_visible()
    assert "to work on" in page.locator("[data-results]").inner_text()
    assert page.evaluate("document.activeElement.textContent") == "Continue"


def test_a_right_take_ends_the_drill(
    serve: Serve, new_page: NewPage, said: Callable[[str, str], Path], settings: ClientSettings
) -> None:
    write_own_items(settings.own_drills, [ROCE])
    running = serve()
    page = new_page(said(RIGHT, "awb"), color_scheme="dark", viewport={"width": 360, "height": 700})
    page.set_default_timeout(PATIENCE_MS)
    open_drill(page, running.url)
    assert re.match(r"✓\s+Said right", say(page))
    assert page.get_by_text(re.compile(r"Comes again in \d+ days|tomorrow")).is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.keyboard.press("Enter")
    page.wait_for_selector("[data-over]:not([hidden])")
    assert page.get_by_text("1 of 1 right.").is_visible()
    assert verdicts(running.studio.backend) == [("correct", RIGHT)]


def test_a_drill_lost_in_a_restart_is_told_on_the_page(
    serve: Serve, new_page: NewPage, settings: ClientSettings
) -> None:
    running = serve()
    page = new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.goto(f"{running.url}/drills/all?items=5")
    page.wait_for_selector("[data-drill][data-state=ready]")
    page.route("**/skip?*", lambda route: route.fulfill(
        status=404, content_type="application/json", body='{"title": "x", "detail": "gone <i>"}'
    ))  # fmt: skip
    page.locator("[data-skip]").press("Enter")  # a card drawn late takes the focus
    page.get_by_role("alert").get_by_text("gone <i>").wait_for()
    page.get_by_role("link", name="Start again").click()
    page.wait_for_selector("[data-drill][data-state=ready]")
    assert page.get_by_text("1 of 5").is_visible()
