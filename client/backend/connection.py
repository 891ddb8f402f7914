"""One shared server over HTTP: a call sends a wire model and validates the reply."""

import time
from collections.abc import Callable
from typing import Any, Final, Self, TypeVar, cast
from urllib.parse import quote, urlsplit

import httpx
from pydantic import BaseModel, TypeAdapter, ValidationError

from client.backend.protocol import BackendError, SignInNeededError, UnavailableError, failure
from server.contract import Problem
from server.contract.use_cases import UseCase

T = TypeVar("T")

ASKING: Final = httpx.Timeout(4.0, connect=3.0)
"""A server within reach accepts within a second, and looks something up in less."""
DOING: Final = httpx.Timeout(8.0, connect=3.0)
"""For what it grades or changes. The longest answer takes below a second; what is not done by then
is done in the background."""
PATIENT: Final = httpx.Timeout(60.0, connect=3.0)
"""For what nobody waits for, and for what takes its time: archives, deleting everything."""

_SILENT_S: Final = 10.0
"""A server that did not answer in time is not waited for again so soon."""

_RETRY_DELAYS_S: Final = (0.2, 0.8)
"""Bridges a server's restart of one process behind a proxy; a longer absence is the outbox's."""

_LONGEST_PAUSE_S: Final = 5
_MOST_PAUSES: Final = 3
"""A server that limits how often one asks gives a turn within a second or two."""


class _TooSlowError(UnavailableError):
    """It was reached, and did not answer in time."""


class ServerConnection:
    """Calls to one server. Those that are safe to repeat are repeated when they fail halfway.

    Attributes:
        server: its address.
    """

    def __init__(
        self,
        server: str,
        *,
        token: str | None = None,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
        patient: bool = False,
    ) -> None:
        """Makes the client; connects to nothing yet.

        Args:
            server: the address, e.g. ``https://aloud.example.org``.
            token: what the server knows this client by.
            transport: replaces the network in tests.
            sleep: waits between retries.
            patient: nobody waits for it: a slow server is given time.
        """
        self.server = server
        self._has_token = token is not None
        self._sleep = sleep
        self._away = False
        self._patient = patient
        self._silent_until_s = 0.0
        # A proxy from the environment is for the outside, never for this machine.
        local = urlsplit(server).hostname in ("127.0.0.1", "localhost", "::1")
        self._http = httpx.Client(
            base_url=server + "/api/v1/",
            timeout=DOING,
            transport=transport,
            trust_env=not local,
            follow_redirects=False,  # token and answers go to this server alone
            headers={"Accept": "application/json"}
            | ({"Authorization": f"Bearer {token}"} if token else {}),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def ask(
        self,
        use_case: UseCase[T],
        body: BaseModel | None = None,
        *,
        query: BaseModel | None = None,
        repeat: bool = True,
        timeout: httpx.Timeout | None = None,
        leave_out: dict[str, Any] | None = None,
        **named: str | int | None,
    ) -> T:
        """Asks the server for a use case; ``named`` fills in its path and the address's query.

        Other arguments and errors are those of ``call``.
        """
        placed = {each: named.pop(each) for each in list(named) if f"{{{each}}}" in use_case.path}
        filled = {each: quote(str(value), safe="") for each, value in placed.items()}
        path = use_case.path.format(**filled).removeprefix("/")
        if use_case.status == 204:
            self.send(use_case.verb, path, repeat=repeat, timeout=timeout)
            return cast(T, None)
        return self.call(
            use_case.verb,
            path,
            use_case.reply,
            body,
            query=query,
            repeat=repeat,
            timeout=timeout,
            leave_out=leave_out,
            **named,
        )

    def call(
        self,
        method: str,
        path: str,
        reply: type[T],
        body: BaseModel | None = None,
        *,
        query: BaseModel | None = None,
        repeat: bool = True,
        timeout: httpx.Timeout | None = None,
        leave_out: dict[str, Any] | None = None,
        **params: str | int | None,
    ) -> T:
        """Asks the server for something.

        Args:
            method: the HTTP method.
            path: below ``/api/v1/``.
            reply: the wire model that answers.
            body: the wire model that is sent.
            query: a wire model whose fields go into the address.
            repeat: whether a call that failed halfway may be repeated.
            timeout: how long to wait; ``None``: a few seconds.
            leave_out: fields of the body that are not sent, as pydantic's ``exclude``.
            **params: more for the address; ``None`` is left out.

        Raises:
            RejectedError: the server refused.
            UnavailableError: it cannot be reached or cannot answer now.
        """
        asked = {**params, **(query.model_dump(mode="json") if query is not None else {})}
        response = self.send(
            method,
            path,
            body.model_dump_json(exclude=leave_out).encode() if body is not None else None,
            params={name: str(value) for name, value in asked.items() if value is not None},
            repeat=repeat,
            timeout=timeout,
        )
        try:
            return TypeAdapter(reply).validate_json(response.content)
        except ValidationError as error:
            raise UnavailableError(
                f"the server {self.server} sent a reply that this version of Aloud does not "
                "understand; check the address, and upgrade the older of the two"
            ) from error

    def send(
        self,
        method: str,
        path: str,
        content: bytes | None = None,
        *,
        media_type: str = "application/json",
        params: dict[str, str] | None = None,
        repeat: bool = True,
        timeout: httpx.Timeout | None = None,
    ) -> httpx.Response:
        """Sends bytes, and gives the reply of a server that did what was asked.

        Raises:
            RejectedError: the server refused.
            UnavailableError: it cannot be reached or cannot answer now.
        """
        in_haste = timeout is None and not self._patient
        if timeout is None:
            timeout = PATIENT if self._patient else ASKING if method == "GET" else DOING
        if in_haste and time.monotonic() < self._silent_until_s:
            raise _TooSlowError(f"the server {self.server} took too long to answer a moment ago")
        # Nobody waits twice for a server that was away a moment ago.
        delays_s = _RETRY_DELAYS_S if repeat and not self._away else ()
        headers = {"Content-Type": media_type} if content is not None else None
        request = self._http.build_request(
            method, path, params=params, content=content, headers=headers, timeout=timeout
        )
        for delay_s in delays_s:
            try:
                return self._sent(request)
            except (SignInNeededError, _TooSlowError):
                raise
            except UnavailableError:
                self._sleep(delay_s)
        return self._sent(request)

    def _sent(self, request: httpx.Request) -> httpx.Response:
        response = self._answered(request)
        for _ in range(_MOST_PAUSES):
            pause_s = _pause_s(response)
            if pause_s is None:
                break
            self._sleep(pause_s)
            response = self._answered(request)
        if response.is_success:
            self._away = False
            return response
        problem = self._problem(response)
        self._away = isinstance(problem, UnavailableError)
        raise problem

    def _answered(self, request: httpx.Request) -> httpx.Response:
        try:
            response = self._http.send(request)
        except httpx.ReadTimeout as error:
            self._away = True
            self._silent_until_s = time.monotonic() + _SILENT_S
            raise _TooSlowError(f"the server {self.server} {_why(error)}") from error
        except httpx.HTTPError as error:
            self._away = True
            raise UnavailableError(f"the server {self.server} {_why(error)}") from error
        self._silent_until_s = 0.0
        return response

    def _problem(self, response: httpx.Response) -> BackendError:
        problem = _problem_in(response)
        if problem is None:
            return UnavailableError(
                f"the server {self.server} answered {response.status_code}, but not as an Aloud "
                "server does; check the address"
            )
        if response.status_code == 401:
            what = "refuses this client's token" if self._has_token else "requires you to sign in"
            return SignInNeededError(
                f"the server {self.server} {what}: create a token at {self.server}/account and "
                f"run `aloud login {self.server}`"
            )
        prefix = f"the server {self.server} cannot do this now: "
        return failure(
            response.status_code, problem.code, problem.detail, prefix=prefix, errors=problem.errors
        )


def _problem_in(response: httpx.Response) -> Problem | None:
    if not response.headers.get("content-type", "").startswith("application/problem+json"):
        return None
    try:
        return Problem.model_validate_json(response.content)
    except ValidationError:
        return None


def _pause_s(response: httpx.Response) -> float | None:
    """How long the server asks to wait, if that is short: nothing was done, so nothing is lost."""
    asked = response.headers.get("Retry-After", "")
    if response.status_code != 429 or not asked.isdecimal() or int(asked) > _LONGEST_PAUSE_S:
        return None
    return float(asked)


def _why(error: httpx.HTTPError) -> str:
    if isinstance(error, httpx.ConnectTimeout | httpx.ConnectError):
        return "cannot be reached"
    if isinstance(error, httpx.TimeoutException):
        return "took too long to answer"
    return f"broke the connection ({error})" if str(error) else "broke the connection"
