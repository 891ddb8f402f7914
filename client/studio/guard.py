"""Accepts requests from the studio's own pages only, and limits what pages may do.

Any web page can send requests to 127.0.0.1, and with its own name pointed there (DNS rebinding)
read the answers. Its requests carry its name in ``Host`` or ``Origin`` (WebSockets are bound by no
same-origin rule but carry ``Origin`` too), so both are compared with the address served.
"""

from collections.abc import Iterable
from typing import Final

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from server.ui.headers import content_security_policy, with_headers

_LOOPBACK_NAMES: Final = ("127.0.0.1", "localhost", "[::1]")
_SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_WRONG_HOST: Final = "this is not the studio's address"
_WRONG_ORIGIN_CODE: Final = 4403


class Guard:
    """ASGI middleware: checks ``Host``, ``Origin`` and ``Sec-Fetch-Site``, sets the headers.

    Args:
        app: what is guarded.
        port: the port served; ``None`` accepts any (the test client has none).
    """

    def __init__(self, app: ASGIApp, port: int | None) -> None:
        self._app = app
        self._hosts = frozenset(_with_port(_LOOPBACK_NAMES, port))
        self._any_port = port is None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes on what comes from the studio itself."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if refusal is None:
            await self._app(scope, receive, _with_headers(scope, send))
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": _WRONG_ORIGIN_CODE, "reason": refusal})
        else:
            status = 421 if refusal == _WRONG_HOST else 403
            await PlainTextResponse(refusal, status)(scope, receive, _with_headers(scope, send))

    def _refusal(self, scope: Scope) -> str | None:
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._is_ours(hosts[0]):
            return _WRONG_HOST
        origins = headers.getlist("origin")
        wanted = f"http://{hosts[0].lower()}"
        if any(origin.lower() != wanted for origin in origins):
            return "only the studio's own pages may ask for this"
        changes = scope["type"] == "websocket" or scope["method"] not in _SAFE_METHODS
        if changes and not origins:
            return "a request that changes something must say where it comes from"
        foreign = headers.get("sec-fetch-site", "none") not in ("same-origin", "none")
        if foreign and headers.get("sec-fetch-mode") != "navigate":
            return "only the studio's own pages may ask for this"
        return None

    def _is_ours(self, host: str) -> bool:
        name = host.lower()
        if self._any_port:
            head, colon, port = name.rpartition(":")
            name = head if colon and port.isdigit() else name
        return name in self._hosts


def _with_port(names: Iterable[str], port: int | None) -> Iterable[str]:
    for name in names:
        if port in (None, 80):
            yield name
        if port is not None:
            yield f"{name}:{port}"


def _with_headers(scope: Scope, send: Send) -> Send:
    return with_headers(
        send,
        policy=content_security_policy(Headers(scope=scope).get("host", "")),
        permissions="microphone=(self), camera=(), geolocation=()",
    )
