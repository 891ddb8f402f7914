"""Own questions and stories in a real browser, as a candidate with a posting uses them."""

from pathlib import Path

import pytest

from tests.client.studio.conftest import NewPage, Serve

POSTING = Path(__file__).parents[3] / "data" / "postings" / "sre.md"


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_questions_from_a_posting_and_a_story_are_kept(
    serve: Serve, new_page: NewPage, width: int, scheme: str
) -> None:
    studio = serve()
    page = new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
    page.goto(f"{studio.url}/questions/own")
    page.set_input_files("#file", POSTING)
    page.click("text=Read it")
    page.wait_for_selector("#gaps")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for number in (0, 2, 3):
        page.check(f"input[name='{number}-keep']")
    page.click("text=Keep the ticked questions")
    page.wait_for_selector("text=3 questions kept")
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
