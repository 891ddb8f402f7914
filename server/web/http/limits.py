"""What happens to every request, unseen by the routes: limits, an ID, a line of log, metrics.

Requests may be too large, too slow, too many, or for another host. No account's requests crowd out
another's. Requests are counted in each process: several processes on one database allow that many
times more.
"""

import asyncio
import logging
import math
import re
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import uuid4

from fastapi import Request
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.contract import Evidence, Transcript
from server.core.access import ANONYMOUS, OPEN, Actor
from server.core.errors import AnswerTooLongError, ServerError
from server.operations.logs import FIELDS, REQUEST_ID
from server.operations.metrics import Metrics
from server.web.http.responses import failure, problem_response

MAX_ANSWER_CHARS: Final = 20_000
MAX_ANSWER_WORDS: Final = 3_000
"""Twenty minutes of speech at 150 words per minute; interviewers expect two to five."""

MAX_ANSWER_BYTES: Final = 1024 * 1024
"""Of an answer to grade: one of the greatest length, with each word's time, has about 400 kB."""

_ANSWERS: Final = ("/api/v1/grade", "/api/v1/attempts")
_NO_LIMITS: Final = ("/static/ui/", "/healthz", "/readyz")


@dataclass(frozen=True)
class Allowance:
    """How many requests an account may make: a stock that fills up again at a steady rate."""

    stock: int
    per_s: float


REQUESTS: Final = Allowance(stock=300, per_s=20)
"""All of them: a page with its scripts is ten, a client's largest export a few hundred."""

CHANGES: Final = Allowance(stock=120, per_s=4)
"""Those that grade or store: a hundred answers waiting in an outbox go out in one go."""

AT_ONCE: Final = 8
"""Requests in progress: a browser opens six connections to a server."""

_SUBJECTS: Final = 10_000
"""Remembered accounts and addresses; one that has been away for longer has a full stock."""


class Fairness:
    """ASGI middleware behind the gate: 429 with ``Retry-After`` for an account that asks too much.

    Requests without an account count by address. A server without accounts has one person and no
    limits.
    """

    def __init__(self, app: ASGIApp, clock_s: Callable[[], float] = time.monotonic) -> None:
        self._app = app
        self._at_once: Counter[str] = Counter()
        self._requests = _Stocks(REQUESTS, clock_s)
        self._changes = _Stocks(CHANGES, clock_s)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes a request on within its account's limits."""
        subject = None if scope["type"] != "http" else _subject(Request(scope))
        changes = subject is not None and scope["method"] not in ("GET", "HEAD")
        if subject is None or scope["path"].startswith(_NO_LIMITS):
            await self._app(scope, receive, send)
            return
        wait_s = 1.0 if self._at_once[subject] >= AT_ONCE else self._requests.take(subject)
        if wait_s == 0 and changes:
            wait_s = self._changes.take(subject)
        if wait_s > 0:
            text = f"too many requests; try again in {math.ceil(wait_s)} s"
            headers = {"Retry-After": str(math.ceil(wait_s))}
            reply = failure(Request(scope), 429, "too-many-requests", text, headers=headers)
            await reply(scope, receive, send)
            return
        self._at_once[subject] += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._at_once[subject] -= 1
            if not self._at_once[subject]:
                del self._at_once[subject]


class _Stocks:
    """The stock of each account, by the token-bucket rule."""

    def __init__(self, allowance: Allowance, clock_s: Callable[[], float]) -> None:
        self._allowance = allowance
        self._clock_s = clock_s
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, subject: str) -> float:
        """Takes one; the seconds until there is one, if there is none now."""
        now_s = self._clock_s()
        left, at_s = self._left.pop(subject, (float(self._allowance.stock), now_s))
        left = min(self._allowance.stock, left + (now_s - at_s) * self._allowance.per_s)
        wait_s = 0.0 if left >= 1 else (1 - left) / self._allowance.per_s
        self._left[subject] = (left - 1 if left >= 1 else left, now_s)
        if len(self._left) > _SUBJECTS:
            self._left.popitem(last=False)
        return wait_s


def _subject(request: Request) -> str | None:
    actor: Actor = request.state.actor
    if actor is OPEN:
        return None
    if actor is ANONYMOUS or actor.account_id is None:
        return f"address {request.client.host if request.client else ''}"
    return f"account {actor.account_id}"


def check_length(transcript: Transcript, evidence: Evidence) -> None:
    """Refuses an answer longer than what somebody says: grading it would keep others waiting.

    Raises:
        AnswerTooLongError: it is longer.
    """
    words = max(len(transcript.words), len(transcript.text.split()))
    places = max(len(evidence.heard), len(evidence.pauses or ()), len(evidence.unintelligible))
    if len(transcript.text) > MAX_ANSWER_CHARS or max(words, places) > MAX_ANSWER_WORDS:
        raise AnswerTooLongError(
            f"the answer is too long ({_count(words, 'word')}, "
            f"{_count(len(transcript.text), 'character')}): this "
            f"server grades up to {MAX_ANSWER_WORDS:,} words and {MAX_ANSWER_CHARS:,} characters"
        )


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


class BodyLimit:
    """ASGI middleware: 413 for a body of more than ``max_bytes``, 408 for one that comes slowly.

    Args:
        app: what reads the body.
        max_bytes: of any request; an answer to grade has ``MAX_ANSWER_BYTES``.
        within_s: how long a whole body may take, in seconds.
    """

    def __init__(self, app: ASGIApp, max_bytes: int, within_s: float) -> None:
        self._app = app
        self._max_bytes = max_bytes
        self._within_s = within_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on while it stays within the limits."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        is_answer = scope["path"] in _ANSWERS
        most = min(self._max_bytes, MAX_ANSWER_BYTES) if is_answer else self._max_bytes
        too_large = HTTPException(413, f"the request is larger than {most:,} bytes")
        for name, value in scope["headers"]:
            if name == b"content-length" and value.isdigit() and int(value) > most:
                await _problem(too_large)(scope, receive, send)
                return
        ends_s = time.monotonic() + self._within_s
        received, is_whole, has_begun = 0, False, False

        async def limited() -> Message:
            nonlocal received, is_whole
            if is_whole:  # what follows is the end of the connection, which may take long
                return await receive()
            try:
                async with asyncio.timeout(max(0.0, ends_s - time.monotonic())):
                    message = await receive()
            except TimeoutError:
                slow = f"the request did not arrive within {self._within_s:g} s"
                raise HTTPException(408, slow, headers={"Connection": "close"}) from None
            if message["type"] == "http.request":
                received += len(message.get("body", b""))
                is_whole = not message.get("more_body", False)
                if received > most:
                    raise too_large
            return message

        async def sending(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        try:
            await self._app(scope, limited, sending)
        except HTTPException as error:  # raised where a middleware reads the body
            if has_begun:
                raise
            await _problem(error)(scope, receive, send)


def _problem(error: HTTPException) -> Response:
    code = {408: "too-slow", 413: "too-large"}[error.status_code]
    headers = dict(error.headers) if error.headers else None
    return problem_response(error.status_code, code, error.detail, headers=headers)


LOOPBACK_HOSTS: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})


class HostCheck:
    """ASGI middleware: 421 for a ``Host`` that is neither this machine nor one of ``hosts``.

    A web page can let its own name point to 127.0.0.1 once the browser has loaded it (DNS
    rebinding), and would then read the answers kept here as if they were its own. Its requests
    still carry its name.
    """

    def __init__(self, app: ASGIApp, hosts: Sequence[str]) -> None:
        self._app = app
        self._hosts = LOOPBACK_HOSTS | {host.lower() for host in hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on if it names this server."""
        if scope["type"] != "http" or "*" in self._hosts:
            await self._app(scope, receive, send)
            return
        named = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
        if len(named) == 1 and _without_port(named[0]).lower() in self._hosts:
            await self._app(scope, receive, send)
            return
        response = problem_response(
            421, "wrong-host", "this server does not go by that name; its settings list its hosts"
        )
        await response(scope, receive, send)


def _without_port(host: str) -> str:
    if host.startswith("["):
        return host.partition("]")[0] + "]"
    return host.partition(":")[0]


logger = logging.getLogger(__name__)

REQUEST_ID_HEADER: Final = "X-Request-ID"
_GIVEN_ID: Final = re.compile(r"[A-Za-z0-9_.-]{8,64}")
_QUIET: Final = ("/healthz", "/readyz", "/metrics", "/static/ui")
_NO_ROUTE: Final = "none"
_FAILED: Final = "an unexpected error; the server's log has it under this request's id"


class Observe:
    """ASGI middleware, outside everything that can fail: reports each request and its failure.

    An unexpected error is answered here, so that this answer too has an id and the headers of all
    others, and raised again for the server's log.
    """

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
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
        route = _pattern(scope)
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
    # what was refused before it was routed has no endpoint
    static = "endpoint" in scope and scope["path"].startswith("/static/ui/")
    return "/static/ui" if static else _NO_ROUTE
