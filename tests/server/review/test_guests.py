"""A coach without an account reviews by a link: as one with an account does, and no further."""

import re
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from server.attempts.service import Service
from server.db.tables import AuditRow
from tests.server.conftest import typed
from tests.worlds.new_databases import on_sqlite as on_sqlite
from tests.worlds.people import People, people

EVIL = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>"
PHRASE = "continuous batching"
COMMENT = {"text": "Slower", "signed": "Dr. Who"}
SCORE = {"criterion": "Depth", "note": "so deep"}
SAID = {"target": "phrase", "verdict": "covered"}


@pytest.fixture
def world(service: Service, make: SimpleNamespace) -> People:
    text = "I use paged attention every day"
    return people(service, make.submission(text, transcript=typed(text)))


class Browser:
    """Somebody with the link, whose browser keeps cookies and sends the pages' own forms."""

    def __init__(self, world: People) -> None:
        self.client: TestClient = world.client(accept="text/html")
        self.address = f"/s/{world.link}/attempts/{world.attempt.id}"

    def page(self) -> str:
        reply = self.client.get(self.address)
        assert reply.status_code == 200
        return str(reply.text)

    def send(self, form: str, **fields: Any) -> Any:
        token = re.findall(r'name="csrftoken" value="([^"]+)"', self.page())[0]
        return self.client.post(f"{self.address}/{form}", data={"csrftoken": token} | fields)

    def kept(self, form: str, **fields: Any) -> None:
        reply = self.send(form, **fields)
        assert reply.status_code == 303, reply.text


@pytest.fixture
def guest(world: People) -> Iterator[Browser]:
    yield Browser(world)


@pytest.fixture
def other(world: People) -> Iterator[Browser]:
    yield Browser(world)


def document(world: People) -> dict[str, Any]:
    found: dict[str, Any] = (
        world.client("ana").get(f"/api/v1/attempts/{world.attempt.id}/review").json()
    )
    return found


def set_rubric(world: People) -> None:
    world.client("cleo").post(
        f"/coach/cohorts/{world.spring.id}/rubric", data={"criteria": "Depth | how deep | 5"}
    )


@pytest.mark.parametrize(
    "place",
    [
        {"kind": "answer"},
        {"kind": "word", "word_from": "2"},
        {"kind": "span", "word_from": "2", "word_to": "3"},
        {"kind": "moment", "at_s": "1.5"},
    ],
    ids=lambda place: place["kind"],
)
def test_a_guest_comments_on_every_place_that_a_coach_does(
    world: People, guest: Browser, place: dict[str, str]
) -> None:
    guest.kept("comments", **COMMENT, **place)
    (kept,) = document(world)["comments"]
    assert {name: str(kept[name]) for name in place} == place
    assert (kept["author"], kept["text"], kept["by_owner"]) == ("Dr. Who", "Slower", False)
    on_coachs_page = world.client("cleo", accept="text/html").get(
        f"/coach/attempts/{world.attempt.id}"
    )
    assert re.search(
        r"<strong>Dr\. Who</strong>\s*<span class=\"badge\">no account", on_coachs_page.text
    )


def test_a_name_is_typed_once_and_kept_for_this_browser_only(
    world: People, guest: Browser, other: Browser
) -> None:
    assert guest.page().count('name="signed"') == 3  # wherever they may write first
    guest.kept("comments", **COMMENT)
    assert "You are writing as Dr. Who" in guest.page()
    assert guest.page().count('name="signed"') == 1
    guest.kept("comments", text="Once more")
    guest.kept("comments", text="Under another name", signed="The Doctor")
    guest.kept("comments", text="And on")
    authors = [each["author"] for each in document(world)["comments"]]
    assert authors == ["Dr. Who", "Dr. Who", "The Doctor", "The Doctor"]
    assert "You are writing as" not in other.page()
    assert other.send("comments", text="Nameless").status_code == 422


def test_a_guest_answers_a_comment_and_is_answered(world: People, guest: Browser) -> None:
    page = f"/coach/attempts/{world.attempt.id}"
    cleo = world.client("cleo")
    cleo.post(f"{page}/comments", data={"text": "Which pages?"})
    (first,) = document(world)["comments"]
    guest.kept("comments", text="Those of the cache", signed="Dr. Who", parent=first["external_id"])
    answer = document(world)["comments"][1]
    assert (answer["parent"], answer["author"]) == (first["external_id"], "Dr. Who")
    assert "Which pages?" in guest.page()


def test_a_guest_scores_by_the_rubric_of_the_owners_cohort(
    world: People, guest: Browser, other: Browser
) -> None:
    assert 'id="rubric"' not in guest.page()
    set_rubric(world)
    assert "<strong>Depth</strong> (0 to 5)" in guest.page()
    for score in ("2", "4"):
        guest.kept("scores", signed="Dr. Who", criterion="Depth", score=score, note="deep")
    other.kept("scores", signed="Dr. Who", criterion="Depth", score="1", note="")
    scores = [(each["author"], each["score"]) for each in document(world)["scores"]]
    assert scores == [("Dr. Who", 4), ("Dr. Who", 1)]
    assert 'name="score" min="0" max="5" step="1" value="4"' in guest.page()
    assert 'name="score" min="0" max="5" step="1" value="1"' in other.page()


@pytest.mark.parametrize(
    ("form", "fields", "message"),
    [
        ("comments", COMMENT | {"signed": " "}, "write your name"),
        ("comments", COMMENT | {"signed": "x" * 81}, "write your name"),
        ("comments", COMMENT | {"text": " "}, "1 to 5,000 characters"),
        ("comments", COMMENT | {"kind": "word", "word_from": "x"}, "is not valid"),
        ("comments", COMMENT | {"kind": "word", "word_from": "6"}, "no such word"),
        ("scores", SCORE | {"score": "3"}, "write your name"),
        ("scores", SCORE | {"score": "6", "signed": "Who"}, "scored from 0 to 5"),
        ("corrections", SAID | {"name": "beam search", "signed": "Who"}, "report has no phrase"),
        ("corrections", SAID | {"name": PHRASE, "note": "I heard it"}, "write your name"),
    ],
)
def test_what_will_not_do_is_told_and_stays_in_the_form(
    world: People, guest: Browser, form: str, fields: dict[str, str], message: str
) -> None:
    set_rubric(world)
    reply = guest.send(form, **fields)
    assert reply.status_code == 422
    assert message in reply.text.lower()
    if form == "comments":
        assert f">{fields['text']}</textarea>" in reply.text
        assert f'name="word_from" value="{fields.get("word_from", "")}"' in reply.text
    if form == "scores":
        assert 'value="so deep"' in reply.text
    if "note" in fields and form == "corrections":
        assert 'class="did-say" open' in reply.text
        assert reply.text.count('name="note" maxlength="500" value="I heard it"') == 1
    assert all(not document(world)[each] for each in ("comments", "scores", "corrections"))


def test_a_verdict_that_a_guest_corrects_shows_in_the_report_and_goes_to_the_editors(
    world: People, guest: Browser, other: Browser
) -> None:
    assert '1 <span class="unit">of 2 said' in guest.page()
    wrong = {"target": "phrase", "name": "continuous batching", "verdict": "covered"}
    guest.kept("corrections", **wrong, note="I heard it", signed="Dr. Who")
    assert '2 <span class="unit">of 2 said' in guest.page()
    editors = world.client("dora", accept="text/html").get("/coach/corrections").text
    assert "I heard it" in editors
    assert world.link not in editors
    (kept,) = document(world)["corrections"]
    assert other.send(f"corrections/{kept['external_id']}/delete").status_code == 403
    guest.kept(f"corrections/{kept['external_id']}/delete")
    assert '1 <span class="unit">of 2 said' in guest.page()


def test_a_guest_changes_and_takes_back_what_they_wrote_and_nobody_else_does(
    world: People, guest: Browser, other: Browser
) -> None:
    guest.kept("comments", **COMMENT)
    other.kept("comments", text="Hello", signed="Dr. Who")
    first, second = document(world)["comments"]
    assert guest.page().count('/edit"') == other.page().count('/edit"') == 1
    for end in ("edit", "delete"):
        refused = other.send(f"comments/{first['external_id']}/{end}", text="Mine")
        assert refused.status_code == 403
    cleo = world.client("cleo")
    page = f"/coach/attempts/{world.attempt.id}/comments/{first['external_id']}"
    for end in ("edit", "delete"):
        assert cleo.post(f"{page}/{end}", data={"text": "Mine"}).status_code == 403
    guest.kept(f"comments/{first['external_id']}/edit", text="Slower here")
    changed = document(world)["comments"][0]
    assert (changed["text"], changed["author"]) == ("Slower here", "Dr. Who")
    assert changed["edited_at"]
    assert second["edited_at"] is None
    guest.kept(f"comments/{first['external_id']}/delete")
    assert [each["text"] for each in document(world)["comments"]] == ["Hello"]


def test_a_guest_without_cookies_writes_too_and_is_not_known_again(world: People) -> None:
    client = world.client(accept="text/html")
    address = f"/s/{world.link}/attempts/{world.attempt.id}"
    sent = client.post(f"{address}/comments", data=COMMENT)
    assert sent.status_code == 303
    client.cookies.clear()
    assert '/edit"' not in client.get(address).text
    assert len(document(world)["comments"]) == 1


def test_a_link_leads_to_its_answers_and_nowhere_else(
    world: People, guest: Browser, make: SimpleNamespace
) -> None:
    own = world.of("ana").submit(make.submission("this one is hers alone"))
    page = guest.page()
    places = {each for each in re.findall(r'(?:href|action|src)="(/[^"]*)"', page)}
    assert {each for each in places if not each.startswith((guest.address, "/static/ui/"))} == {"/"}
    for path in ("", "/recording"):
        reply = guest.client.get(f"/s/{world.link}/attempts/{own.id}{path}")
        assert reply.status_code == 404
    token = re.findall(r'name="csrftoken" value="([^"]+)"', page)[0]
    for form in ("comments", "scores", "corrections", f"comments/{'0' * 32}/delete"):
        reply = guest.client.post(
            f"/s/{world.link}/attempts/{own.id}/{form}", data=COMMENT | {"csrftoken": token}
        )
        assert reply.status_code == 404, form
    for path in ("state", f"compare/{world.attempt.id}"):
        assert guest.client.get(f"{guest.address}/{path}").status_code in (404, 405)
    assert guest.client.get("/coach/queue").status_code == 303  # to sign in
    assert guest.client.get(f"/api/v1/attempts/{world.attempt.id}").status_code == 401


def test_what_a_guest_types_is_shown_as_text_and_never_run(world: People, guest: Browser) -> None:
    set_rubric(world)
    guest.kept("comments", text=EVIL, signed=f"W{EVIL}")
    (first,) = document(world)["comments"]
    guest.kept("comments", text=EVIL, parent=first["external_id"])
    guest.kept("scores", criterion="Depth", score="1", note=EVIL)
    wrong = {"target": "phrase", "name": "continuous batching", "verdict": "covered"}
    guest.kept("corrections", **wrong, note=EVIL)
    for page in (
        guest.page(),
        guest.send("comments", text=EVIL, kind=EVIL, word_from=EVIL, parent=EVIL).text,
        world.client("cleo", accept="text/html").get(f"/coach/attempts/{world.attempt.id}").text,
    ):
        assert "alert(1)</script>" not in page
        assert not re.search(r"<img|\sstyle=|\son\w+=[\"']", page)
        assert "&lt;script&gt;" in page


@pytest.mark.parametrize("form", ["comments", "scores", "corrections"])
def test_a_form_needs_the_token_of_the_page(world: People, guest: Browser, form: str) -> None:
    guest.page()
    assert guest.client.post(f"{guest.address}/{form}", data=COMMENT).status_code == 403
    assert document(world)["comments"] == []


def test_a_shared_answers_pages_are_in_no_index(world: People, guest: Browser) -> None:
    for path in (guest.address, f"/s/{world.link}"):
        assert guest.client.get(path).headers["x-robots-tag"] == "noindex"
    interview = "c" * 32
    ana = world.client("ana")
    share = ana.post(
        "/api/v1/shares",
        json={
            "interview_id": interview,
            "attempt_ids": [
                world.attempt.id,
                world.of("ana")
                .submit(world.attempt.submission.model_copy(update={"submission_id": "f" * 32}))
                .id,
            ],
        },
    ).json()
    link = ana.post(f"/api/v1/shares/{share['id']}/links", json={"label": "Who"}).json()["path"]
    listed = guest.client.get(link)
    assert listed.headers["x-robots-tag"] == "noindex"
    first, second = re.findall(rf'href="({link}/attempts/\d+)"', listed.text)
    assert f'href="{second}" data-next' in guest.client.get(first).text
    assert "data-next" not in guest.client.get(second).text


def test_the_audit_says_by_which_link_and_never_what(world: People, guest: Browser) -> None:
    guest.kept("comments", **COMMENT)
    with world.service.database.read() as session:
        rows = session.scalars(select(AuditRow).where(AuditRow.action == "comment.add")).all()
    (row,) = rows
    assert row.actor_id is None
    assert row.object == f"attempt {world.attempt.id} by link {world.extra['link_id']}"
