"""The studio's page for sharing an answer, against the real server in this process."""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from client.audio.wav import write_wav
from client.core.settings import ClientSettings
from client.studio.app import create_studio
from client.studio.state.studio import Studio
from tests.server.conftest import make_submission
from tests.worlds.people import People
from tests.worlds.shared_server import (
    SERVER,
    backend_of,
    remote_to,
    server_with_people,
    tone,
    work_off,
)
from tests.worlds.studio_parts import ORIGIN, make_studio


@pytest.fixture
def world(tmp_path: Path) -> Iterator[People]:
    with server_with_people(tmp_path) as made:
        yield made


@pytest.fixture
def page(
    world: People, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., str]]:
    monkeypatch.setattr("client.studio.routes.sharing.open_sharing", lambda _: remote_to(world))
    settings = ClientSettings(home=tmp_path / "home", server=SERVER)
    with closing(make_studio(settings, backend=backend_of(world))) as studio:
        write_wav(tone(1), studio.recordings.path_of(world.attempt.submission.submission_id))
        with TestClient(
            create_studio(studio), base_url=ORIGIN, headers={"Origin": ORIGIN}
        ) as client:
            path = f"/attempts/{world.attempt.id}/share"

            def ask(to: str | None = None, **form: str) -> str:
                reply = client.get(path) if to is None else client.post(path + to, data=form)
                return str(reply.text)

            yield ask


def test_nothing_is_shared_before_a_button_is_pressed(page: Callable[..., str]) -> None:
    shown = page()
    assert "Nobody else." in shown
    assert "spring" in shown
    assert "autumn" not in shown


def test_a_cohort_sees_it_until_it_is_taken_back(page: Callable[..., str], world: People) -> None:
    shown = page("", cohort_id=str(world.spring.id), audio="true")
    assert "Coaches of spring, with the recording" in shown
    assert "The recording is being prepared" in shown
    assert 'data-preparing="queued"' in shown
    assert "Share it again" not in shown
    recording = f"/api/v1/attempts/{world.attempt.id}/recording"
    assert world.client("cleo").get(recording).status_code == 404
    work_off(world)
    assert "The recording is on the server" in page()
    assert world.client("cleo").get(recording).status_code == 200
    (share,) = world.client("ana").get("/api/v1/shares").json()
    assert "Nobody else." in page("/stop", share_id=str(share["id"]))
    assert world.client("cleo").get(recording).status_code == 404


def test_a_link_for_nobody_is_refused_in_words(page: Callable[..., str]) -> None:
    assert "write who the link is for" in page("", label=" ")


def test_without_a_server_there_is_the_file_for_a_coach(studio: Studio, client: TestClient) -> None:
    question = studio.bank.questions[0].id
    attempt = studio.backend.submit(make_submission("hello there", question_id=question))
    shown = client.get(f"/attempts/{attempt.id}/share").text
    assert "A file for a coach" in shown
    assert "cohort" not in shown
