"""A newcomer's way to the plan in a real browser: few clicks, and settings that are not lost."""

import re
from datetime import date, timedelta

import pytest

from client.core.preferences import change_preferences, load_preferences
from client.core.settings import ClientSettings
from tests.client.studio.conftest import NewPage, Serve

VIEWS = ((1280, "light"), (390, "dark"))


@pytest.mark.parametrize(("width", "scheme"), VIEWS)
def test_from_opening_to_a_plan_for_today_in_three_steps(
    serve: Serve, new_page: NewPage, width: int, scheme: str
) -> None:
    page = new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
    page.goto(serve().url)
    page.get_by_label("Role", exact=True).select_option("ml-platform-engineer")
    page.get_by_label("Day of the interview").fill(str(date.today() + timedelta(days=12)))
    page.get_by_role("button", name="Make my plan").click()
    page.get_by_role("heading", name=re.compile("Today: 1[0-8] minutes")).wait_for()
    assert page.get_by_text("Interview in 12 days").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.get_by_role("link", name=re.compile("^Start")).click()
    page.wait_for_url("**/practice/tell-me-about-yourself?*")


@pytest.mark.parametrize(("width", "scheme"), VIEWS)
def test_a_terminals_setting_survives_a_save_of_the_open_page(
    serve: Serve, new_page: NewPage, settings: ClientSettings, width: int, scheme: str
) -> None:
    page = new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
    page.goto(f"{serve().url}/settings")
    change_preferences(settings.home, {"mother_tongue": "German", "interview_date": "2099-03-01"})
    page.get_by_label("Colors").select_option("dark")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("Saved.").wait_for()
    kept = load_preferences(settings.home, {})
    assert (kept.theme, kept.mother_tongue) == ("dark", "German")
    assert kept.interview_date == date(2099, 3, 1)
    assert page.get_by_label("Mother tongue").input_value() == "German"
