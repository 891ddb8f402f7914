"""The studio's web application, built by a function: there is no global one.

It serves the first page and the files of all pages. The other pages are built with FastAPI, once
the first one has been served: importing it takes longer than all that the first page needs.
"""

import socket
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount
from starlette.types import ASGIApp, Receive, Scope, Send

from client.backend.opening import open_backend
from client.backend.protocol import RejectedError, SignInNeededError, UnavailableError
from client.core.errors import ClientError
from client.core.settings import ClientSettings
from client.studio.routes import home
from client.studio.state.engine_state import EngineState
from client.studio.state.studio import Studio
from pronunciation.errors import PronunciationError
from question_bank.errors import BankError, UnknownNameError
from server.ui.headers import Assets, content_security_policy, with_headers
from server.ui.rendering import STATIC as SHARED_STATIC

if TYPE_CHECKING:
    from fastapi import FastAPI


_STATIC = Path(__file__).with_name("static")
_MAX_MESSAGE_BYTES: Final = 1 << 20
_FIRST_PAGE_WITHIN_S: Final = 15.0
_READY_AFTER_S: Final = 0.5
"""The first page goes first, with what it links to. Then the other pages are made, and the voice is
loaded and says the first question into its cache, so that it asks without a wait; the database,
which the first page did without, is opened too."""


def serve(
    settings: ClientSettings,
    listener: socket.socket,
    *,
    engine: str | None,
    model: str | None,
    tell: Callable[[str], None],
) -> None:
    """Serve the studio until interrupted.

    Args:
        settings: name the data folder, bank and server.
        listener: bound to the port that requests must name.
        engine: the transcription engine's name; ``None``: as in the settings.
        model: its weights by name or path; ``None``: as in the settings.
        tell: takes one line for the user.
    """
    with ExitStack() as opened:
        backend = opened.enter_context(open_backend(settings, tell=tell))
        studio = Studio(settings, EngineState(settings, engine, model), backend=backend, tell=tell)
        opened.pop_all()  # the studio closes it
    app = create_studio(studio, port=listener.getsockname()[1])
    threading.Thread(target=app.state.get_ready, name="aloud-ready", daemon=True).start()
    config = uvicorn.Config(
        app, log_level="warning", ws_max_size=_MAX_MESSAGE_BYTES, timeout_graceful_shutdown=3
    )
    uvicorn.Server(config).run(sockets=[listener])


def create_studio(studio: Studio, *, port: int | None = None) -> Starlette:
    """The application.

    Args:
        studio: what the pages share; closed when the application ends.
        port: the port it is served on, which requests must name; ``None``: any, for tests.

    Returns:
        It has ``state.get_ready``, which waits until the first page is out and then loads what the
        others need. Call it on a separate thread.
    """

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        studio.close()

    pages = DeferredApp(lambda: create_pages(studio))

    def get_ready() -> None:
        studio.shown.wait(_FIRST_PAGE_WITHIN_S)
        time.sleep(_READY_AFTER_S)
        pages.get_ready()
        studio.get_ready()

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
    app.state.get_ready = get_ready
    _add_failures(app, studio)
    return app


def create_pages(studio: Studio) -> "FastAPI":
    """The application of all pages but the first; ``create_studio`` adds what all pages need."""
    from fastapi import FastAPI
    from fastapi.exceptions import RequestValidationError

    from client.studio.routes import (
        attempts,
        bank,
        drills,
        history,
        interview,
        plan,
        practice,
        settings,
        sharing,
        sound,
        stories,
    )

    routers = (
        *(bank.router, bank.own_questions_router, stories.router, sound.sounds_router),
        *(history.router, plan.router, plan.progress_router, practice.router, drills.router),
        *(attempts.router, attempts.repair_router, interview.router, sound.router),
        *(settings.router, sharing.router, sharing.comments_router),
    )
    # not by `include_router`, which resolves every route once more at its first request
    routes = [route for router in routers for route in router(studio).routes]
    app = FastAPI(
        title="Aloud studio", routes=routes, docs_url=None, redoc_url=None, openapi_url=None
    )
    _add_failures(app, studio)

    def on_invalid(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        first = error.errors()[0]
        name = first["loc"][-1] if first["loc"] else "request"
        return _failure(studio, request, 422, "That cannot be read", f"{name}: {first['msg']}")

    app.add_exception_handler(RequestValidationError, on_invalid)
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


def _add_failures(app: Starlette, studio: Studio) -> None:
    """Show every expected failure as a page (or JSON, for a script) with one clear text."""

    def on_rejected(request: Request, error: Exception) -> Response:
        missing = isinstance(error, RejectedError) and error.code == "not-found"
        title = "Not found" if missing else "That cannot be done"
        return _failure(studio, request, 404 if missing else 422, title, str(error))

    def on_unavailable(request: Request, error: Exception) -> Response:
        sign_in = isinstance(error, SignInNeededError)
        title = "Sign in to the server" if sign_in else "The server cannot be reached"
        return _failure(studio, request, 503, title, str(error))

    def on_failure(request: Request, error: Exception) -> Response:
        if isinstance(error, UnknownNameError):
            return _failure(studio, request, 404, "Not found", str(error))
        return _failure(studio, request, 422, "That did not work", str(error))

    def on_http(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        title = "Not found" if error.status_code == 404 else "That cannot be done"
        return _failure(studio, request, error.status_code, title, str(error.detail))

    app.add_exception_handler(UnavailableError, on_unavailable)
    app.add_exception_handler(RejectedError, on_rejected)
    app.add_exception_handler(ClientError, on_failure)
    app.add_exception_handler(PronunciationError, on_failure)
    app.add_exception_handler(BankError, on_failure)
    app.add_exception_handler(HTTPException, on_http)


def _failure(studio: Studio, request: Request, status: int, title: str, detail: str) -> Response:
    """A failure in the form that was asked for."""
    if "text/html" in request.headers.get("accept", ""):
        return studio.page(request, "failure.html", status, title=title, detail=detail)
    return JSONResponse({"title": title, "detail": detail}, status)


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
