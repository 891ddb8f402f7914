"""Requests refused before a route sees them: too large, or addressed to another host.

A web page can let its own name point to 127.0.0.1 once the browser has loaded it (DNS rebinding)
and would then read the answers kept here as if they were its own. Its requests still carry its
name, so the server refuses hosts that it does not know.
"""

from collections.abc import Sequence
from typing import Final

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.web.http.problems import problem_response


class BodyLimit:
    """ASGI middleware: 413 for a body of more than ``max_bytes``."""

    def __init__(self, app: ASGIApp, max_bytes: int) -> None:
        self._app = app
        self._max_bytes = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on while it stays within the limit."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        for name, value in scope["headers"]:
            if name == b"content-length" and value.isdigit() and int(value) > self._max_bytes:
                response = problem_response(413, "too-large", self._detail)
                await response(scope, receive, send)
                return
        received = 0

        async def limited() -> Message:
            nonlocal received
            message = await receive()
            if message["type"] == "http.request":
                received += len(message.get("body", b""))
                if received > self._max_bytes:
                    raise HTTPException(413, self._detail)
            return message

        await self._app(scope, limited, send)

    @property
    def _detail(self) -> str:
        return f"the request is larger than {self._max_bytes:,} bytes"


LOOPBACK_HOSTS: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})


class HostCheck:
    """ASGI middleware: 421 for a ``Host`` that is neither this machine nor one of ``hosts``."""

    def __init__(self, app: ASGIApp, hosts: Sequence[str]) -> None:
        self._app = app
        self._hosts = LOOPBACK_HOSTS | {host.lower() for host in hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on if it names this server."""
        if scope["type"] != "http" or "*" in self._hosts:
            await self._app(scope, receive, send)
            return
        named = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
        if len(named) == 1 and _without_port(named[0]).lower() in self._hosts:
            await self._app(scope, receive, send)
            return
        response = problem_response(
            421, "wrong-host", "this server does not go by that name; its settings list its hosts"
        )
        await response(scope, receive, send)


def _without_port(host: str) -> str:
    if host.startswith("["):
        return host.partition("]")[0] + "]"
    return host.partition(":")[0]
