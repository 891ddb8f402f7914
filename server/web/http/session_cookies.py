"""Browser sessions and forms: who signed in, and whether a form comes from one of our pages.

Starlette's signed session cookie, in a version for http and one for https, where it says
``Secure``; and a form's token, an HMAC of the session's own id
(https://cheatsheetseries.owasp.org/cheatsheets/Cross-Site_Request_Forgery_Prevention_Cheat_Sheet.html).
"""

import secrets
from collections.abc import Callable
from datetime import datetime
from typing import Any, Final
from urllib.parse import parse_qsl

from starlette.datastructures import Headers
from starlette.middleware.sessions import SessionMiddleware
from starlette.requests import HTTPConnection, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.accounts.models import Account
from server.accounts.secrets import keyed_digest
from server.accounts.sessions import SESSION_FOR, SessionService, new_session_id
from server.web.http.problems import failure

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
