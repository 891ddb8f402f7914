"""What the browser brings and takes away: archives, drill items, and every export as a download."""

import json
import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from client.data.own_recordings import OwnRecordings
from client.data.repair import transcribe_again
from client.practice.drills.own_items import read_own_items
from client.studio.state.studio import Studio
from tests.client.studio.test_corrections import answer
from tests.worlds.hostile_audio import SPEECH_S, encoded, with_hole
from tests.worlds.studio_answering import QUESTION, wait_for

HTML = {"Accept": "text/html"}
ROWS = "term,readings,mistakes,tip\nGhee,G IY1,JH IY1,The letter is hard.\n"


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


def test_items_are_added_all_or_none(client: TestClient, studio: Studio) -> None:
    good = {"file": ("mine.csv", ROWS.encode(), "text/csv")}
    assert "1 item added" in client.post("/drills/import", files=good).text
    assert "0 items added" in client.post("/drills/import", files=good).text
    bad = {"file": ("mine.csv", (ROWS + "Gif,G IH,J IH1 F,No.\n").encode(), "text/csv")}
    refused = client.post("/drills/import", files=bad)
    assert refused.status_code == 422
    assert "mine.csv: row 3: " in refused.text, refused.text.split("notice bad")[1][:300]
    assert [item.term for item in read_own_items(studio.settings.own_drills)] == ["Ghee"]
    downloaded = client.get("/drills/items.csv")
    assert downloaded.headers["content-disposition"].startswith("attachment")
    everything = {"file": ("all.csv", downloaded.content, "text/csv")}
    assert "0 items added" in client.post("/drills/import", files=everything).text


def drilled(client: TestClient, term: str) -> tuple[int, str]:
    page = client.post("/drills/term", data={"term": term}, headers=HTML)
    assert page.status_code == 200, page.text
    found = re.search(r'<script type="application/json" id="drill">(.*?)</script>', page.text, re.S)
    assert found is not None
    drill = json.loads(found[1])
    return drill["total"], drill["card"]["term"]


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


def brought(client: TestClient, path: Path) -> int:
    sent = client.post(f"/practice/{QUESTION}/file", content=path.read_bytes())
    take = f"/takes/{sent.json()['name']}"
    client.post(f"{take}/finish")
    wait_for(lambda: client.get(take).json()["state"] != "running")
    return int(client.get(take).json()["url"].rpartition("/")[2])


def with_a_hole(content: bytes) -> bytes:
    return bytes(with_hole(bytearray(content)))


def broken_off(content: bytes) -> bytes:
    return content[: round(0.7 * len(content))]


@pytest.mark.parametrize(
    ("breaks", "missing_s", "notice"),
    [
        (with_a_hole, 0.4, "s cannot be read and count as silence: copy or record it again"),
        (broken_off, 0.3 * SPEECH_S, r"s of (5\.9|6\.0) s cannot be read: copy or record it again"),
    ],
)
def test_the_report_says_what_is_missing_of_a_damaged_file(
    client: TestClient,
    studio: Studio,
    tmp_path: Path,
    breaks: object,
    missing_s: float,
    notice: str,
) -> None:
    """Also once the stored copy, in which nothing is missing, is transcribed again."""
    path = tmp_path / "a.flac"
    encoded("flac")(path)
    assert callable(breaks)
    path.write_bytes(breaks(path.read_bytes()))

    number = brought(client, path)
    recordings = OwnRecordings(studio.settings.recordings)
    again = transcribe_again(studio.backend, studio.session, recordings, number)

    for sound in (
        studio.backend.export_one(number).attempts[0].reports[0].report.sound,
        again.report.sound,
    ):
        assert sound is not None
        assert sound.problems[0] == "damaged"
        assert sound.missing_s == pytest.approx(missing_s, abs=0.4)
    assert re.search(notice, client.get(f"/attempts/{number}").text)
