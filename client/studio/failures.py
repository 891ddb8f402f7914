"""Shows every expected failure as a page (or JSON, for a script) with one clear text."""

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from client.backend.protocol import RejectedError, SignInNeededError, UnavailableError
from client.core.errors import ClientError
from client.studio.state.studio import Studio
from pronunciation.errors import PronunciationError
from question_bank.errors import BankError


def add_failures(app: Starlette, studio: Studio) -> None:
    """Have an application answer so."""

    def on_rejected(request: Request, error: Exception) -> Response:
        missing = isinstance(error, RejectedError) and error.code == "not-found"
        title = "Not found" if missing else "That cannot be done"
        return failure(studio, request, 404 if missing else 422, title, str(error))

    def on_unavailable(request: Request, error: Exception) -> Response:
        sign_in = isinstance(error, SignInNeededError)
        title = "Sign in to the server" if sign_in else "The server is away"
        return failure(studio, request, 503, title, str(error))

    def on_failure(request: Request, error: Exception) -> Response:
        return failure(studio, request, 422, "That did not work", str(error))

    def on_http(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        title = "Not found" if error.status_code == 404 else "That cannot be done"
        return failure(studio, request, error.status_code, title, str(error.detail))

    app.add_exception_handler(UnavailableError, on_unavailable)
    app.add_exception_handler(RejectedError, on_rejected)
    app.add_exception_handler(ClientError, on_failure)
    app.add_exception_handler(PronunciationError, on_failure)
    app.add_exception_handler(BankError, on_failure)
    app.add_exception_handler(HTTPException, on_http)


def failure(studio: Studio, request: Request, status: int, title: str, detail: str) -> Response:
    """One failure, as the asker reads it."""
    if "text/html" in request.headers.get("accept", ""):
        return studio.page(request, "failure.html", status, title=title, detail=detail)
    return JSONResponse({"title": title, "detail": detail}, status)
