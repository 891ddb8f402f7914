"""Identifies the actor of a request; without an account, only the open addresses answer.

How a route gets its actor: the middleware puts it into ``request.state.actor``; a route names what
it needs as a parameter:

- ``actor: CurrentActor`` – who makes the request;
- ``service: OwnService`` (in ``context.py``) – the use cases over what belongs to that actor;
- ``dependencies=[needs(Action.COACH)]`` on a router or route – refuses those who may not;
- ``demand(actor, Action.READ, resource)`` in the route, for what belongs to somebody: what the
  actor may not read is reported as not found.

Browsers sign in by Starlette's signed session cookie, in a version for http and one for https,
where it says ``Secure``. A form's token is an HMAC of the session's own id
(https://cheatsheetseries.owasp.org/cheatsheets/Cross-Site_Request_Forgery_Prevention_Cheat_Sheet.html).
"""

import logging
import secrets
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any, Final, cast
from urllib.parse import parse_qsl, quote

from fastapi import Depends, Request
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.middleware.sessions import SessionMiddleware
from starlette.requests import HTTPConnection
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.accounts.credentials import keyed_digest
from server.accounts.models import Account
from server.accounts.service import AccountService
from server.accounts.sessions import SESSION_FOR, SessionService, new_session_id
from server.core.access import ANONYMOUS, OPEN, Action, Actor, Resource, may
from server.core.errors import (
    NotAllowedError,
    NotFoundError,
    NotSignedInError,
    SecondFactorNeededError,
    StoreError,
)
from server.sharing.shown import NOTHING_HERE
from server.web.http.responses import failure, wants_page

SESSION_COOKIE: Final = "aloud_session"
_FORMS_WITHOUT_SESSION: Final = ("/sign-in", "/invitation/", "/s/")
_WITHOUT_SESSION: Final = ("/healthz", "/readyz")
_CODE_WITHIN_S: Final = 300.0
_VISIT: Final = "visit"
_SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
_FORGED: Final = "this form is not from a page of this server, or it is too old; reload the page"
_MAX_FIELDS: Final = 2_000
"""Of a form: a rubric's largest has 600."""


class Sessions:
    """ASGI middleware: ``request.session`` from the signed cookie.

    The cookie is read at each request with the secret that the server has by then.
    """

    def __init__(self, app: ASGIApp, secret: Callable[[], str]) -> None:
        self._app = app
        self._secret = secret
        self._by_https: dict[bool, SessionMiddleware] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes everything on, with its session."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        if scope["path"] in _WITHOUT_SESSION:
            scope["session"] = {}  # whatever has become of the database that has the secret
            await self._app(scope, receive, send)
            return
        https = scope.get("scheme") in ("https", "wss")
        if https not in self._by_https:
            self._by_https[https] = SessionMiddleware(
                self._app,
                self._secret(),
                session_cookie=_named(SESSION_COOKIE, https=https),
                max_age=int(SESSION_FOR.total_seconds()),
                same_site="lax",
                https_only=https,
            )
        await self._by_https[https](scope, receive, send)


def cookie_name(name: str, connection: HTTPConnection) -> str:
    """A cookie's name; over https, no other host and no page sent without TLS can set it."""
    return _named(name, https=connection.url.scheme in ("https", "wss"))


def _named(name: str, *, https: bool) -> str:
    return f"__Host-{name}" if https else name


def start_session(request: Request, account: Account) -> None:
    """Signs the account in, in this browser; clears the session first."""
    request.session.clear()
    request.session.update(
        account=account.id, epoch=account.session_epoch, session=new_session_id()
    )


def ask_for_code(request: Request, account: Account, to: str, now: datetime) -> None:
    """Notes, in this browser, that the password was right and a code is still missing."""
    request.session.clear()
    request.session.update(
        half=account.id, half_epoch=account.session_epoch, half_at=now.timestamp(), to=to
    )


def half_signed_in(request: Request, now: datetime) -> tuple[int, int, str] | None:
    """Account, epoch and where to go, if a code is all that is missing, for a few minutes."""
    kept = [request.session.get(name) for name in ("half", "half_epoch", "half_at", "to")]
    match kept:
        case [int(account_id), int(epoch), float(at), str(to)]:
            if 0 <= now.timestamp() - at < _CODE_WITHIN_S:
                return account_id, epoch, to
    return None


def session_of(request: Request) -> tuple[int, int, str] | None:
    """Account, epoch and session id signed in in this browser; ``None``: nobody is."""
    kept = [request.session.get(name) for name in ("account", "epoch", "session")]
    match kept:
        case [int(account_id), int(epoch), str(session_id)]:
            return account_id, epoch, session_id
    return None


def end_session(request: Request, sessions: SessionService) -> None:
    """Signs out, in this browser; a copy of its cookie opens nothing either."""
    found = session_of(request)
    if found is not None:
        sessions.end(found[0], found[2])
    request.session.clear()


class Csrf:
    """ASGI middleware: a change by a signed-in browser must come from one of our own pages.

    Its form carries a token (``csrftoken``, or the header ``x-csrftoken``) that only this session's
    pages have: one session's token is worthless in another, before and after signing in too.
    Clients with a token of their own carry no cookie that a foreign page could use, and JSON from a
    browser that is not signed in needs leave (CORS) that is never given.
    """

    def __init__(self, app: ASGIApp, secret: Callable[[], str]) -> None:
        self._app = app
        self._secret = secret

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on unless it is forged."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        scope["csrftoken"] = lambda: self._token(_own_id(scope["session"]))
        if scope["method"] in _SAFE_METHODS or _needs_no_token(scope):
            await self._app(scope, receive, send)
            return
        given = Headers(scope=scope).get("x-csrftoken")
        if given is None:
            body, receive = await _read(receive)
            try:
                given = _token_in(scope, body)
            except ValueError:
                reply = failure(Request(scope), 400, "bad-request", "the form cannot be read")
                await reply(scope, receive, send)
                return
        if not self._is_token(scope["session"], given):
            await failure(Request(scope), 403, "forged", _FORGED)(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _token(self, session_id: str) -> str:
        return keyed_digest(self._secret(), f"form:{session_id}")

    def _is_token(self, session: dict[str, Any], given: str) -> bool:
        kept = session.get("session") or session.get(_VISIT)
        return isinstance(kept, str) and secrets.compare_digest(
            given.encode(), self._token(kept).encode()
        )


def _own_id(session: dict[str, Any]) -> str:
    """The id of this browser's session; before signing in, of its visit."""
    if "session" not in session:
        session.setdefault(_VISIT, new_session_id())
    return str(session.get("session") or session[_VISIT])


async def _read(receive: Receive) -> tuple[bytes, Receive]:
    """The whole body, which ``BodyLimit`` keeps small, and what gives it once more."""
    messages: list[Message] = []
    while True:
        messages.append(await receive())
        if not messages[-1].get("more_body", False):
            break
    left = iter(messages)

    async def again() -> Message:
        message = next(left, None)
        return await receive() if message is None else message

    return b"".join(each.get("body", b"") for each in messages), again


def _token_in(scope: Scope, body: bytes) -> str:
    """The token in a form.

    Raises:
        ValueError: it is no form that can be read.
    """
    kind = Headers(scope=scope).get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        return ""  # no form of ours is sent in another way
    fields = parse_qsl(body.decode(), max_num_fields=_MAX_FIELDS)
    return dict(fields).get("csrftoken", "")


def _needs_no_token(scope: Scope) -> bool:
    connection = HTTPConnection(scope)
    if connection.headers.get("authorization", "").lower().startswith("bearer "):
        return True
    if cookie_name(SESSION_COOKIE, connection) in connection.cookies:
        return False
    if scope["path"].startswith(_FORMS_WITHOUT_SESSION):
        return scope["path"] != "/sign-in" and not connection.cookies
    return not connection.cookies or connection.headers.get("content-type", "").startswith(
        "application/json"
    )


logger = logging.getLogger(__name__)

OPEN_PATHS: Final = frozenset({"/healthz", "/readyz", "/sign-in", "/sign-in/code"})
OPEN_PREFIXES: Final = ("/invitation/", "/s/", "/static/ui/")
"""Without an account: signing in, invitations, share links (each with a secret in its address)."""

_NO_ACCOUNTS: Final = (
    "this server can be reached from other machines and has no account yet; on its own machine, "
    "`aloud user add NAME --role admin` makes the first one"
)


class Gate:
    """ASGI middleware: 401, or the sign-in page, without an account once there are accounts."""

    def __init__(self, app: ASGIApp, accounts: AccountService, *, needs_accounts: bool) -> None:
        self._app = app
        self._accounts = accounts
        self._needs_accounts = needs_accounts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes a request on when its actor may come in, and sets ``request.state.actor``."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return  # the server has no WebSockets
        request = Request(scope)
        path: str = scope["path"]
        is_open = path in OPEN_PATHS or path.startswith(OPEN_PREFIXES)
        try:
            actor = await run_in_threadpool(self._actor_of, request)
            if self._needs_accounts and actor.role == "admin" and not actor.has_second_factor:
                actor = replace(actor, lacks_second_factor=True)
            request.state.actor = actor
        except NotSignedInError as error:
            if not is_open:
                await self._turn_away(request, str(error))(scope, receive, send)
                return
            request.state.actor = ANONYMOUS
        except StoreError as error:
            if not is_open:
                logger.error("%s: %s", error.code, error)
                await failure(request, error.status, error.code, error.public_text)(
                    scope, receive, send
                )
                return
            request.state.actor = ANONYMOUS
        if request.state.actor is ANONYMOUS and not is_open:
            none_yet = not await run_in_threadpool(self._accounts.any)
            text = _NO_ACCOUNTS if none_yet else "sign in first"
            await self._turn_away(request, text, none_yet=none_yet)(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _turn_away(self, request: Request, text: str, *, none_yet: bool = False) -> ASGIApp:
        if none_yet:
            return failure(request, 503, "no-accounts", text)
        if request.method in ("GET", "HEAD") and wants_page(request):
            back = request.url.path + (f"?{request.url.query}" if request.url.query else "")
            where = "/sign-in" if back == "/" else f"/sign-in?next={quote(back, safe='/')}"
            return RedirectResponse(where, 303)
        return failure(request, 401, "not-signed-in", text, headers={"WWW-Authenticate": "Bearer"})

    def _actor_of(self, request: Request) -> Actor:
        """The actor of a request.

        Raises:
            NotSignedInError: there is a token, and it is not valid.
        """
        authorization = request.headers.get("authorization", "")
        scheme, _, secret = authorization.partition(" ")
        if scheme.lower() == "bearer":
            # never by the cookie as well: requests with a token are exempt from the forms' check
            actor = self._accounts.actor_of_token(secret.strip())
            if actor is None:
                raise NotSignedInError(
                    "the token is not valid; make a new one on the server's account page"
                )
            return actor
        if cookie_name(SESSION_COOKIE, request) in request.cookies:
            signed_in = session_of(request)
            if signed_in is not None:
                actor = self._accounts.actor_of_session(*signed_in)
                if actor is not None:
                    return actor
        if not self._needs_accounts and not self._accounts.any():
            return OPEN
        return ANONYMOUS


# Dependencies that wait for nothing are async: FastAPI runs the others in a thread, each in turn.
# They take what they need from the request: a dependency of a dependency is resolved on its own.
async def _current_actor(request: Request) -> Actor:
    return cast(Actor, request.state.actor)


CurrentActor = Annotated[Actor, Depends(_current_actor)]
"""The actor of the request."""


def demand(actor: Actor, action: Action, resource: Resource | None = None) -> None:
    """Refuses an actor who may not do this (to this resource).

    Raises:
        NotSignedInError: nobody is signed in.
        NotFoundError: the actor may not even read the resource, so for them it does not exist.
        NotAllowedError: the actor may not do this.
    """
    if may(actor, action, resource):
        return
    if actor is ANONYMOUS:
        raise NotSignedInError("sign in first")
    if resource is not None and not may(actor, Action.READ, resource):
        raise NotFoundError(NOTHING_HERE)
    if actor is OPEN:
        raise NotAllowedError(
            "this server has no accounts; on its own machine, `aloud user add NAME --role admin` "
            "makes the first one"
        )
    if action is Action.MANAGE_ACCOUNTS and actor.lacks_second_factor:
        raise SecondFactorNeededError(
            "admins of a server that others can reach need a second factor; set it up on the "
            "account page"
        )
    raise NotAllowedError(f"this account may not {action}")


def needs(action: Action) -> Any:
    """A dependency that refuses everybody who may not do this."""

    async def check(request: Request) -> None:
        demand(request.state.actor, action)

    return Depends(check)
