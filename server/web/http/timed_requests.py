"""Closes connections on which a request begins but does not arrive; uvicorn waits forever.

``server.web.app`` names this class to uvicorn by its import string. What follows a
request's head, its body, is timed by ``server.web.http.limits.BodyLimit``.
"""

import asyncio
from typing import Any, ClassVar

from uvicorn.protocols.http.auto import AutoHTTPProtocol


class TimedRequests(AutoHTTPProtocol):  # type: ignore[valid-type,misc]
    """Uvicorn's protocol; the head of each request has ``head_s`` seconds to arrive."""

    head_s: ClassVar[float] = 10.0
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """A connection that sends nothing is closed too."""
        super().connection_made(transport)
        self._start()

    def data_received(self, data: bytes) -> None:
        """The time runs from a request's first byte to the end of its head."""
        super().data_received(data)
        if self._waits:
            self._start()
        else:
            self._stop()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing is left to wait for."""
        self._stop()
        super().connection_lost(exc)

    @property
    def _waits(self) -> bool:
        """Whether no request has come, or the last one has its response."""
        return self.cycle is None or self.cycle.response_complete

    def _start(self) -> None:
        if self._timer is None:
            self._timer = self.loop.call_later(self.head_s, self._close)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _close(self) -> None:
        self._timer = None
        if self._waits and not self.transport.is_closing():
            self.transport.close()
