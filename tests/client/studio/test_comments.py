"""What coaches wrote, in the studio: against the real server in this process."""

import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from uuid import uuid4

import pytest
from starlette.testclient import TestClient

from client.core.settings import ClientSettings
from client.studio.app import create_studio
from tests.server.conftest import make_submission, typed
from tests.worlds.people import People
from tests.worlds.shared_server import SERVER, backend_of, reviews_on, server_with_people
from tests.worlds.studio_parts import ORIGIN, make_studio

BAD = "<img src=x onerror=alert(1)>"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[People]:
    text = "I use paged attention"
    answer = make_submission(text, transcript=typed(text))
    with server_with_people(tmp_path, answer, shared=True) as made:
        yield made


@pytest.fixture
def studio(world: People, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    for place in ("client.backend.opening", "client.studio.routes.sharing"):
        monkeypatch.setattr(f"{place}.open_remote", lambda _: reviews_on(world))
    settings = ClientSettings(home=tmp_path / "home", server=SERVER)
    with (
        closing(make_studio(settings, backend=backend_of(world))) as made,
        TestClient(create_studio(made), base_url=ORIGIN, headers={"Origin": ORIGIN}) as client,
    ):
        yield client


def say(world: People, text: str) -> str:
    """A comment of Cleo's on two words."""
    number = uuid4().hex
    comment = {"external_id": number, "text": text, "kind": "span", "word_from": 2, "word_to": 3}
    path = f"/api/v1/attempts/{world.attempt.id}/comments"
    world.client("cleo").post(path, json=comment).raise_for_status()
    return number


def test_a_comment_is_read_as_text_with_the_words_it_is_on(
    world: People, studio: TestClient
) -> None:
    report = f"/attempts/{world.attempt.id}"
    path = f"{report}/comments"
    assert "Nothing yet" in studio.get(path).text
    assert f'"{path}">Comments</a>' in studio.get(report).text
    say(world, BAD)
    assert f'"{path}">Comments (1)<span' in studio.get(report).text
    shown = studio.get(path).text
    assert "Cleo" in shown
    assert "“paged attention”" in shown
    assert "&lt;img" in shown
    assert "<img" not in shown


def test_an_answer_reaches_the_coach_once(world: People, studio: TestClient) -> None:
    parent = say(world, "How does it page?")
    path = f"/attempts/{world.attempt.id}/comments"
    number = re.findall(r'name="external_id" value="(\w+)"', studio.get(path).text)[0]
    form = {"parent": parent, "external_id": number, "text": "In blocks."}
    for _ in range(2):
        assert "In blocks." in studio.post(path, data=form).text
    seen = world.client("cleo").get(f"/api/v1{path.replace('comments', 'review')}").json()
    assert [(each["text"], each["by_owner"]) for each in seen["comments"]] == [
        ("How does it page?", False),
        ("In blocks.", True),
    ]


def test_an_answer_that_will_not_do_is_told_and_kept(world: People, studio: TestClient) -> None:
    parent = say(world, "How does it page?")
    path = f"/attempts/{world.attempt.id}/comments"
    form = {"parent": parent, "external_id": uuid4().hex, "text": "x" * 5_001}
    reply = studio.post(path, data=form)
    assert reply.status_code == 422
    assert "1 to 5,000 characters" in reply.text
    assert "x" * 5_001 in reply.text


def test_a_comment_of_somebody_without_an_account_can_be_deleted(
    world: People, studio: TestClient
) -> None:
    say(world, "from a coach")
    link = f"/s/{world.link}/attempts/{world.attempt.id}"
    guest = world.client(accept="text/html")
    token = re.findall(r'name="csrftoken" value="([^"]+)"', guest.get(link).text)[0]
    sent = {"csrftoken": token, "signed": "Dr. Who", "kind": "answer", "text": "from a guest"}
    assert guest.post(f"{link}/comments", data=sent).status_code == 303
    path = f"/attempts/{world.attempt.id}/comments"
    deletions = re.findall(r'action="([^"]+/delete)"', studio.get(path).text)
    assert len(deletions) == 1
    left = studio.post(deletions[0]).text
    assert "from a guest" not in left and "from a coach" in left
    assert "there is no such comment" in studio.post(deletions[0]).text
