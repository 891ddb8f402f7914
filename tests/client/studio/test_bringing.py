"""What the browser brings and takes away: archives, drill items, and every export as a download."""

import json
import re

from starlette.testclient import TestClient

from client.practice.drills.own_items import read_own_items
from client.studio.state.studio import Studio
from tests.client.studio.test_corrections import answer

HTML = {"Accept": "text/html"}


def test_an_archive_comes_back_in_an_empty_studio(client: TestClient, studio: Studio) -> None:
    assert 'action="/history/import"' in client.get("/history").text, "with no answer at all, too"
    number = answer(studio)
    archive = client.get("/history/export.json").content
    client.post("/history/delete", data={"attempt": [number], "confirmed": "yes"})
    file = {"file": ("aloud.json", archive, "application/json")}
    assert "1 imported, 0 were already here" in client.post("/history/import", files=file).text
    assert "0 imported, 1 was already here" in client.post("/history/import", files=file).text
    assert studio.backend.history().total == 1


def test_what_is_no_archive_is_refused_with_its_name(client: TestClient, studio: Studio) -> None:
    file = {"file": ("my; letter.json", b"{}", "application/json")}
    refused = client.post("/history/import", files=file, headers=HTML)
    assert refused.status_code == 422
    found = re.search(r'role="alert">(my; letter\.json is not an export[^<]*)', refused.text)
    assert found, "with no folder of ours before the name"
    assert "Everything (ZIP)" in found[1] and "aloud export" not in found[1]
    assert 'action="/history/import"' in refused.text, "another file can be chosen here"
    assert studio.backend.history().total == 0


def drilled(client: TestClient, term: str) -> tuple[int, str]:
    page = client.post("/drills/term", data={"term": term}, headers=HTML)
    assert page.status_code == 200, page.text
    found = re.search(r'<script type="application/json" id="drill">(.*?)</script>', page.text, re.S)
    assert found is not None
    drill = json.loads(found[1])
    return drill["total"], drill["card"]["prompt"]


def test_a_term_of_a_set_is_drilled_at_once(client: TestClient, studio: Studio) -> None:
    assert drilled(client, "RoCE") == (1, "RoCE")
    assert not studio.settings.own_drills.exists()


def test_a_term_of_no_set_joins_your_own_items_once(client: TestClient, studio: Studio) -> None:
    in_sets = {item.term.casefold() for item in studio.drill_items.sets().of(None)}
    term = next(each.term for each in studio.lexicon if each.term.casefold() not in in_sets)
    for _ in range(2):
        assert drilled(client, term) == (1, term)
        assert [item.term for item in read_own_items(studio.settings.own_drills)] == [term]
    refused = client.post("/drills/term", data={"term": "no such term"}, headers=HTML)
    assert refused.status_code == 422


def test_the_report_and_the_progress_lead_to_the_drill(client: TestClient, studio: Studio) -> None:
    number = answer(studio)
    for path in (f"/attempts/{number}", "/progress"):
        assert 'name="term" value="RoCE">Drill it' in client.get(path).text
