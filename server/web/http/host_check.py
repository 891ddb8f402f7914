"""Refuses requests that name another host: a web page elsewhere must not reach this server.

A page can let its own name point to 127.0.0.1 once the browser has loaded it (DNS rebinding) and
would then read the answers kept here as if they were its own. Its requests still carry its name.
"""

from collections.abc import Sequence
from typing import Final

from starlette.types import ASGIApp, Receive, Scope, Send

from server.web.http.problems import problem_response

__all__ = ["LOOPBACK_HOSTS", "HostCheck"]

LOOPBACK_HOSTS: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})


class HostCheck:
    """ASGI middleware: 421 for a ``Host`` that is neither this machine nor one of ``hosts``."""

    def __init__(self, app: ASGIApp, hosts: Sequence[str]) -> None:
        self._app = app
        self._hosts = LOOPBACK_HOSTS | {host.lower() for host in hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on where it names this server."""
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
