"""An application that is made when it is needed first, or when there is time for it."""

import threading
from collections.abc import Callable

from starlette.concurrency import run_in_threadpool
from starlette.types import ASGIApp, Receive, Scope, Send


class Later:
    """ASGI application: another one, made once.

    Args:
        make: makes it; requests wait for that, those to other applications do not.
    """

    def __init__(self, make: Callable[[], ASGIApp]) -> None:
        self._make = make
        self._made: ASGIApp | None = None
        self._lock = threading.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes everything on."""
        app = self._made
        if app is None:
            app = await run_in_threadpool(self.get_ready)
        await app(scope, receive, send)

    def get_ready(self) -> ASGIApp:
        """Make it now, unless it is made already."""
        with self._lock:
            if self._made is None:
                self._made = self._make()
            return self._made
