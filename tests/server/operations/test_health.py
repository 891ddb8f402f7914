"""Readiness, metrics, request ids and the headers of every answer."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import text

from server.attempts.service import Service
from server.core.settings import ServerSettings
from server.web.app import create_app
from tests.worlds.people import People


def app_of(service: Service) -> TestClient:
    return TestClient(
        create_app(ServerSettings(database_url="sqlite://"), service=service),
        base_url="http://localhost",
        raise_server_exceptions=False,
    )


@pytest.mark.every_database
def test_it_is_ready_while_its_worker_runs(service: Service) -> None:
    client = app_of(service)
    with client:
        reply = client.get("/readyz")
        assert reply.status_code == 200
        assert reply.json() == {
            "app": "aloud",
            "ready": True,
            "database": "ok",
            "disk": "ok",
            "migrations": "ok",
            "jobs": "ok",
        }
    reply = client.get("/readyz")
    assert reply.status_code == 503
    assert reply.json()["jobs"] == "no worker runs"


def test_it_is_not_ready_without_room_on_the_disk(
    new_service: Callable[[], Service], monkeypatch: pytest.MonkeyPatch
) -> None:
    service = new_service()
    left = shutil.disk_usage(str(service.database.engine.url.database))
    with app_of(service) as client:
        monkeypatch.setattr("server.db.database.MIN_FREE_BYTES", left.free * 2)
        reply = client.get("/readyz")
        assert (reply.status_code, reply.json()["disk"]) == (503, "full")
        assert client.get("/healthz").status_code == 200, "starting it again frees nothing"
        monkeypatch.undo()
        assert client.get("/readyz").status_code == 200


def test_it_is_not_ready_for_tables_of_another_version(new_service: Callable[[], Service]) -> None:
    service = new_service()
    with service.database.write() as session:
        session.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with app_of(service) as client:
        reply = client.get("/readyz")
    assert reply.status_code == 503
    assert reply.json()["migrations"] == "the tables are another version's"


def test_it_is_not_ready_without_its_database_and_does_not_say_where_that_is(
    new_service: Callable[[], Service],
) -> None:
    service = new_service()
    client = app_of(service)
    path = Path(str(service.database.engine.url.database))
    service.close()
    path.write_bytes(b"no database at all" * 100)
    for again in (1, 2):
        reply = client.get("/readyz")
        assert reply.status_code == 503
        assert str(path) not in reply.text, again


def test_metrics_count_by_route_and_tell_what_is_kept(world: People) -> None:
    for each in (1, 2, 3):
        world.client("ana").get(f"/api/v1/attempts/{each}")
    world.client().get(f"/s/{world.link}")
    message = world.client("ed").get("/metrics").text
    route = 'method="GET",route="/api/v1/attempts/{attempt_id}"'
    assert f'aloud_http_requests_total{{{route},status="200"}} 1.0' in message
    assert f'aloud_http_requests_total{{{route},status="404"}} 2.0' in message
    assert f"aloud_http_request_duration_seconds_count{{{route}}} 3.0" in message
    assert "aloud_attempts 1.0" in message
    assert 'aloud_accounts{role="coach"} 2.0' in message
    assert 'aloud_jobs{state="done"} 1.0' in message
    for secret in (world.link, "ana", "spring", "kv-cache"):
        assert secret not in message


def test_metrics_are_for_admins_and_for_a_server_of_ones_own(
    world: People, new_service: Callable[[], Service]
) -> None:
    assert world.client().get("/metrics").status_code == 401
    assert world.client("cleo").get("/metrics").status_code == 403
    assert app_of(new_service()).get("/metrics").status_code == 200


def test_several_processes_add_up_what_they_count(tmp_path: Path) -> None:
    count = (
        "from server.operations.metrics import Metrics\n"
        "from server.db.database import Database\n"
        "metrics = Metrics(Database('sqlite://'))\n"
        "metrics.answered('GET', '/x', 200, 0.1)\n"
        "print(metrics.text().decode())\n"
    )
    variables = {**os.environ, "PROMETHEUS_MULTIPROC_DIR": str(tmp_path)}
    message = [
        subprocess.run(
            [sys.executable, "-c", count], env=variables, check=True, capture_output=True, text=True
        ).stdout
        for _ in range(2)
    ]
    series = 'aloud_http_requests_total{method="GET",route="/x",status="200"}'
    assert f"{series} 1.0" in message[0]
    assert f"{series} 2.0" in message[1]


def test_a_request_keeps_the_id_it_came_with_if_that_is_harmless(world: People) -> None:
    given = world.client().get("/healthz", headers={"x-request-id": "abc-123-def"})
    assert given.headers["x-request-id"] == "abc-123-def"
    for bad in ("short", 'a"b\\c{}<script>', "x" * 200):
        reply = world.client().get("/healthz", headers={"x-request-id": bad})
        assert reply.headers["x-request-id"] != bad
        assert len(reply.headers["x-request-id"]) == 32


def test_every_answer_has_the_headers(world: People, monkeypatch: pytest.MonkeyPatch) -> None:
    @world.app.get("/api/v1/breaks")
    def breaks() -> None:
        raise RuntimeError("planted")

    client = TestClient(world.app, base_url="http://localhost", raise_server_exceptions=False)
    token = {"authorization": f"Bearer {world.tokens['ana']}"}
    replies = {
        "page": client.get("/sign-in", headers={"accept": "text/html"}),
        "redirect": client.get("/account", headers={"accept": "text/html"}, follow_redirects=False),
        "static": client.get("/static/ui/aloud.css"),
        "json": client.get("/api/v1/attempts", headers=token),
        "not signed in": client.get("/api/v1/attempts"),
        "no such address": client.get("/nothing", headers=token),
        "wrong host": client.get("/", headers={"host": "evil.example"}),
        "too large": client.post("/api/v1/grade", content=b"x" * 9_000_000, headers=token),
        "forged": client.post("/sign-in", data={"name": "ana"}),
        "broken": client.get("/api/v1/breaks", headers=token),
        "broken page": client.get("/api/v1/breaks", headers=token | {"accept": "text/html"}),
    }
    assert [reply.status_code for reply in replies.values()] == [
        *(200, 303, 200, 200, 401, 404, 421, 413, 403, 500, 500)
    ]
    for name, reply in replies.items():
        headers = reply.headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy and "script-src 'self';" in policy, name
        assert "unsafe" not in policy and "frame-ancestors 'none'" in policy, name
        assert "access-control-allow-origin" not in headers, name
        assert headers["x-content-type-options"] == "nosniff", name
        assert headers["referrer-policy"] == "same-origin", name
        assert len(headers["x-request-id"]) == 32, name
        assert "planted" not in reply.text, name
