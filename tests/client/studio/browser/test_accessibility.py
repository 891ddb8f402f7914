"""Every page of the studio by axe-core's rules, at 320 px, and with the keyboard alone.

A new page must be added to ``PAGES``: a test compares them with the studio's routes.
"""

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

import pytest

from client.audio.wav import write_wav
from client.core.settings import ClientSettings
from client.practice.drills.items import load_items
from client.practice.interviews import Interviews
from client.practice.progress import all_attempts, question_lines
from client.studio.app import create_pages
from pronunciation.clip import Clip
from pronunciation.lexicon_loader import load_lexicon
from tests.client.studio.conftest import NewPage, Serve
from tests.worlds.browser_looks import (
    RULES_OF_LOOKS,
    axe_findings,
    open_details,
    tabbing_problems,
    wider_than,
)
from tests.worlds.practiced import hold_interview, practice, practice_drills
from tests.worlds.studio_parts import RunningStudio, make_studio, tone

QUESTION: Final = "cloud-spot-or-on-demand"
PAGES: Final = {
    "/": "/",
    "/questions": "/questions?q=cloud",
    "/questions/own": "/questions/own",
    "/questions/own/new": "/questions/own/new",
    "/stories": "/stories",
    "/roles/{role_id}": "/roles/ml-infrastructure-engineer",
    "/practice/{question_id}": f"/practice/{QUESTION}",
    "/drills": "/drills",
    "/drills/{name}": "/drills/acronyms",
    "/history": "/history",
    "/progress": "/progress",
    "/plan": "/plan",
    "/attempts/{attempt_id}": "/attempts/{latest}",
    "/attempts/{attempt_id}/versions/{version}": "/attempts/{latest}/versions/1",
    "/attempts/{attempt_id}/compare/{other_id}": "/attempts/{latest}/compare/{earlier}",
    "/attempts/{attempt_id}/comments": "/attempts/{latest}/comments",
    "/attempts/{attempt_id}/share": "/attempts/{latest}/share",
    "/interview": "/interview",
    "/interview/{interview_id}": "/interview/{running}",
    "/interview/{interview_id}/report": "/interview/{ended}/report",
    "/microphone": "/microphone",
    "/settings": "/settings",
}
"""Each page's route with an address of it; ``latest`` and ``earlier`` answer one question."""

NO_PAGES: Final = {
    "/engine", "/repairs", "/practice", "/history/compare", "/history/export.{suffix}",
    "/history/export.zip", "/plan/aloud-plan.ics", "/drills/items.csv", "/takes", "/takes/{name}",
    "/takes/{name}/audio", "/attempts/{attempt_id}/audio", "/attempts/{attempt_id}/export.{suffix}",
    "/attempts/{attempt_id}/share/bundle", "/microphone/setup", "/interview/{interview_id}/state",
    "/interview/{interview_id}/follow-up", "/interview/{interview_id}/page",
    "/questions/own/file.yaml", "/questions/own/{question_id}", "/stories/file.md",
    "/stories/{story_id}", "/interview/{interview_id}/report.{suffix}",
}  # fmt: skip
"""What is read by scripts, leads elsewhere, or is a file; and one own question and story, which the
walk in ``test_own_pages.py`` opens."""

EMPTY_STATES: Final = ("/", "/history", "/progress", "/drills", "/interview")
VIEWS: Final = ((1280, "light", ()), (360, "dark", RULES_OF_LOOKS))
"""Contrast does not depend on the width, nor the layout on the colors: two views see all four."""
NARROWEST_PX: Final = 320
FOLDING: Final = (
    "/roles/ml-platform-engineer",
    "/plan",
    "/progress",
    "/attempts/{latest}",
    "/attempts/{latest}/versions/1",
    "/attempts/{latest}/compare/{earlier}",
    "/interview/{ended}/report",
)
SIZES: Final = """() => performance.getEntries()
  .filter((each) => each.entryType === "navigation" || each.entryType === "resource")
  .map((each) => [each.name, each.decodedBodySize])"""
LONGEST_PX: Final = 3_200
"""Four screens of a phone."""
REPORT_PX: Final = 2_600
"""The report of a long answer: score, what went well, what to work on, and the headings."""


@pytest.fixture(scope="module")
def practiced(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningStudio]:
    """A studio after weeks of practice."""
    settings = ClientSettings(home=tmp_path_factory.mktemp("practiced"))
    studio = make_studio(settings)
    now = datetime.now(UTC)
    lexicon = load_lexicon()
    roles = ["ml-infrastructure-engineer", "ai-infrastructure-architect"]
    practice(studio.backend, lexicon, until=now, roles=roles)
    practice_drills(studio.backend, load_items(settings), until=now)
    for minutes, answers in ((20, 3), (45, 1)):
        hold_interview(
            studio.backend, settings, lexicon, role=roles[0], minutes=minutes, answers=answers
        )
    settings.recordings.mkdir()
    for each in question_lines(all_attempts(studio.backend)):
        submission = studio.backend.attempt(each.latest.id).submission
        write_wav(Clip(tone(1.0)), studio.recordings.path_of(submission.submission_id))
    first = min(Interviews.of(settings).all().records, key=lambda record: record.started_at)
    Interviews.of(settings).end(first.id)
    running = RunningStudio(studio)
    yield running
    running.stop()


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningStudio]:
    """A studio that nobody has used."""
    running = RunningStudio(make_studio(ClientSettings(home=tmp_path_factory.mktemp("fresh"))))
    yield running
    running.stop()


def address(running: RunningStudio, path: str) -> str:
    """The address of a page, with the answers that are there now."""
    lines = question_lines(all_attempts(running.studio.backend))
    line = next(line for line in lines if line.answers > 1)
    interviews = Interviews.of(running.studio.settings).all().records
    return running.url + path.format(
        latest=line.latest.id,
        earlier=line.first.id,
        running=next((each.id for each in interviews if each.ended_at is None), ""),
        ended=next((each.id for each in interviews if each.ended_at is not None), ""),
    )


@pytest.mark.browser
def test_every_page_is_looked_at(fresh: RunningStudio) -> None:
    paths = create_pages(fresh.studio).openapi()["paths"]
    read = {"/"} | {path for path, methods in paths.items() if "get" in methods}
    assert {path for path in read if not path.startswith("/sound/")} == set(PAGES) | NO_PAGES


@pytest.mark.parametrize("path", PAGES.values())
def test_a_page_is_for_everybody(practiced: RunningStudio, new_page: NewPage, path: str) -> None:
    """It is light, Tab reaches all of it, axe finds nothing serious, nothing scrolls sideways."""
    page = new_page()
    response = page.goto(address(practiced, path))
    assert response.status == 200
    sizes = dict(page.evaluate(SIZES))
    page.wait_for_selector("[data-language]", state="detached")  # an interview's report comes again
    found = tabbing_problems(page)
    for width, scheme, rules in VIEWS:
        page.set_viewport_size({"width": width, "height": 800})
        open_details(page)
        found += [f"{width} px {each}" for each in axe_findings(page, scheme, rules)]
    page.set_viewport_size({"width": NARROWEST_PX, "height": 640})
    page.reload()  # as it is where it was never wider
    open_details(page)
    found += [f"too wide: {each}" for each in wider_than(page, NARROWEST_PX)]
    assert not found, "\n".join(found)
    parts = {name: size for name, size in sizes.items() if "/sound/" not in name}
    assert 0 < sum(parts.values()) < 200_000, parts


@pytest.mark.parametrize("path", EMPTY_STATES)
def test_axe_finds_nothing_serious_before_the_first_answer(
    fresh: RunningStudio, new_page: NewPage, path: str
) -> None:
    page = new_page()
    page.goto(fresh.url + path)
    found = axe_findings(page)
    assert not found, "\n".join(found)


def test_on_a_phone_long_pages_fold_and_open_where_a_link_leads(
    practiced: RunningStudio, new_page: NewPage
) -> None:
    page = new_page(viewport={"width": 390, "height": 800})
    for path in FOLDING:
        page.goto(address(practiced, path))
        page.wait_for_selector("[data-folded]")
        assert page.evaluate("document.documentElement.scrollHeight") < LONGEST_PX, path
        if path == "/attempts/{latest}":
            assert page.evaluate("document.documentElement.scrollHeight") < REPORT_PX
    page.goto(practiced.url)
    assert page.evaluate("document.documentElement.scrollHeight") < LONGEST_PX, "home"
    delivery = page.locator("#delivery .figures")
    transcript = page.locator("#transcript")
    page.goto(address(practiced, "/attempts/{latest}"))
    page.wait_for_selector("[data-folded]")
    assert not delivery.is_visible()
    assert not transcript.is_visible(), "the page is as long for a long answer"
    assert page.locator("[data-recording]").is_visible()
    heading = page.get_by_role("button", name=re.compile(r"Key phrases \d+ of \d+ said"))
    assert heading.get_attribute("aria-expanded") == "false"
    page.emulate_media(media="print")
    assert delivery.is_visible() and transcript.is_visible()
    page.emulate_media(media="screen")
    page.locator(".points a[href^='#phrase']").first.click()
    quote = page.locator("#phrases a.said").first
    quote.click()
    transcript.wait_for()
    opened = page.get_by_role("button", name="Key phrases", exact=True)
    assert opened.get_attribute("aria-expanded") == "true"
    assert not page.get_by_role("navigation", name="On this page").is_visible(), "said twice"
    page.evaluate("location.hash = 'delivery'")
    delivery.wait_for()
    page.get_by_role("button", name="Delivery").press("Enter")
    delivery.wait_for(state="hidden")
    page.set_viewport_size({"width": 1280, "height": 800})
    delivery.wait_for()
    page.get_by_role("navigation", name="On this page").get_by_text("Delivery").click()


@pytest.mark.parametrize("path", ["/history", "/questions"])
def test_on_a_phone_a_long_list_shows_ten_rows_and_the_rest_when_asked(
    practiced: RunningStudio, new_page: NewPage, path: str
) -> None:
    page = new_page(viewport={"width": 390, "height": 800})
    page.goto(practiced.url + path)
    more = page.get_by_role("button", name=re.compile(r"^Show \d+ more$"))
    more.wait_for()
    assert page.evaluate("document.documentElement.scrollHeight") < LONGEST_PX
    tenth, eleventh = (page.locator("[data-shows] > li").nth(at) for at in (9, 10))
    assert tenth.is_visible() and not eleventh.is_visible()
    page.emulate_media(media="print")
    assert eleventh.is_visible()
    page.emulate_media(media="screen")
    more.press("Enter")
    eleventh.wait_for()
    assert eleventh.evaluate("row => row.contains(document.activeElement)")
    assert more.count() == 0


def test_the_skip_link_leads_past_the_menu(practiced: RunningStudio, new_page: NewPage) -> None:
    page = new_page()
    page.goto(f"{practiced.url}/history")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('main') !== null")


def test_answers_are_compared_and_deleted_by_keyboard(
    practiced: RunningStudio, new_page: NewPage
) -> None:
    studio = practiced.studio
    page = new_page()
    page.goto(f"{practiced.url}/history")
    total = studio.backend.history().total
    by_question: dict[str, list[str]] = {}
    for box in page.locator("input[name=attempt]").all():
        question = box.get_attribute("data-question")
        by_question.setdefault(question, []).append(box.get_attribute("value"))
    two = next(ids[:2] for ids in by_question.values() if len(ids) >= 2)
    compare, delete = page.locator("#compare"), page.locator("#delete")
    assert compare.is_disabled()
    for each in two:
        page.locator(f"input[value='{each}']").focus()
        page.keyboard.press("Space")
    assert page.locator("#selection").inner_text() == "2 selected"
    other = next(ids[0] for ids in by_question.values() if two[0] not in ids)
    page.locator(f"input[value='{other}']").focus()
    page.keyboard.press("Space")
    assert compare.is_disabled()
    page.keyboard.press("Space")
    assert compare.is_enabled()
    delete.focus()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.textContent") == "Keep"
    assert page.locator("#delete-count").inner_text() == "2 answers"
    assert not axe_findings(page)
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.id") == "delete"
    assert studio.backend.history().total == total
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("deleted=2"))
    assert page.get_by_text("2 answers deleted").is_visible()
    assert studio.backend.history().total == total - 2


def test_a_filter_is_set_and_undone_by_keyboard(
    practiced: RunningStudio, new_page: NewPage
) -> None:
    page = new_page()
    page.goto(f"{practiced.url}/history")
    page.locator("summary").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.name") == "role"
    page.keyboard.type("AI Infrastructure")
    page.locator("#filter-until").focus()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("role=ai-infrastructure-architect"))
    facts = json.dumps(page.locator(".facts").all_inner_texts())
    assert "AI Infrastructure Architect" in facts
    assert "ML Infrastructure Engineer" not in facts
    page.get_by_role("link", name="Show all").focus()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/history$"))


_OFF_CENTER = """
() => [...document.querySelectorAll(".button")].filter((each) => each.offsetParent).map((each) => {
  const text = document.createRange();
  text.selectNodeContents(each);
  const [inner, outer] = [text.getBoundingClientRect(), each.getBoundingClientRect()];
  return [each.textContent.trim(), (inner.top + inner.bottom - outer.top - outer.bottom) / 2];
}).filter(([, off]) => Math.abs(off) > 1.5)
"""


def test_the_text_of_a_button_is_in_its_middle(serve: Serve, new_page: NewPage) -> None:
    page = new_page()
    page.goto(serve().url)
    page.wait_for_selector(".list-side .button.small")
    assert page.evaluate(_OFF_CENTER) == []
