"""The studio's file for a coach and what comes back, on this machine and on a shared server."""

import json
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from client.audio.wav import write_wav
from client.core.settings import ClientSettings
from client.studio.app import create_studio
from client.studio.state.studio import Studio
from server.contract import Attempt, Comment, Correction, ReviewDocument, RubricScore
from tests.server.conftest import START, make_submission
from tests.worlds.shared_server import (
    SERVER,
    backend_of,
    remote_to,
    reviews_on,
    server_with_people,
    tone,
)
from tests.worlds.studio_parts import ORIGIN, make_studio

EVIL = "<img src=x onerror=alert(1)>"


@dataclass
class Room:
    """A studio with an answer in it, and a client on its pages."""

    studio: Studio
    client: TestClient
    attempt: Attempt

    @property
    def path(self) -> str:
        return f"/attempts/{self.attempt.id}/share"

    def send(self, *files: tuple[str, bytes], **headers: str) -> Any:
        parts = [("files", each) for each in files]
        return self.client.post(f"{self.path}/comments", files=parts, headers=headers)

    def review(self, *comments: Comment, attempt: Attempt | None = None, **more: Any) -> bytes:
        submission_id = (attempt or self.attempt).submission.submission_id
        document = ReviewDocument(submission_id=submission_id, comments=comments, **more)
        return document.model_dump_json().encode()


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as opened:
        yield opened


@pytest.fixture(params=["embedded", "remote"])
def room(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    stack: ExitStack,
) -> Iterator[Room]:
    settings = ClientSettings(home=tmp_path / "home")
    if request.param == "embedded":
        made = make_studio(settings)
        question = made.bank.questions[0].id
        attempt = made.backend.submit(make_submission("we page it", question_id=question))
    else:
        world = stack.enter_context(server_with_people(tmp_path))
        monkeypatch.setattr("client.backend.opening.open_remote", lambda *_: reviews_on(world))
        monkeypatch.setattr("client.studio.routes.sharing.open_sharing", lambda _: remote_to(world))
        made = make_studio(replace(settings, server=SERVER), backend=backend_of(world))
        attempt = world.attempt
    with (
        closing(made),
        TestClient(create_studio(made), base_url=ORIGIN, headers={"Origin": ORIGIN}) as client,
    ):
        yield Room(made, client, attempt)


def remark(number: int, text: str = "Slower", **more: object) -> Comment:
    values = {"external_id": f"{number:032x}", "text": text, "author": "Dr. Who"}
    return Comment.model_validate(values | {"created_at": START} | more)


def unpacked(reply: Any) -> dict[str, bytes]:
    assert reply.headers["content-type"] == "application/zip", reply.text
    with zipfile.ZipFile(BytesIO(reply.content)) as bundle:
        return {name: bundle.read(name) for name in bundle.namelist()}


def test_a_file_for_a_coach_has_the_sound_only_when_it_is_asked_for(room: Room) -> None:
    write_wav(tone(0.5), room.studio.recordings.path_of(room.attempt.submission.submission_id))
    silent = room.client.get(f"{room.path}/bundle")
    assert silent.headers["content-disposition"].startswith('attachment; filename="aloud-')
    assert set(unpacked(silent)) == {"answer.html", "attempt.json", "comments.json"}
    loud = unpacked(room.client.get(f"{room.path}/bundle?audio=true"))
    assert loud["recording.flac"].startswith(b"fLaC")
    assert b"data:audio/flac;base64,ZkxhQ" in loud["answer.html"]


def test_what_came_back_is_added_once_and_goes_into_the_next_file(room: Room) -> None:
    given = {"author": "Dr. Who", "created_at": START}
    score = RubricScore(external_id="b" * 32, criterion="Structure", score=3, **given)
    wrong = Correction(
        external_id="c" * 32, target="phrase", name="paging", verdict="covered", **given
    )
    back = room.review(remark(1), remark(2, EVIL), scores=(score,), corrections=(wrong,))
    first = room.send(("back.json", back))
    assert first.status_code == 200
    assert "back.json: 2 new comments, 1 new score, 1 new corrected verdict on" in first.text
    assert "this answer</a>, 0 already here" in first.text
    again = room.send((f"{EVIL}.json", back))
    assert "0 new comments on" in again.text
    assert "4 already here" in again.text
    assert EVIL not in again.text
    shown = room.client.get(f"/attempts/{room.attempt.id}/comments").text
    assert "Slower" in shown
    assert EVIL not in shown
    bundle = unpacked(room.client.get(f"{room.path}/bundle"))
    document = json.loads(bundle["comments.json"])
    assert [each["text"] for each in document["comments"]] == ["Slower", EVIL]
    assert [each["author"] for each in document["comments"]] == ["Dr. Who"] * 2
    assert len(document["scores"]) == len(document["corrections"]) == 1


@pytest.mark.parametrize("headers", [{"Origin": "https://evil.example"}, {"Host": "evil.example"}])
def test_no_other_page_can_add_comments(room: Room, headers: dict[str, str]) -> None:
    assert room.send(("back.json", room.review(remark(1))), **headers).status_code in (403, 421)
    assert "Slower" not in room.client.get(f"/attempts/{room.attempt.id}/comments").text
