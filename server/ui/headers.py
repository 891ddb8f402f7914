"""Headers of all pages, the same in studio and server: security, and files that browsers cache."""

import hashlib
import os
from functools import lru_cache
from pathlib import Path
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import FileResponse, Response
from starlette.staticfiles import NotModifiedResponse, StaticFiles
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


class Assets(StaticFiles):
    """The files of a folder; for an unchanged one, the response is 304 without the file.

    A file is identified by its content, not by its time and size as in ``StaticFiles``, because
    packages are unpacked with the same time for every version.
    """

    def file_response(
        self,
        full_path: str | os.PathLike[str],
        stat_result: os.stat_result,
        scope: Scope,
        status_code: int = 200,
    ) -> Response:
        """The file, or 304 if the browser has it already."""
        response = FileResponse(full_path, status_code=status_code, stat_result=stat_result)
        path = Path(full_path)
        response.headers["ETag"] = (
            f'"{_digest(path, stat_result.st_mtime_ns, stat_result.st_size)}"'
        )
        response.headers["Cache-Control"] = (
            "no-cache"  # cache it, but revalidate it before each use
        )
        del response.headers["Last-Modified"]
        if self.is_not_modified(response.headers, Headers(scope=scope)):
            return NotModifiedResponse(response.headers)
        return response


@lru_cache(maxsize=256)
def _digest(path: Path, changed_ns: int, size_bytes: int) -> str:
    """SHA-256 of the content, computed again when the file has changed."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
