"""Security headers of all pages; studio and server send the same ones."""

from typing import Final

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_COMMON: Final = {
    "X-Content-Type-Options": "nosniff",
    # not no-referrer: forms would then send "Origin: null"
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_ONE_YEAR_S: Final = 365 * 24 * 60 * 60


def content_security_policy(websocket_host: str = "") -> str:
    """Allows only what the page's own origin serves: no inline script, style attribute or frame.

    Args:
        websocket_host: Safari does not count a WebSocket of the same address as ``'self'``.
    """
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "media-src 'self' blob:; worker-src 'self'; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'; connect-src 'self'"
        + (f" ws://{websocket_host}" if websocket_host else "")
    )


def with_headers(send: Send, *, policy: str, permissions: str, https: bool = False) -> Send:
    """A ``send`` that adds the headers to every response.

    Args:
        send: of the ASGI application.
        policy: the Content-Security-Policy.
        permissions: the Permissions-Policy.
        https: whether the request came over HTTPS, which is then required.
    """

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers["Content-Security-Policy"] = policy
            headers["Permissions-Policy"] = permissions
            for name, value in _COMMON.items():
                headers[name] = value
            if https:
                headers["Strict-Transport-Security"] = f"max-age={_ONE_YEAR_S}"
            headers.setdefault("Cache-Control", "no-store")
        await send(message)

    return sending


class SecurityHeaders:
    """ASGI middleware of the server: allows only its own pages, and no microphone."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes everything on, and adds the headers to the response."""
        if scope["type"] == "http":
            send = with_headers(
                send,
                policy=content_security_policy(),
                permissions="microphone=(), camera=(), geolocation=()",
                https=scope.get("scheme") == "https",
            )
        await self._app(scope, receive, send)
