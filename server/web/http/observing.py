"""Gives every request an ID, logs it and counts it in the metrics."""

import logging
import re
import time
from typing import Any, Final
from uuid import uuid4

from fastapi import Request
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.core.errors import ServerError
from server.operations.logs import FIELDS, REQUEST_ID
from server.operations.metrics import Metrics
from server.web.http.problems import failure, problem_response

logger = logging.getLogger(__name__)

REQUEST_ID_HEADER: Final = "X-Request-ID"
_GIVEN_ID: Final = re.compile(r"[A-Za-z0-9_.-]{8,64}")
_QUIET: Final = ("/healthz", "/readyz", "/metrics", "/static/ui")
_NO_ROUTE: Final = "none"
_FAILED: Final = "an unexpected error; the server's log has it under this request's id"


class RouteMark:
    """ASGI middleware, the innermost: notes the pattern of the route that answered."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes everything on."""
        try:
            await self._app(scope, receive, send)
        finally:
            if scope["type"] == "http":
                scope.setdefault("state", {})["route"] = _pattern(scope)


class Observe:
    """ASGI middleware, outside everything that can fail: reports each request and its failure.

    An unexpected error is answered here, so that this answer too has an id and the headers of all
    others, and raised again for the server's log.
    """

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes everything on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = Headers(scope=scope).get(REQUEST_ID_HEADER, "")
        request_id = given if _GIVEN_ID.fullmatch(given) else uuid4().hex
        state: dict[str, Any] = scope.setdefault("state", {})
        status = 0

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)[REQUEST_ID_HEADER] = request_id
            await send(message)

        token = REQUEST_ID.set(request_id)
        begun_s = time.perf_counter()
        try:
            await self._app(scope, receive, sending)
        except ServerError as error:  # from outside the routes, as when the database is away
            if status:
                raise
            logger.error("%s: %s", error.code, error)
            reply = problem_response(error.status, error.code, error.public_text)
            await reply(scope, receive, sending)
        except Exception as error:
            logger.error("the request failed", exc_info=error)
            if not status:
                await _unexpected(scope)(scope, receive, sending)
            raise
        finally:
            duration_s = time.perf_counter() - begun_s
            self._tell(scope, state, status or 500, duration_s)
            REQUEST_ID.reset(token)

    def _tell(self, scope: Scope, state: dict[str, Any], status: int, duration_s: float) -> None:
        route = state.get("route", _NO_ROUTE)
        self._metrics.answered(scope["method"], route, status, duration_s)
        actor = state.get("actor")
        fields = {
            "method": scope["method"],
            "route": route,
            "status": status,
            "duration_ms": round(duration_s * 1000, 1),
            "account": getattr(actor, "account_id", None),
        }
        level = logging.DEBUG if route in _QUIET and status < 500 else logging.INFO
        logger.log(level, "request", extra={FIELDS: fields})


def _unexpected(scope: Scope) -> ASGIApp:
    try:
        return failure(Request(scope), 500, "internal-error", _FAILED)
    except Exception as error:
        logger.error("the page about the failure failed too", exc_info=error)
        return problem_response(500, "internal-error", _FAILED)


def _pattern(scope: Scope) -> str:
    """The route's pattern; never the address itself, which may hold a secret."""
    # FastAPI keeps a route's pattern with the prefixes of its routers here, Starlette has its own
    context = scope.get("fastapi", {}).get("effective_route_context")
    pattern = getattr(context, "path", None) or getattr(scope.get("route"), "path", None)
    if pattern:
        return str(pattern)
    return "/static/ui" if scope["path"].startswith("/static/ui/") else _NO_ROUTE
