"""A shared server over HTTP."""

import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Final, Self, TypeVar
from urllib.parse import quote, urlsplit

import httpx
from pydantic import BaseModel, TypeAdapter, ValidationError

from client.backend.protocol import Progress, RejectedError, UnavailableError
from question_bank.models import Bank, Question, RoundName
from server.contract import (
    MAX_PAGE,
    Archive,
    ArchivedAttempt,
    Attempt,
    DrillArchive,
    DrillCard,
    DrillImport,
    DrillQuery,
    DrillQueue,
    DrillReview,
    HistoryPage,
    HistoryQuery,
    ImportResult,
    Problem,
    PurgeRequest,
    PurgeResult,
    RegradeRequest,
    RegradeResult,
    Report,
    ReviewedDrill,
    Submission,
)

__all__ = ["RemoteBackend", "SignInNeededError"]

T = TypeVar("T")

_TIMEOUT: Final = httpx.Timeout(30.0, connect=3.0)
"""A server within reach accepts within a second; grading the longest answer takes below one."""

_REGRADE_TIMEOUT: Final = httpx.Timeout(None, connect=3.0)
"""Grading everything anew takes as long as it takes (5 ms for each answer)."""

_RETRY_DELAYS_S: Final = (0.2, 0.8)
"""Bridges a server's restart of one process behind a proxy; a longer absence is the outbox's."""

_REFUSED: Final = frozenset({400, 404, 409, 410, 413, 422})
"""Refused because of what was sent. The other 4xx are about who sends, when and where to (401,
403, 421, 429 …): after signing in, waiting or correcting the address the same is accepted."""

_POISON: Final = frozenset({"grader-failed"})
"""Failures of the server (5xx) that concern this one answer and must not block the rest."""

_IMPORT_BATCH_BYTES: Final = 4 * 1024 * 1024
"""Half of the server's default limit for a request."""

_QUESTIONS: Final = TypeAdapter(tuple[Question, ...])
_CARDS: Final = TypeAdapter(tuple[DrillCard, ...])


class SignInNeededError(UnavailableError):
    """The server wants a token, or does not take this one (any more); the text says what to do.

    Answers wait meanwhile, as they do for a server that is away.
    """


class RemoteBackend:
    """A backend over HTTP. All calls are safe to repeat, so those that fail half-way are."""

    def __init__(
        self,
        server: str,
        *,
        token: str | None = None,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Makes the client; connects to nothing yet.

        Args:
            server: the address, e.g. ``https://aloud.example.org``.
            token: what the server knows this client by.
            transport: replaces the network in tests.
            sleep: waits between retries.
        """
        self._server = server
        self._has_token = token is not None
        self._sleep = sleep
        self._away = False
        # A proxy from the environment is for the outside, never for this machine.
        local = urlsplit(server).hostname in ("127.0.0.1", "localhost", "::1")
        self._http = httpx.Client(
            base_url=server + "/api/v1/",
            timeout=_TIMEOUT,
            transport=transport,
            trust_env=not local,
            headers={"Accept": "application/json"}
            | ({"Authorization": f"Bearer {token}"} if token else {}),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def bank(self) -> Bank:
        """Everything in the bank."""
        return self._get("bank", Bank)

    def question(self, question_id: str) -> Question:
        """One question of the bank."""
        return self._get(f"bank/questions/{quote(question_id, safe='')}", Question)

    def questions(
        self,
        *,
        role: str | None = None,
        round: RoundName | None = None,
        topic: str | None = None,
    ) -> tuple[Question, ...]:
        """The bank's questions of one role, round or topic, or all."""
        given = {"role": role, "round": round, "topic": topic}
        params = {name: value for name, value in given.items() if value is not None}
        reply = self._request("GET", "bank/questions", params=params)
        return self._parsed(reply, _QUESTIONS.validate_json)

    def grade(self, submission: Submission) -> Report:
        """Grades an answer; nothing is stored."""
        return self._post("grade", submission, Report)

    def submit(self, submission: Submission) -> Attempt:
        """Grades and stores an answer; the same submission is stored only once."""
        return self._post("attempts", submission, Attempt)

    def history(self, query: HistoryQuery | None = None) -> HistoryPage:
        """A page of the stored attempts, newest first."""
        asked = (query or HistoryQuery()).model_dump(mode="json", exclude_none=True)
        return self._get("attempts", HistoryPage, params={k: str(v) for k, v in asked.items()})

    def attempt(self, attempt_id: int) -> Attempt:
        """One attempt with its latest report."""
        return self._get(f"attempts/{attempt_id}", Attempt)

    def delete(self, attempt_id: int) -> None:
        """Deletes one attempt for good."""
        self._request("DELETE", f"attempts/{attempt_id}", repeat=False)

    def purge(self, request: PurgeRequest) -> PurgeResult:
        """Deletes attempts for good: by id, before a time, or all."""
        return self._post("purge", request, PurgeResult, repeat=False)

    def regrade(
        self,
        *,
        dry_run: bool = False,
        question_id: str | None = None,
        progress: Progress | None = None,
    ) -> RegradeResult:
        """Grades stored answers anew; the server tells no progress before it is done."""
        return self._post(
            "regrade",
            RegradeRequest(dry_run=dry_run, question_id=question_id),
            RegradeResult,
            timeout=_REGRADE_TIMEOUT,
        )

    def export_all(self) -> Archive:
        """Everything that is stored."""
        attempts: list[ArchivedAttempt] = []
        after_id: int | None = 0
        while True:
            page = self._get("archive", Archive, params={"after_id": str(after_id)})
            attempts += page.attempts
            after_id = page.next_after_id
            if after_id is None:
                return page.model_copy(
                    update={"attempts": tuple(attempts), "drill_reviews": self._all_reviews()}
                )

    def export_one(self, attempt_id: int) -> Archive:
        """One attempt with all its reports."""
        return self._get(f"attempts/{attempt_id}/archive", Archive)

    def import_attempts(self, attempts: Sequence[ArchivedAttempt]) -> ImportResult:
        """Stores exported attempts, in batches; what is there already is left as it is."""
        imported = skipped = 0
        conflicts: tuple[str, ...] = ()
        for batch in _batches(attempts):
            result = self._post("archive", batch, ImportResult)
            imported += result.imported
            skipped += result.skipped
            conflicts += result.conflicts
        return ImportResult(imported=imported, skipped=skipped, conflicts=conflicts)

    def review_drill(self, review: DrillReview) -> ReviewedDrill:
        """Stores a take of a drill item, once, and schedules the item."""
        return self._post("drills/reviews", review, ReviewedDrill)

    def drill_queue(self, query: DrillQuery | None = None) -> DrillQueue:
        """What is due now, the longest overdue first."""
        asked = (query or DrillQuery()).model_dump(mode="json", exclude_none=True)
        return self._get("drills/queue", DrillQueue, params={k: str(v) for k, v in asked.items()})

    def drill_cards(self, drill_set: str | None = None) -> tuple[DrillCard, ...]:
        """All cards, of one set or over all."""
        params = {} if drill_set is None else {"drill_set": drill_set}
        return self._parsed(
            self._request("GET", "drills/cards", params=params), _CARDS.validate_json
        )

    def import_reviews(self, reviews: Sequence[DrillReview]) -> DrillImport:
        """Stores exported drill reviews, in batches; what is there already is left as it is."""
        imported = skipped = 0
        conflicts: tuple[str, ...] = ()
        for start in range(0, len(reviews), MAX_PAGE):
            batch = DrillArchive(reviews=tuple(reviews[start : start + MAX_PAGE]))
            result = self._post("drills/archive", batch, DrillImport)
            imported += result.imported
            skipped += result.skipped
            conflicts += result.conflicts
        return DrillImport(imported=imported, skipped=skipped, conflicts=conflicts)

    def _all_reviews(self) -> tuple[DrillReview, ...]:
        reviews: list[DrillReview] = []
        after_id: int | None = 0
        while after_id is not None:
            page = self._get("drills/archive", DrillArchive, params={"after_id": str(after_id)})
            reviews += page.reviews
            after_id = page.next_after_id
        return tuple(reviews)

    def _get(self, path: str, model: type[T], params: dict[str, str] | None = None) -> T:
        reply = self._request("GET", path, params=params)
        return self._parsed(reply, TypeAdapter(model).validate_json)

    def _post(
        self,
        path: str,
        body: BaseModel,
        model: type[T],
        *,
        repeat: bool = True,
        timeout: httpx.Timeout = _TIMEOUT,
    ) -> T:
        content = body.model_dump_json().encode()
        reply = self._request("POST", path, content=content, repeat=repeat, timeout=timeout)
        return self._parsed(reply, TypeAdapter(model).validate_json)

    def _request(
        self,
        method: str,
        path: str,
        *,
        params: dict[str, str] | None = None,
        content: bytes | None = None,
        repeat: bool = True,
        timeout: httpx.Timeout = _TIMEOUT,
    ) -> httpx.Response:
        # Nobody waits twice for a server that was away a moment ago.
        delays = _RETRY_DELAYS_S if repeat and not self._away else ()
        headers = {"Content-Type": "application/json"} if content is not None else None
        for delay_s in (*delays, None):
            try:
                reply = self._http.request(
                    method, path, params=params, content=content, headers=headers, timeout=timeout
                )
                self._away = False
                return self._checked(reply)
            except httpx.HTTPError as error:
                away = UnavailableError(f"the server {self._server} {_why(error)}")
                away.__cause__ = error
            except SignInNeededError:
                self._away = True
                raise
            except UnavailableError as error:
                away = error
            if delay_s is None:
                self._away = True
                raise away
            self._sleep(delay_s)
        raise AssertionError  # the last delay is None

    def _checked(self, reply: httpx.Response) -> httpx.Response:
        if reply.is_success:
            return reply
        problem = _problem(reply)
        if problem is None:
            raise UnavailableError(
                f"the server {self._server} answered {reply.status_code} and not as an Aloud "
                "server does; check the address"
            )
        if problem.code in _POISON or (
            reply.status_code in _REFUSED and problem.code != "no-such-address"
        ):
            raise RejectedError(problem.detail, problem.code)
        if reply.status_code == 401:
            raise self._sign_in_needed()
        raise UnavailableError(f"the server {self._server} cannot do this now: {problem.detail}")

    def _sign_in_needed(self) -> "SignInNeededError":
        what = "refuses this client's token" if self._has_token else "wants you to sign in"
        return SignInNeededError(
            f"the server {self._server} {what}: make a token on {self._server}/account and type "
            f"`aloud login {self._server}`"
        )

    def _parsed(self, reply: httpx.Response, parse: Callable[[bytes], T]) -> T:
        try:
            return parse(reply.content)
        except ValidationError as error:
            raise UnavailableError(
                f"the server {self._server} answered something else than this version of Aloud "
                "understands; check the address, and upgrade the older of the two"
            ) from error


def _problem(reply: httpx.Response) -> Problem | None:
    if not reply.headers.get("content-type", "").startswith("application/problem+json"):
        return None
    try:
        return Problem.model_validate_json(reply.content)
    except ValidationError:
        return None


def _why(error: httpx.HTTPError) -> str:
    if isinstance(error, httpx.ConnectTimeout | httpx.ConnectError):
        return "cannot be reached"
    if isinstance(error, httpx.TimeoutException):
        return "took too long to answer"
    return f"broke the connection ({error})" if str(error) else "broke the connection"


def _batches(attempts: Sequence[ArchivedAttempt]) -> list[Archive]:
    batches: list[list[ArchivedAttempt]] = []
    room = 0
    for each in attempts:
        # follows from the rest, and would make the largest answers too large for a request
        attempt = each.model_copy(update={"corrected": None})
        size = len(attempt.model_dump_json())
        if size > room or not batches:
            batches.append([])
            room = _IMPORT_BATCH_BYTES
        batches[-1].append(attempt)
        room -= size
    now = max((attempt.received_at for attempt in attempts), default=None)
    return [Archive(exported_at=now, attempts=tuple(batch)) for batch in batches if now]
