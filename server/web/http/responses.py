"""Responses: the server's pages, errors as a page or by RFC 9457 (``problem+json``), and files.

Files are saved, or are sound, whole or by ranges for a player.
"""

import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final, cast
from urllib.parse import quote

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from server.contract import Problem
from server.core.access import ANONYMOUS, Action, Actor, may
from server.core.errors import SecondFactorNeededError, ServerError, TooManyTriesError
from server.jobs.job import MadeFile
from server.sharing.recordings import Sound
from server.ui.rendering import environment


@dataclass(frozen=True)
class MenuEntry:
    """A page of the main menu, for people with the right to use it."""

    name: str
    href: str
    text: str
    action: Action


MENU: Final = (
    MenuEntry("coach", "/coach", "Cohorts", Action.COACH),
    MenuEntry("queue", "/coach/queue", "Reviews", Action.COACH),
    MenuEntry("bank", "/coach/bank", "Question bank", Action.EDIT_BANK),
    MenuEntry("accounts", "/admin/accounts", "Accounts", Action.MANAGE_ACCOUNTS),
    MenuEntry("cohorts", "/admin/cohorts", "Cohorts", Action.MANAGE_ACCOUNTS),
    MenuEntry("account", "/account", "Account", Action.OWN_ACCOUNT),
)


class Pages:
    """Renders the templates of ``server/ui/templates``.

    A template has ``actor``, ``path``, ``menu``, ``may(action)`` (by the action's name, as in
    ``may("COACH")``), and ``csrf()``: what each form sends as ``csrftoken``.
    """

    def __init__(self) -> None:
        self._environment = environment()

    def page(
        self, request: Request, template: str, status: int = 200, **values: Any
    ) -> HTMLResponse:
        """One page as a response."""
        actor: Actor = getattr(request.state, "actor", ANONYMOUS)
        html = self._environment.get_template(template).render(
            actor=actor,
            path=request.url.path,
            menu=[
                (entry.name, entry.href, entry.text) for entry in MENU if may(actor, entry.action)
            ],
            may=lambda action: may(actor, Action[action]),
            csrf=lambda: csrf_token(request),
            **values,
        )
        return HTMLResponse(html, status)


def csrf_token(request: Request) -> str:
    """What a form of this page sends as ``csrftoken``, or a script as ``x-csrftoken``.

    Asking for it sets the cookie that it is compared with.
    """
    make = request.scope.get("csrftoken")
    return str(make()) if callable(make) else ""


def wants_page(request: Request) -> bool:
    """Whether a person, not a program, reads the response."""
    api = request.url.path.startswith("/api/")
    return not api and "text/html" in request.headers.get("accept", "")


def pages_of(connection: HTTPConnection) -> Pages:
    """The pages of the app that answers this request."""
    return cast(Pages, connection.app.state.pages)


def invitation_link(request: Request, secret: str) -> str:
    """The address at which an invitation is used."""
    return f"{str(request.base_url).rstrip('/')}/invitation/{secret}"


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


def _place(loc: Sequence[Any]) -> str:
    return ".".join(str(part) for part in loc)


def _printable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


_RANGE: Final = re.compile(r"bytes=(\d{0,18})-(\d{0,18})")


def file_response(file: MadeFile) -> Response:
    """A file to download, never to show inline: its content comes from other people."""
    plain = "".join(char if char.isascii() and char.isprintable() else "_" for char in file.name)
    plain = re.sub(r'["\\%/]', "_", plain)
    return Response(
        file.content,
        media_type=file.media_type,
        headers={
            "Content-Disposition": (
                f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(file.name, safe='')}"
            ),
            "Cache-Control": "no-store",
        },
    )


def sound_response(request: Request, sound: Sound) -> Response:
    """The recording, or the one range of it that the request names (RFC 9110, section 14)."""
    headers = {
        "Accept-Ranges": "bytes",
        "Cache-Control": "private, no-cache",
        "Content-Disposition": "inline",
        "ETag": f'"{sound.sha256}"',
    }
    size = len(sound.content)
    asked = _RANGE.fullmatch(request.headers.get("range", ""))
    fresh = request.headers.get("if-range", headers["ETag"]) == headers["ETag"]
    if asked is None or not fresh or asked.groups() == ("", ""):
        return Response(sound.content, media_type=sound.media_type, headers=headers)
    first, last = _bounds(asked[1], asked[2], size)
    if first > last:
        return Response(status_code=416, headers=headers | {"Content-Range": f"bytes */{size}"})
    headers["Content-Range"] = f"bytes {first}-{last}/{size}"
    part = sound.content[first : last + 1]
    return Response(part, 206, media_type=sound.media_type, headers=headers)


def _bounds(first: str, last: str, size: int) -> tuple[int, int]:
    """First and last byte; the first is after the last if there is nothing to send."""
    if not first:  # that many bytes from the end
        return (max(0, size - int(last)), size - 1) if int(last) else (1, 0)
    end = min(int(last), size - 1) if last else size - 1
    return (int(first), end) if int(first) < size else (1, 0)
