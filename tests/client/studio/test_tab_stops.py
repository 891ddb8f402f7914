"""How many times Tab is pressed until the main action of a page: the skip link, then few others."""

from collections.abc import Sequence
from html.parser import HTMLParser

import pytest
from starlette.testclient import TestClient

from client.studio.state.studio import Studio
from server.contract import Transcript
from tests.client.conftest import make_submission

QUESTION = "cloud-spot-or-on-demand"
CONTROLS = ("button", "input", "select", "textarea", "summary")


class TabStops(HTMLParser):
    """What Tab reaches within ``main``, in order; radio buttons of one name are one stop.

    It knows nothing of what stands in a hidden part, and counts that too.
    """

    def __init__(self, page: str) -> None:
        super().__init__()
        self.stops: list[dict[str, str | None]] = []
        self.skips_to: str | None = None
        self._in_main = False
        self._folded = 0
        self.feed(page)

    def handle_starttag(self, tag: str, given: Sequence[tuple[str, str | None]]) -> None:
        found = dict(given)
        if found.get("class") == "skip-link":
            self.skips_to = found["href"]
        self._in_main = self._in_main or tag == "main"
        if tag == "dialog" or (tag == "details" and "open" not in found):
            self._folded += 1
        shown = self._in_main and (not self._folded or tag == "summary")
        reached = tag in CONTROLS or "href" in found or found.get("tabindex") == "0"
        if shown and reached and found.get("type") != "hidden" and "hidden" not in found:
            last = self.stops[-1] if self.stops else {}
            if found.get("type") != "radio" or last.get("name") != found["name"]:
                self.stops.append(found)

    def handle_endtag(self, tag: str) -> None:
        if tag in ("details", "dialog") and self._folded:
            self._folded -= 1

    def until(self, *marks: str) -> int:
        """Tab presses after the skip link until the first control with all of these classes."""
        for number, stop in enumerate(self.stops, start=1):
            if set(marks) <= set((stop.get("class") or "").split()):
                return number
        raise AssertionError(f"there is no {marks} on the page")


@pytest.mark.parametrize(
    ("path", "marks", "most"),
    [
        ("/", ("primary",), 2),
        ("/practice/" + QUESTION, ("record-button",), 5),
        ("/interview", ("record-button",), 5),  # role, round, length, follow-ups
        ("/interview/{running}", ("record-button",), 4),
        ("/progress", ("primary",), 1),
        ("/drills", ("primary",), 2),
        ("/attempts/1", ("primary",), 3),
    ],
)
def test_few_keys_lead_to_what_a_page_is_for(
    client: TestClient, studio: Studio, path: str, marks: Sequence[str], most: int
) -> None:
    running = ""
    if path != "/":
        studio.backend.submit(
            make_submission(question_id=QUESTION, transcript=Transcript(text="Spot is cheap."))
        )
    if "{" in path:
        form = {"role": "ml-platform-engineer", "round": "system-design", "length": "10"}
        begun = client.post("/interview", data=form, follow_redirects=False)
        running = begun.headers["location"].rpartition("/")[2]
    page = TabStops(client.get(path.format(running=running), headers={"Accept": "text/html"}).text)
    assert page.skips_to == "#main"
    assert page.until(*marks) <= most
