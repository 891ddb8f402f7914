"""The scripts that take the pictures still find what they open, press and wait for.

They run by hand and for minutes, so that nobody notices when a page leaves them behind.
"""

import ast
import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from client.core.settings import ClientSettings
from client.studio.app import create_pages, create_studio
from client.studio.state.studio import Studio
from scripts import screenshots, walk
from tests.worlds.studio_parts import ORIGIN, make_studio

ROOT = Path(__file__).parents[2]
SCRIPTS = ("screenshots.py", "walk.py")
FINDING = {"locator", "wait_for_selector", "_click", "_shoot", "set_input_files"}
"""Their arguments name elements of a page."""
NAMES = re.compile(r"\[(?P<attribute>data-[\w-]+)|\[name=(?P<name>\w+)|[#.](?P<token>[a-z][\w-]+)")


def page_sources() -> str:
    folders = ("client/studio/templates", "client/studio/static", "server/ui")
    files = [file for folder in folders for file in (ROOT / folder).rglob("*")]
    read = [file for file in files if file.suffix in (".html", ".js", ".css")]
    return "\n".join(file.read_text(encoding="utf-8") for file in read)


def selectors(script: str) -> set[str]:
    """The texts that a script finds elements by."""
    tree = ast.parse((ROOT / "scripts" / script).read_text(encoding="utf-8"))
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    found = {
        constant.value
        for call in calls
        if isinstance(call.func, ast.Attribute) and call.func.attr in FINDING
        for argument in call.args
        for constant in ast.walk(argument)
        if isinstance(constant, ast.Constant) and isinstance(constant.value, str)
    }
    return found | set(screenshots.SCROLLED_TO.values())


def missing(selector: str, sources: str) -> list[str]:
    """What a selector names and no page has."""
    parts = [match for match in NAMES.finditer(selector)]
    return [
        match[0]
        for match in parts
        if not (
            re.search(rf"{match['attribute']}\b", sources)
            if match["attribute"]
            else f'name="{match["name"]}"' in sources
            if match["name"]
            else re.search(rf"(id|class|className)\W*=[^\n]*\b{match['token']}\b", sources)
        )
    ]


@pytest.mark.parametrize("script", SCRIPTS)
def test_what_the_scripts_look_for_is_on_a_page(script: str) -> None:
    sources, wanted = page_sources(), selectors(script)
    assert len(wanted) > 3
    assert {each: missing(each, sources) for each in wanted if missing(each, sources)} == {}
    assert missing("form[data-nowhere] .no-such", sources) == ["[data-nowhere", ".no-such"]


def addresses() -> list[str]:
    """Pages that the scripts open."""
    text = (ROOT / "scripts/walk.py").read_text(encoding="utf-8")
    walked = re.findall(r'goto\(f"\{self\._url\}(/[^"?]*)', text)
    assert len(walked) > 3
    practice = f"/practice/{screenshots.QUESTION_ID}"
    walked = [each.replace("{demo.QUESTION_ID}", walk.demo.QUESTION_ID) for each in walked]
    return [*screenshots.PAGES.values(), *walked, practice]


def test_the_addresses_lead_to_pages(settings: ClientSettings) -> None:
    paths = create_pages(make_studio(settings)).openapi()["paths"]
    routes = [re.sub(r"\{\w+\}", "[^/]+", path) for path in ("/", *paths)]
    assert [each for each in addresses() if not any(re.fullmatch(r, each) for r in routes)] == []


def test_the_pages_of_the_server_are_those_of_its_program() -> None:
    """Other tests open each of them; to make the program takes seconds."""
    tree = ast.parse((ROOT / "tests/worlds/program.py").read_text(encoding="utf-8"))
    pages = {
        key.value
        for each in ast.walk(tree)
        if isinstance(each, ast.Dict)
        for key, value in zip(each.keys, each.values, strict=True)
        if isinstance(key, ast.Constant)
        and isinstance(value, ast.Call)
        and isinstance(value.func, ast.Name)
        and value.func.id == "PageSeen"
    }
    assert len(pages) > 10
    assert set(screenshots.SERVER_PAGES.values()) - pages == set()
    shot = {*screenshots.PAGES, screenshots.PRACTICE, *screenshots.SERVER_PAGES}
    assert {*screenshots.FOR_DOCS, *screenshots.SCROLLED_TO, *screenshots.HEIGHTS_PX} <= shot


def test_the_studio_of_the_pictures_shows_its_first_page(settings: ClientSettings) -> None:
    engine = screenshots.WeightsThere(settings, screenshots.DemoEngine(1.0))
    studio = Studio(settings, engine)
    try:
        with TestClient(create_studio(studio), base_url=ORIGIN) as client:
            page = client.get("/").text
    finally:
        studio.close()
    assert f"{screenshots.ENGINE} {screenshots.MODEL} is on this machine" in page


@pytest.fixture
def settings(tmp_path: Path) -> ClientSettings:
    return ClientSettings(home=tmp_path / "home")
