"""Where a request comes from: the socket's other end, or what a proxy says that is trusted."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from server.core.settings import ServerSettings, sqlite_url
from server.web import app as web_app

PROXY = "10.0.0.5"


@pytest.fixture
def seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Tells which address the server counts for a request, started as ``aloud serve`` does."""
    how: list[dict[str, Any]] = []
    monkeypatch.setattr(uvicorn, "run", lambda app, **options: how.append(options))
    monkeypatch.setattr(web_app, "set_up_logs", lambda level: None)
    settings = ServerSettings(database_url=sqlite_url(tmp_path / "aloud.db"))
    web_app.run(settings, host="127.0.0.1", port=0, workers=1, tell=lambda line: None)

    def address(peer: str, forwarded: str | None) -> str:
        found: list[str] = []

        async def app(scope: Any, receive: Any, send: Any) -> None:
            found.append(scope["client"][0])

        config = uvicorn.Config(app, **how[0])
        config.load()
        headers = [(b"x-forwarded-for", forwarded.encode())] if forwarded is not None else []
        scope = {"type": "http", "client": (peer, 4711), "scheme": "http", "headers": headers}

        async def ask() -> None:
            await config.loaded_app(scope, None, None)

        # A thread of its own: the browser tests leave a loop running in this one.
        with ThreadPoolExecutor(1) as thread:
            thread.submit(lambda: asyncio.run(ask())).result()
        return found[0]

    return address


@pytest.mark.parametrize(
    ("peer", "forwarded", "counted"),
    [
        (PROXY, None, PROXY),
        (PROXY, "203.0.113.9", "203.0.113.9"),
        # what a client wrote itself stands before what the proxy adds
        (PROXY, "127.0.0.1, 203.0.113.9", "203.0.113.9"),
        ("203.0.113.9", "198.51.100.1", "203.0.113.9"),
        ("127.0.0.1", "198.51.100.1", "127.0.0.1"),
    ],
)
def test_only_the_configured_proxy_is_believed(
    seen: Any, monkeypatch: pytest.MonkeyPatch, peer: str, forwarded: str | None, counted: str
) -> None:
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", PROXY)
    assert seen(peer, forwarded) == counted


def test_without_a_configured_proxy_only_this_machine_is_believed(
    seen: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FORWARDED_ALLOW_IPS", raising=False)
    assert seen(PROXY, "198.51.100.1") == PROXY
    assert seen("203.0.113.9", "127.0.0.1") == "203.0.113.9"
    assert seen("127.0.0.1", "198.51.100.1") == "198.51.100.1"
