"""A test client that takes a third of the processor time of Starlette's."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import httpx2
from anyio.from_thread import BlockingPortal, start_blocking_portal
from fastapi.testclient import TestClient
from starlette.types import ASGIApp

__all__ = ["OneLoopClient"]


class OneLoopClient(TestClient):
    """Starlette's client, but all of them share one event loop, and it is called once a request.

    Starlette's starts a loop and its threads for every request, and hands over to it eight times.
    Within ``with`` the loop is the client's own, and the app is started and stopped, as there. A
    response is whole when it comes: what streams without end is not for this client.
    """

    def __init__(
        self, app: ASGIApp, *, raise_server_exceptions: bool = True, **options: Any
    ) -> None:
        super().__init__(app, raise_server_exceptions=raise_server_exceptions, **options)
        asgi = httpx2.ASGITransport(
            app, raise_app_exceptions=raise_server_exceptions, client=("testclient", 50000)
        )
        self._transport = _OneCall(self, asgi)

    @contextmanager
    def _portal_factory(self) -> Iterator[BlockingPortal]:
        yield self.portal or _shared_loop()


class _OneCall(httpx2.BaseTransport):
    def __init__(self, client: OneLoopClient, asgi: httpx2.ASGITransport) -> None:
        self._client, self._asgi = client, asgi

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        request.read()  # the app's loop cannot wait for a body that this thread makes
        with self._client._portal_factory() as portal:
            return portal.call(self._answer, request)

    async def _answer(self, request: httpx2.Request) -> httpx2.Response:
        reply = await self._asgi.handle_async_request(request)
        content = httpx2.ByteStream(await reply.aread())
        return httpx2.Response(reply.status_code, headers=reply.headers, stream=content)


@cache
def _shared_loop() -> BlockingPortal:
    """A loop in a thread of its own, until the main thread ends."""
    loop = start_blocking_portal()
    portal = loop.__enter__()

    def stop() -> None:
        # The loop's workers are no daemons: Python waits for them, and they for the loop.
        threading.main_thread().join()
        loop.__exit__(None, None, None)

    threading.Thread(target=stop, daemon=True).start()
    return portal
