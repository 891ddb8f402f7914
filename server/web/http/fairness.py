"""No account's requests crowd out another's: limits on how many, how often, and how long.

They are counted in each process: several processes on one database allow that many times more.
"""

import math
import time
from collections import Counter, OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from server.contract import Evidence, Transcript
from server.core.access import ANONYMOUS, OPEN, Actor
from server.core.errors import AnswerTooLongError
from server.web.http.problems import failure

MAX_ANSWER_CHARS: Final = 20_000
MAX_ANSWER_WORDS: Final = 3_000
"""Twenty minutes of speech at 150 words per minute; interviewers expect two to five."""

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

CHANGES_AT_ONCE: Final = 3
"""Of these, those that grade or store: an account's next answer waits for its last ones, so that
not everybody else's does."""

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
        running = (subject, *((f"changes of {subject}",) if changes else ()))
        most = (AT_ONCE, CHANGES_AT_ONCE)
        busy = any(self._at_once[each] >= limit for each, limit in zip(running, most, strict=False))
        wait_s = 1.0 if busy else self._requests.take(subject)
        if wait_s == 0 and changes:
            wait_s = self._changes.take(subject)
        if wait_s > 0:
            text = f"too many requests; try again in {math.ceil(wait_s)} s"
            headers = {"Retry-After": str(math.ceil(wait_s))}
            reply = failure(Request(scope), 429, "too-many-requests", text, headers=headers)
            await reply(scope, receive, send)
            return
        self._at_once.update(running)
        try:
            await self._app(scope, receive, send)
        finally:
            self._at_once.subtract(running)
            for each in running:
                if not self._at_once[each]:
                    del self._at_once[each]


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
            f"the answer is too long ({words:,} words, {len(transcript.text):,} characters): this "
            f"server grades up to {MAX_ANSWER_WORDS:,} words and {MAX_ANSWER_CHARS:,} characters"
        )
