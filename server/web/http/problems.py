"""Errors as responses: ``application/problem+json`` after RFC 9457, or as a page."""

import logging
from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse

from server.contract import Problem
from server.core.errors import SecondFactorNeededError, ServerError, TooManyTriesError
from server.web.http.pages import pages_of, wants_page

logger = logging.getLogger(__name__)

PROBLEM_TYPE = "application/problem+json"

# A body of 40,000 wrong words need not be answered by 40,000 lines.
_MAX_ERRORS = 20

_PAGE_TITLES = {
    401: "You are not signed in",
    403: "You may not do that",
    404: "There is nothing here",
    409: "That no longer fits",
    408: "That took too long",
    413: "That is too large",
    421: "This server has another name",
    422: "That cannot be used",
    429: "Too many at once",
    503: "Not ready yet",
}
"""What a page says instead of HTTP's own phrases."""


def _documented(status: HTTPStatus) -> dict[str, Any]:
    schema = {"$ref": "#/components/schemas/Problem"}
    return {"description": status.phrase, "content": {PROBLEM_TYPE: {"schema": schema}}}


PROBLEM_RESPONSES: dict[int | str, dict[str, Any]] = {
    "default": {"model": Problem, "description": "An error, as a Problem"},
    422: _documented(HTTPStatus.UNPROCESSABLE_ENTITY),
}


def problem_response(
    status: int,
    code: str,
    detail: str,
    errors: Sequence[str] = (),
    headers: dict[str, str] | None = None,
) -> Response:
    """One error as a response."""
    problem = Problem(
        title=HTTPStatus(status).phrase,
        status=status,
        detail=_printable(detail),
        code=code,
        errors=tuple(_printable(error) for error in errors),
    )
    return Response(
        problem.model_dump_json(), status_code=status, media_type=PROBLEM_TYPE, headers=headers
    )


def failure(
    request: Request,
    status: int,
    code: str,
    detail: str,
    errors: Sequence[str] = (),
    headers: dict[str, str] | None = None,
) -> Response:
    """One error as a page for a person, or as a Problem for a program."""
    if not wants_page(request):
        return problem_response(status, code, detail, errors, headers)
    response = pages_of(request).page(
        request,
        "server/failure.html",
        status,
        title=_PAGE_TITLES.get(status, "Something went wrong"),
        detail=_printable(detail),
        errors=tuple(_printable(error) for error in errors),
    )
    response.headers.update(headers or {})
    return response


def add_problem_handlers(app: FastAPI) -> None:
    """Makes every error of the app a Problem or a page."""
    app.add_exception_handler(ServerError, _server_error)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(Exception, _unexpected)


def _server_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, ServerError)
    if error.status >= 500:
        logger.error("%s: %s", error.code, error, exc_info=error.__cause__)
    if isinstance(error, SecondFactorNeededError) and wants_page(request):
        return RedirectResponse("/account/second-factor", 303)
    headers = {"WWW-Authenticate": "Bearer"} if error.code == "not-signed-in" else {}
    if isinstance(error, TooManyTriesError):
        headers["Retry-After"] = str(error.wait_s)
    return failure(request, error.status, error.code, error.public_text, headers=headers)


def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    found = error.errors()
    # The input is not repeated: it may be a transcript, and it may be large.
    lines = [f"{_place(each['loc'])}: {each['msg']}" for each in found[:_MAX_ERRORS]]
    if len(found) > _MAX_ERRORS:
        lines.append(f"and {len(found) - _MAX_ERRORS} more")
    detail = lines[0] if len(found) == 1 else f"{lines[0]} (and {len(found) - 1} more)"
    return failure(request, 422, "invalid-request", detail, lines)


def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    phrase = HTTPStatus(error.status_code).phrase
    code = phrase.lower().replace(" ", "-")
    # Not "not-found": that one means that an attempt or a question does not exist.
    code = {404: "no-such-address", 408: "too-slow", 413: "too-large"}.get(error.status_code, code)
    headers = dict(error.headers) if error.headers else None
    text = str(error.detail or phrase)
    return failure(request, error.status_code, code, text, headers=headers)


def _unexpected(request: Request, error: Exception) -> Response:
    # Starlette logs it with its traceback and raises it again after this answer went out.
    text = "an unexpected error; the server's log has it"
    return failure(request, 500, "internal-error", text)


def _place(loc: Sequence[Any]) -> str:
    return ".".join(str(part) for part in loc)


def _printable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")
