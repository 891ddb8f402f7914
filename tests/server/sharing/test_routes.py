"""Sharing over HTTP: an owner, coaches, a guest with a link, each on the whole app."""

from types import SimpleNamespace

import pytest
from fastapi.testclient import TestClient

from server.attempts.service import Service
from server.core.settings import ServerSettings
from server.web.app import create_app
from tests.server.sharing.test_encoding import sound
from tests.worlds.new_databases import on_sqlite as on_sqlite
from tests.worlds.people import People, people
from tests.worlds.queues import do_all

API = "/api/v1"
EVIL = "<script>alert(1)</script>"


@pytest.fixture
def world(service: Service, make: SimpleNamespace) -> People:
    return people(service, make.submission(f"I use paged attention {EVIL}"))


def test_a_recording_goes_up_and_is_heard_by_whom_it_is_shared_with(world: People) -> None:
    address = f"{API}/attempts/{world.attempt.id}/recording"
    reply = world.client("ana").put(address, content=sound())
    assert reply.status_code == 202, reply.text
    job = reply.json()
    assert (job["kind"], job["state"]) == ("recording", "queued")
    assert world.client("ana").get(f"{API}/jobs/{job['id']}/file").status_code == 404
    do_all(world.app.state.context.background.worker)
    message = world.client("ana").get(f"{API}/jobs/{job['id']}").json()
    assert (message["state"], message["result"]["attempt_id"]) == ("done", world.attempt.id)
    heard = world.client("cleo").get(address)
    assert heard.content.startswith(b"fLaC")
    part = world.client("cleo").get(address, headers={"range": "bytes=4-9"})
    assert (part.status_code, part.content) == (206, heard.content[4:10])
    assert part.headers["content-range"] == f"bytes 4-9/{len(heard.content)}"
    assert (
        world.client("cleo").get(address, headers={"range": "bytes=-5"}).content
        == (heard.content[-5:])
    )
    beyond = world.client("cleo").get(address, headers={"range": f"bytes={len(heard.content)}-"})
    assert beyond.status_code == 416
    world.client("ana").delete(f"{API}/shares/{world.share_id}")
    assert world.client("cleo").get(address).status_code == 404
    assert world.client("ana").get(address).status_code == 404


def test_what_is_being_prepared_is_heard_by_nobody_and_told_to_its_owner(world: People) -> None:
    address = f"{API}/attempts/{world.attempt.id}/recording"
    world.client("ana").delete(address)
    job = world.client("ana").put(address, content=sound()).json()
    for who in ("ana", "cleo"):
        assert world.client(who).get(address).status_code == 404
    for who, page in (("cleo", f"/coach/attempts/{world.attempt.id}"), (None, f"/s/{world.link}")):
        shown = world.client(who, accept="text/html").get(page).text
        assert "The recording is being prepared" in shown
        assert "<audio" not in shown
    by_link = f"/s/{world.link}/attempts/{world.attempt.id}/recording"
    assert world.client().get(by_link).status_code == 404
    message = world.client("ana").get(f"{API}/attempts/{world.attempt.id}/sharing").json()
    assert message["preparing"] == {
        **{"job_id": job["id"], "state": "queued", "problem": None},
        **{"done_s": 0, "total_s": 0},
    }
    assert world.client("ana").delete(address).status_code == 204
    assert world.client("ana").delete(address).status_code == 404
    do_all(world.app.state.context.background.worker)
    assert world.client("ana").get(address).status_code == 404


def test_what_is_no_recording_or_too_large_is_refused(world: People) -> None:
    address = f"{API}/attempts/{world.attempt.id}/recording"
    assert world.client("ana").put(address, content=b"MZ").status_code == 422
    too_large = world.client("ana").put(address, content=b"fLaC" + bytes(9_000_000))
    assert too_large.status_code == 413
    assert "bytes" in too_large.json()["detail"]


def test_without_accounts_there_is_nobody_to_share_with(service: Service) -> None:
    app = create_app(ServerSettings(database_url="sqlite://"), service=service)
    reply = TestClient(app, base_url="http://localhost").get(f"{API}/shares")
    assert reply.status_code == 403
    assert "aloud bundle export" in reply.json()["detail"]
