"""Refuses requests before a route sees them: too large, too slow, or for another host.

A web page can let its own name point to 127.0.0.1 once the browser has loaded it (DNS rebinding)
and would then read the answers kept here as if they were its own. Its requests still carry its
name, so the server refuses hosts that it does not know.
"""

import asyncio
import time
from collections.abc import Sequence
from typing import Final

from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.web.http.problems import problem_response

MAX_ANSWER_BYTES: Final = 1024 * 1024
"""Of an answer to grade: one of the greatest length, with each word's time, has about 400 kB."""

_ANSWERS: Final = ("/api/v1/grade", "/api/v1/attempts")


class BodyLimit:
    """ASGI middleware: 413 for a body of more than ``max_bytes``, 408 for one that comes slowly.

    Args:
        app: what reads the body.
        max_bytes: of any request; an answer to grade has ``MAX_ANSWER_BYTES``.
        within_s: how long a whole body may take, in seconds.
    """

    def __init__(self, app: ASGIApp, max_bytes: int, within_s: float) -> None:
        self._app = app
        self._max_bytes = max_bytes
        self._within_s = within_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on while it stays within the limits."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        is_answer = scope["path"] in _ANSWERS
        most = min(self._max_bytes, MAX_ANSWER_BYTES) if is_answer else self._max_bytes
        too_large = HTTPException(413, f"the request is larger than {most:,} bytes")
        for name, value in scope["headers"]:
            if name == b"content-length" and value.isdigit() and int(value) > most:
                await _problem(too_large)(scope, receive, send)
                return
        ends_s = time.monotonic() + self._within_s
        received, is_whole, has_begun = 0, False, False

        async def limited() -> Message:
            nonlocal received, is_whole
            if is_whole:  # what follows is the end of the connection, which may take long
                return await receive()
            try:
                async with asyncio.timeout(max(0.0, ends_s - time.monotonic())):
                    message = await receive()
            except TimeoutError:
                slow = f"the request did not arrive within {self._within_s:g} s"
                raise HTTPException(408, slow, headers={"Connection": "close"}) from None
            if message["type"] == "http.request":
                received += len(message.get("body", b""))
                is_whole = not message.get("more_body", False)
                if received > most:
                    raise too_large
            return message

        async def sending(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        try:
            await self._app(scope, limited, sending)
        except HTTPException as error:  # raised where a middleware reads the body
            if has_begun:
                raise
            await _problem(error)(scope, receive, send)


def _problem(error: HTTPException) -> Response:
    code = {408: "too-slow", 413: "too-large"}[error.status_code]
    headers = dict(error.headers) if error.headers else None
    return problem_response(error.status_code, code, error.detail, headers=headers)


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
