"""Refuses a request whose body is too large, whether its length is declared or not."""

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.web.http.problems import problem_response

__all__ = ["BodyLimit"]


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
