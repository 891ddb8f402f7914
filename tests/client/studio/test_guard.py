"""No other web page reaches the studio, and its own pages are held short."""

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from client.core.settings import ClientSettings
from client.studio.app import create_studio
from tests.worlds.studio_parts import ORIGIN, RunningStudio, make_studio


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "localhost.", "", "0"])
def test_another_name_is_refused(client: TestClient, host: str) -> None:
    assert client.get("/", headers={"Host": host}).status_code == 421


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "LOCALHOST:8018", "[::1]:1"])
def test_this_machine_goes_by_its_own_names(client: TestClient, host: str) -> None:
    headers = {"Host": host, "Origin": f"http://{host}"}
    assert client.get("/", headers=headers).status_code == 200


def test_the_port_served_must_be_named(settings: ClientSettings) -> None:
    app = create_studio(make_studio(settings), port=8018)
    with TestClient(app, base_url="http://127.0.0.1:8018") as client:
        assert client.get("/").status_code == 200
        for host in ("127.0.0.1:8019", "127.0.0.1", "localhost:80180"):
            assert client.get("/", headers={"Host": host}).status_code == 421


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1"]
)
def test_a_page_elsewhere_may_neither_change_nor_read(client: TestClient, origin: str) -> None:
    for method in ("GET", "POST"):
        assert client.request(method, "/engine", headers={"Origin": origin}).status_code == 403
    with (
        pytest.raises(WebSocketDisconnect) as refused,
        client.websocket_connect("/ws/answer", headers={"Origin": origin}),
    ):
        pass
    assert refused.value.code == 4403


def test_a_change_without_an_origin_is_refused(client: TestClient) -> None:
    del client.headers["Origin"]
    assert client.post("/engine/fetch", json={"model": "base.en"}).status_code == 403
    with pytest.raises(WebSocketDisconnect), client.websocket_connect("/ws/answer"):
        pass


def test_another_sites_page_may_link_here_but_embed_nothing(client: TestClient) -> None:
    del client.headers["Origin"]
    link = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    image = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}
    assert client.get("/", headers=link).status_code == 200
    assert client.get("/", headers=image).status_code == 403


def test_every_answer_carries_the_policy(client: TestClient) -> None:
    for path in ("/", "/static/engine_panel.js", "/no-such-page", "/engine"):
        headers = client.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cross-origin-resource-policy"] == "same-origin"


def test_scripts_are_kept_and_asked_for_again_while_pages_are_not_kept(client: TestClient) -> None:
    for path in ("/static/engine_panel.js", "/static/ui/aloud.css"):
        kept = client.get(path).headers
        assert kept["cache-control"] == "no-cache"
        assert client.get(path, headers={"If-None-Match": kept["etag"]}).status_code == 304
    assert client.get("/").headers["cache-control"] == "no-store"


def test_a_real_server_refuses_a_foreign_websocket(running: RunningStudio) -> None:
    from websockets.exceptions import InvalidStatus
    from websockets.sync.client import connect

    address = running.url.replace("http", "ws") + "/ws/answer"
    with pytest.raises(InvalidStatus) as refused:
        connect(address, origin="https://evil.example")  # type: ignore[arg-type]
    assert refused.value.response.status_code == 403


@pytest.fixture
def running(settings: ClientSettings):  # type: ignore[no-untyped-def]
    served = RunningStudio(make_studio(settings))
    yield served
    served.stop()


def test_the_test_clients_origin_is_the_studios(client: TestClient) -> None:
    assert client.headers["Origin"] == ORIGIN
