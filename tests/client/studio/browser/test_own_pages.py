"""Own questions, stories and a plan in a real browser, as a candidate with a posting uses them."""

import re
import time
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from client.data import demo
from tests.client.studio.conftest import NewPage, Serve
from tests.worlds.studio_parts import ScriptedTranscriber

POSTING = Path(__file__).parents[3] / "data" / "postings" / "sre.md"
VIEWS = [(1280, "light"), (390, "dark")]
TOLD = (
    "Last spring our billing went down for two hours. I had to get it back before shops opened. "
    "I found a full disk and moved the log away. In the end error rates fell by 36 percent, and "
    "I learned to watch the disks."
)


class Walk:
    """Somebody who clicks through the studio; counts the clicks and the seconds."""

    def __init__(self, page: Any, width: int) -> None:
        self.page, self._width = page, width
        self.clicks, self._began_s = 0, time.monotonic()

    @property
    def took_s(self) -> float:
        return time.monotonic() - self._began_s

    def click(self, role: str, name: str | re.Pattern[str]) -> None:
        self.page.get_by_role(role, name=name).first.click()
        self.clicks += 1

    def fits(self) -> None:
        assert self.page.evaluate("document.documentElement.scrollWidth") <= self._width


@pytest.fixture
def walk(serve: Serve, new_page: NewPage) -> Callable[..., Walk]:
    def begin(width: int, scheme: str, **served: Any) -> Walk:
        sound = served.pop("sound", None)
        page = new_page(sound, viewport={"width": width, "height": 800}, color_scheme=scheme)
        made = Walk(page, width)
        page.goto(serve(**served).url)
        return made

    return begin


@pytest.mark.parametrize(("width", "scheme"), VIEWS)
def test_from_a_posting_and_12_days_to_todays_plan_in_six_clicks_and_two_minutes(
    walk: Callable[..., Walk], width: int, scheme: str
) -> None:
    by = walk(width, scheme)
    by.click("link", "Questions")
    by.click("link", "Your own questions")
    by.page.set_input_files("#file", POSTING)
    by.clicks += 1
    by.click("button", "Read it")
    by.click("link", "plan for it")
    by.page.get_by_label("Day of the interview").fill(str(date.today() + timedelta(days=12)))
    by.click("button", "Make my plan")
    by.page.get_by_role("heading", name=re.compile("Today: 1[0-9] minutes")).wait_for()
    assert by.page.get_by_text("Interview in 12 days").is_visible()
    by.fits()
    assert by.clicks <= 6
    assert by.took_s < 120


@pytest.mark.parametrize(("width", "scheme"), VIEWS)
def test_three_questions_of_ones_own_from_a_posting_in_three_minutes(
    walk: Callable[..., Walk], width: int, scheme: str
) -> None:
    by = walk(width, scheme)
    by.click("link", "Questions")
    by.click("link", "Your own questions")
    by.page.set_input_files("#file", POSTING)
    by.click("button", "Read it")
    by.page.wait_for_selector("#gaps")
    by.fits()
    for number in (0, 2, 3):
        by.page.check(f"input[name='{number}-keep']")
    by.page.fill("textarea[name='0-prompt'], input[name='0-prompt']", "How much headroom?")
    by.click("button", "Keep the ticked questions")
    by.page.wait_for_selector("text=3 questions kept")
    by.fits()
    by.click("link", "How much headroom?")
    by.page.wait_for_url("**/practice/own-how-much-headroom")
    assert by.took_s < 180


@pytest.mark.realtime
@pytest.mark.parametrize(("width", "scheme"), VIEWS)
def test_a_story_is_told_kept_and_found_again_in_two_minutes(
    walk: Callable[..., Walk], width: int, scheme: str, microphone_sound: Callable[..., Path]
) -> None:
    sound = microphone_sound(demo.AUDIO, before_s=1.0, after_s=20.0)
    by = walk(width, scheme, sound=sound, transcriber=ScriptedTranscriber(TOLD))
    by.click("link", "Stories")
    by.page.fill("#title", "The billing outage")
    by.click("button", "Tell it now")
    by.page.wait_for_selector(".recorder:not([inert])")
    by.page.keyboard.press("Space")
    by.page.wait_for_selector('.recorder[data-state="recording"]')
    by.page.wait_for_timeout(6000)
    by.page.keyboard.press("Space")
    by.page.wait_for_url("**/attempts/*", timeout=60_000)
    by.click("link", "Stories")
    assert "told" in by.page.inner_text(".list-row")
    by.click("link", "The billing outage")
    by.page.get_by_role("heading", name="Its parts, in your words").wait_for()
    by.fits()
    by.click("button", "Write them down below")
    assert "36 percent" in by.page.input_value("#result")
    assert by.took_s < 120


@pytest.mark.parametrize(("width", "scheme"), VIEWS)
def test_a_story_is_written_and_its_weak_part_named(
    serve: Serve, new_page: NewPage, width: int, scheme: str
) -> None:
    studio = serve()
    page = new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
    page.goto(f"{studio.url}/stories")
    page.fill("#title", "The billing outage")
    page.click("text=Write it")
    page.fill("#result", "Our error rate fell by 36 percent.")
    page.check("text=failure")
    page.click("text=Save")
    page.wait_for_selector("text=The weak part is the situation")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.goto(f"{studio.url}/stories")
    assert "failure" not in page.inner_text(".notice")
