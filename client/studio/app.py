"""The studio's web application, built by a function: there is no global one."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from client.backend.protocol import RejectedError, SignInNeededError, UnavailableError
from client.core.errors import ClientError
from client.studio.guard import Guard
from client.studio.routes import (
    attempts,
    comments,
    drills,
    history,
    home,
    interview,
    microphone,
    practice,
    progress,
    questions,
    repair,
    roles,
    settings,
    sharing,
    sounds,
)
from client.studio.state.studio import Studio
from pronunciation.errors import PronunciationError
from question_bank.errors import BankError
from server.ui.rendering import STATIC as SHARED_STATIC
from server.ui.static_files import Assets

_STATIC = Path(__file__).with_name("static")
_PAGES = (
    home,
    questions,
    roles,
    sounds,
    history,
    progress,
    practice,
    drills,
    attempts,
    repair,
    interview,
    microphone,
    settings,
    sharing,
    comments,
)


def create_studio(studio: Studio, *, port: int | None = None) -> FastAPI:
    """The application.

    Args:
        studio: what the pages share; closed when the application ends.
        port: the port it is served on, which requests must name; ``None``: any, for tests.
    """

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        studio.close()

    app = FastAPI(
        title="Aloud studio", docs_url=None, redoc_url=None, openapi_url=None, lifespan=lifespan
    )
    app.add_middleware(Guard, port=port)
    app.mount("/static/ui", Assets(directory=SHARED_STATIC), name="ui")
    app.mount("/static", Assets(directory=_STATIC), name="static")
    for page in _PAGES:
        app.include_router(page.router(studio))
    _add_failures(app, studio)
    return app


def _add_failures(app: FastAPI, studio: Studio) -> None:
    """Every expected failure is a page (or JSON, where a script asked) with one clear text."""

    def answer(request: Request, status: int, title: str, detail: str) -> Response:
        if "text/html" in request.headers.get("accept", ""):
            return studio.page(request, "failure.html", status, title=title, detail=detail)
        return JSONResponse({"title": title, "detail": detail}, status)

    def on_rejected(request: Request, error: Exception) -> Response:
        missing = isinstance(error, RejectedError) and error.code == "not-found"
        title = "Not found" if missing else "That cannot be done"
        return answer(request, 404 if missing else 422, title, str(error))

    def on_unavailable(request: Request, error: Exception) -> Response:
        sign_in = isinstance(error, SignInNeededError)
        title = "Sign in to the server" if sign_in else "The server is away"
        return answer(request, 503, title, str(error))

    def on_failure(request: Request, error: Exception) -> Response:
        return answer(request, 422, "That did not work", str(error))

    def on_invalid(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        first = error.errors()[0]
        name = first["loc"][-1] if first["loc"] else "request"
        return answer(request, 422, "That cannot be read", f"{name}: {first['msg']}")

    def on_http(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        title = "Not found" if error.status_code == 404 else "That cannot be done"
        return answer(request, error.status_code, title, str(error.detail))

    app.add_exception_handler(UnavailableError, on_unavailable)
    app.add_exception_handler(RejectedError, on_rejected)
    app.add_exception_handler(ClientError, on_failure)
    app.add_exception_handler(PronunciationError, on_failure)
    app.add_exception_handler(BankError, on_failure)
    app.add_exception_handler(RequestValidationError, on_invalid)
    app.add_exception_handler(HTTPException, on_http)
