"""The studio's web application, built by a function: there is no global one.

It serves the first page and the files of all pages; the others follow when that is out.
"""

import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.routing import Mount
from starlette.types import ASGIApp, Receive, Scope, Send

from client.studio.failures import add_failures
from client.studio.guard import Guard
from client.studio.routes import home
from client.studio.state.studio import Studio
from server.ui.rendering import STATIC as SHARED_STATIC
from server.ui.static_files import Assets

_STATIC = Path(__file__).with_name("static")


def create_studio(studio: Studio, *, port: int | None = None) -> Starlette:
    """The application.

    Args:
        studio: what the pages share; closed when the application ends.
        port: the port it is served on, which requests must name; ``None``: any, for tests.

    Returns:
        It has ``state.pages``, which can be told to get the other pages ready.
    """

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        studio.close()

    def other_pages() -> Starlette:
        from client.studio.pages import create_pages

        return create_pages(studio)

    pages = DeferredApp(other_pages)
    app = Starlette(
        routes=[
            Mount("/static/ui", Assets(directory=SHARED_STATIC), name="ui"),
            Mount("/static", Assets(directory=_STATIC), name="static"),
            home.route(studio),
            Mount("/", pages),
        ],
        middleware=[Middleware(Guard, port=port)],
        lifespan=lifespan,
    )
    app.state.pages = pages
    add_failures(app, studio)
    return app


class DeferredApp:
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
