"""The coach's pages: what they show, that they escape it, that they report a form's faults."""

import re
from types import SimpleNamespace

import pytest
import yaml
from fastapi.testclient import TestClient
from sqlalchemy import delete

from server.attempts.service import Service
from server.db.tables import RecordingRow
from tests.server.conftest import typed
from tests.worlds.new_databases import on_sqlite as on_sqlite
from tests.worlds.people import People, people

BAD = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>"


@pytest.fixture
def world(service: Service, make: SimpleNamespace) -> People:
    text = "I use paged attention <b>here</b>"
    return people(service, make.submission(text, transcript=typed(text)))


@pytest.fixture
def cleo(world: People) -> TestClient:
    client = world.client("cleo", accept="text/html")
    client.follow_redirects = True
    return client


def test_a_correction_shows_in_the_report_and_in_the_editors_files(
    world: People, cleo: TestClient
) -> None:
    page = f"/coach/attempts/{world.attempt.id}"
    assert '1 <span class="unit">of 2 said' in cleo.get(page).text
    shown = cleo.post(
        f"{page}/corrections",
        data={
            "target": "phrase",
            "name": "continuous batching",
            "verdict": "covered",
            "note": "=1+1",
        },
    ).text
    assert "corrected by Cleo: =1+1" in shown
    assert '2 <span class="unit">of 2 said' in shown
    listed = yaml.safe_load(cleo.get("/coach/corrections/export.yaml").text)["corrections"]
    assert [(each["question_id"], each["verdict"]) for each in listed] == [("kv-cache", "covered")]
    assert "'=1+1" in cleo.get("/coach/corrections/export.csv").text
    editor = world.client("dora", accept="text/html").get("/coach/corrections").text
    assert "continuous batching" in editor
    assert page not in editor
    assert page in cleo.get("/coach/corrections").text
    cleo.post("/coach/corrections/1/resolve")
    assert "No correction is open" in cleo.get("/coach/corrections").text


def test_a_comment_is_changed_on_the_page_and_an_answer_by_its_candidate(
    world: People, cleo: TestClient
) -> None:
    page = f"/coach/attempts/{world.attempt.id}"
    api = f"/api/v1/attempts/{world.attempt.id}"
    cleo.post(f"{page}/comments", data={"text": "Slower"}).raise_for_status()
    ana = world.client("ana")
    (first,) = ana.get(f"{api}/review").json()["comments"]
    answer = {"external_id": "b" * 32, "parent": first["external_id"], "text": "Why"}
    ana.post(f"{api}/comments", json=answer).raise_for_status()
    shown = cleo.get(page).text
    assert shown.count('/edit"') == 1
    assert "edited" not in shown
    shown = cleo.post(
        f"{page}/comments/{first['external_id']}/edit", data={"text": f"Slower here {BAD}"}
    ).text
    assert "Slower here &lt;script&gt;" in shown
    assert shown.count("edited <time") == 1
    assert ana.put(f"{api}/comments/{first['external_id']}", json={"text": "x"}).status_code == 403
    assert ana.put(f"{api}/comments/{'c' * 32}", json={"text": "x"}).status_code == 404
    assert ana.put(f"{api}/comments/{'b' * 32}", json={"text": " "}).status_code == 422
    changed = ana.put(f"{api}/comments/{'b' * 32}", json={"text": "Why there?"}).json()
    assert [each["text"] for each in changed["comments"]] == [f"Slower here {BAD}", "Why there?"]
    assert cleo.get(page).text.count("edited <time") == 2


@pytest.mark.parametrize("score", ["9", "much"])
def test_a_score_that_will_not_do_is_explained_at_its_field(
    world: People, cleo: TestClient, score: str
) -> None:
    page = f"/coach/attempts/{world.attempt.id}"
    rubric = "Pace | | 4\nPace at the end | how it ends | 4"
    cleo.post(f"/coach/cohorts/{world.spring.id}/rubric", data={"criteria": rubric})
    given = {
        "criterion": ["Pace", "Pace at the end"],
        "score": ["3", score],
        "note": ["calm", "hasty"],
    }
    reply = cleo.post(f"{page}/scores", data=given)
    assert reply.status_code == 422
    first, second = reply.text.split('class="criterion"')[1:3]
    assert 'role="alert"' not in first and "aria-invalid" not in first
    assert 'aria-describedby="scores-error about-2" aria-invalid="true" autofocus' in second
    assert second.index('id="scores-error"') < second.index("autofocus")
    assert 'value="3"' in first and 'value="hasty"' in second, "what was typed stays"


def test_an_answer_that_will_not_do_stays_under_its_comment(
    world: People, cleo: TestClient
) -> None:
    page = f"/coach/attempts/{world.attempt.id}"
    cleo.post(f"{page}/comments", data={"text": "Slower"}).raise_for_status()
    (first,) = world.client("ana").get(f"/api/v1{page[6:]}/review").json()["comments"]
    reply = cleo.post(
        f"{page}/comments", data={"text": "x" * 5_001, "parent": first["external_id"]}
    )
    assert reply.status_code == 422
    assert re.findall(r"<details data-reply open>.*?</details>", reply.text, re.DOTALL)
    assert reply.text.count("x" * 5_001) == 1


def test_a_typed_answer_has_no_transcriber_and_no_recording(
    world: People, cleo: TestClient
) -> None:
    with world.service.database.write() as session:
        session.execute(delete(RecordingRow))
    shown = cleo.get(f"/coach/attempts/{world.attempt.id}").text
    assert "<li>typed or imported text</li>" in shown
    assert "There is no recording: the answer was typed or imported." in shown
    assert "transcript by" not in shown
    assert "not shared with you" not in shown


def test_done_takes_an_attempt_off_the_queue(world: People, cleo: TestClient) -> None:
    page = f"/coach/attempts/{world.attempt.id}"
    assert page in cleo.get("/coach/queue").text
    reply = cleo.post(f"{page}/state", data={"state": "done"})
    assert reply.url.path == "/coach/queue"
    assert page not in reply.text
    assert "done: Cleo" in cleo.get("/coach/queue?state=done").text


@pytest.mark.parametrize(
    ("where", "data", "message"),
    [
        ("attempts/{}/comments", {"text": " "}, "1 to 5,000 characters"),
        ("attempts/{}/comments", {"text": "a", "kind": "word", "word_from": "77"}, "no such word"),
        ("attempts/{}/comments", {"text": "a", "kind": "moment", "at_s": "nan"}, "is not valid"),
        ("cohorts/{}/rubric", {"criteria": "Depth | how deep | many"}, "Line 1"),
        ("cohorts/{}/rubric", {"criteria": "Depth | | 5\nDepth | | 5"}, "same name"),
        ("cohorts/{}/rubric", {"criteria": "Depth | | 5\nbad line"}, "Line 2 needs three parts"),
    ],
)
def test_a_fault_in_a_form_is_told_on_the_page(
    world: People, cleo: TestClient, where: str, data: dict[str, str], message: str
) -> None:
    target = world.attempt.id if where.startswith("attempts") else world.spring.id
    reply = cleo.post(f"/coach/{where.format(target)}", data=data)
    assert reply.status_code == 422
    assert message in reply.text


def test_the_overview_counts_only_what_is_shown(
    world: People, cleo: TestClient, make: SimpleNamespace
) -> None:
    world.of("ana").submit(make.submission("nothing of mine is shown"))
    rows = re.findall(r"<th scope=\"row\">.*?</tr>", cleo.get("/coach").text, re.DOTALL)
    ana = next(row for row in rows if "Ana" in row)
    assert re.findall(r'class="number">([^<]*)', ana) == ["1", "50%", "–", "1 Mar 2026, 12:00"]
    assert "Ben" in "".join(rows)
