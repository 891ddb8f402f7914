"""Every page of the server by axe-core's rules, at 320 px, and with the keyboard alone.

A new page must be added to ``tests/worlds/program.py``: a test compares its pages with the
server's routes.
"""

from dataclasses import dataclass
from typing import Final

import pytest
from playwright.sync_api import Browser
from starlette.routing import compile_path

from tests.server.web.test_every_route import ROUTES
from tests.worlds.browser_looks import (
    RULES_OF_LOOKS,
    axe_findings,
    open_details,
    tabbing_problems,
    wider_than,
)
from tests.worlds.chromium import TIMEOUT_MS, in_a_browser
from tests.worlds.program import PageSeen, Program, empty_program, open_server, practiced_program
from tests.worlds.served import served

# one fixture looks at every page
pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(1200)]
VIEWS: Final = ((1200, "light", ()), (360, "dark", RULES_OF_LOOKS))
"""Contrast does not depend on the width, nor the layout on the colors: two views see all four."""
NARROWEST_PX: Final = 320
MOST_BYTES: Final = 200_000

NO_PAGES: Final = {
    "/",
    "/sign-in/code",  # it follows the password: see "sign-in-code" in the program
    "/admin",
    "/healthz",
    "/readyz",
    "/metrics",
    "/openapi.json",
    "/account/export",
    "/account/everything",
    "/coach/corrections/export.{kind}",
    "/coach/bank/{number}/{part}.yaml",
    "/jobs/{job_id}/file",
    "/jobs/{job_id}/fragment",
    "/s/{secret}/attempts/{attempt_id}/recording",
}
"""What leads elsewhere, is read by programs, or is a file."""


@dataclass(frozen=True)
class Look:
    """What a page looked like to a browser."""

    status: int
    axe: tuple[str, ...]
    too_wide: tuple[str, ...]
    tabbing: tuple[str, ...]
    bytes_loaded: int
    faults: tuple[str, ...]


Looks = dict[str, Look]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    """Six weeks in."""
    return practiced_program(tmp_path_factory.mktemp("practiced"))


@pytest.fixture(scope="module")
def looks(program: Program, tmp_path_factory: pytest.TempPathFactory) -> Looks:
    """Every page looked at once, those of a server's first hour and of an open one too."""
    looks = looks_of(program)
    for kind, make in (("empty", empty_program), ("open", open_server)):
        beside = make(tmp_path_factory.mktemp(kind))
        looks |= {f"{kind} {name}": each for name, each in looks_of(beside).items()}
    return looks


def looks_of(program: Program) -> Looks:
    with served(program.app) as address:

        def look(browser: Browser) -> Looks:
            return {
                name: look_at(browser, address, program, seen)
                for name, seen in program.pages.items()
            }

        return in_a_browser(look)


def look_at(browser: Browser, address: str, program: Program, seen: PageSeen) -> Look:
    known = {"authorization": f"Bearer {program.tokens[seen.who]}"} if seen.who else {}
    context = browser.new_context(base_url=address, extra_http_headers=known)
    context.set_default_timeout(TIMEOUT_MS)
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda message: faults.extend(broken_policy(message.text)))
    reply = seen.open(page)
    loaded = page.evaluate(
        """() => performance.getEntries()
          .filter((each) => each.entryType === "navigation" || each.entryType === "resource")
          .filter((each) => !each.name.endsWith("/recording"))
          .reduce((sum, each) => sum + each.decodedBodySize, 0)"""
    )
    tabbing = tabbing_problems(page)
    open_details(page)
    axe: list[str] = []
    for width, scheme, rules in VIEWS:
        page.set_viewport_size({"width": width, "height": 800})
        axe += [f"{width} px {each}" for each in axe_findings(page, scheme, rules)]
    page.set_viewport_size({"width": NARROWEST_PX, "height": 640})
    wide = wider_than(page, NARROWEST_PX)
    on_an_edge = "all => all.filter((each) => !each.offsetTop).map((each) => each.outerHTML)"
    wide += page.locator(".card:not([data-folded]) > legend").evaluate_all(on_an_edge)
    context.close()
    return Look(reply, tuple(axe), tuple(wide), tuple(tabbing), loaded, tuple(faults))


def broken_policy(said: str) -> list[str]:
    """What the browser says where a page breaks its Content-Security-Policy."""
    return [said] if "Content Security Policy" in said else []


def test_every_page_is_looked_at(program: Program) -> None:
    """Each route that shows a page has an address in the program's pages."""
    shown = {path for method, path in ROUTES if method == "GET" and not path.startswith("/api/")}
    patterns = {path: compile_path(path)[0] for path in shown - NO_PAGES}
    paths = {seen.path.partition("?")[0] for seen in program.pages.values()}
    unseen = {
        path for path, pattern in patterns.items() if not any(pattern.match(one) for one in paths)
    }
    assert unseen == set()


def test_every_page_is_the_one_that_was_asked_for(program: Program, looks: Looks) -> None:
    expected = {name: seen.status for name, seen in program.pages.items()}
    assert {name: looks[name].status for name in expected} == expected


def test_axe_finds_nothing_serious(looks: Looks) -> None:
    assert {name: each.axe for name, each in looks.items() if each.axe} == {}


def test_tab_reaches_everything_and_shows_where_it_is(looks: Looks) -> None:
    assert {name: each.tabbing for name, each in looks.items() if each.tabbing} == {}


def test_nothing_scrolls_sideways_on_the_narrowest_screen(looks: Looks) -> None:
    assert {name: each.too_wide for name, each in looks.items() if each.too_wide} == {}


def test_a_page_weighs_less_than_200_kb(looks: Looks) -> None:
    weights = {name: each.bytes_loaded for name, each in looks.items()}
    assert min(weights.values()) > 0
    assert {name: weight for name, weight in weights.items() if weight > MOST_BYTES} == {}


def test_no_script_raises_and_no_page_breaks_its_policy(looks: Looks) -> None:
    assert {name: each.faults for name, each in looks.items() if each.faults} == {}
