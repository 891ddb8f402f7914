"""All pages but the first, built with FastAPI."""

from typing import Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.responses import Response

from client.studio.failures import add_failures, failure
from client.studio.routes import (
    attempts,
    comments,
    drills,
    history,
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

_PAGES: Final = (
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


def create_pages(studio: Studio) -> FastAPI:
    """Their application, without what the studio's own one does for all pages.

    Args:
        studio: what the pages share.
    """
    app = FastAPI(title="Aloud studio", docs_url=None, redoc_url=None, openapi_url=None)
    for page in _PAGES:
        app.include_router(page.router(studio))
    add_failures(app, studio)

    def on_invalid(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        first = error.errors()[0]
        name = first["loc"][-1] if first["loc"] else "request"
        return failure(studio, request, 422, "That cannot be read", f"{name}: {first['msg']}")

    app.add_exception_handler(RequestValidationError, on_invalid)
    return app
