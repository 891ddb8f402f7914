"""Limits on requests: too large, too slow, too many, or for another host. Routes do not see them.

No account's requests crowd out another's. Requests are counted in each process: several processes
on one database allow that many times more.
"""

import asyncio
import math
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.contract import Evidence, Transcript
from server.core.access import ANONYMOUS, OPEN, Actor
from server.core.errors import AnswerTooLongError
from server.web.http.problems import failure, problem_response

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
