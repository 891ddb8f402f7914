"""Browser sessions and forms: who signed in, and that a form is one of our own pages'.

Starlette's signed session cookie and asgi-csrf's token, each in a version for http and one for
https, where the cookies say ``Secure``.
"""

from collections.abc import Callable
from typing import Any, Final

from asgi_csrf import asgi_csrf_decorator
from starlette.datastructures import Headers
from starlette.middleware.sessions import SessionMiddleware
from starlette.requests import HTTPConnection, Request
from starlette.types import ASGIApp, Receive, Scope, Send

from server.accounts.models import Account
from server.accounts.sessions import SESSION_FOR, SessionService, new_session_id
from server.web.http.problems import failure

SESSION_COOKIE: Final = "aloud_session"
_CSRF_COOKIE: Final = "aloud_csrf"
_FORMS_WITHOUT_SESSION: Final = ("/sign-in", "/invitation/", "/s/")
_MARK: Final = "aloud.csrf-passed"


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
        https = scope.get("scheme") in ("https", "wss")
        if https not in self._by_https:
            self._by_https[https] = SessionMiddleware(
                self._app,
                self._secret(),
                session_cookie=SESSION_COOKIE,
                max_age=int(SESSION_FOR.total_seconds()),
                same_site="lax",
                https_only=https,
            )
        await self._by_https[https](scope, receive, send)


def start_session(request: Request, account: Account) -> None:
    """Signs the account in, in this browser; what the session held before is gone."""
    request.session.clear()
    request.session.update(
        account=account.id, epoch=account.session_epoch, session=new_session_id()
    )


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

    Clients with a token carry no cookie that a foreign page could use, and JSON from a browser
    that is not signed in needs leave (CORS) that is never given.
    """

    def __init__(self, app: ASGIApp, secret: Callable[[], str]) -> None:
        self._app = app
        self._secret = secret
        self._by_https: dict[bool, ASGIApp] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes on what is no forgery."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        passed: list[bool] = []
        try:
            await self._guarded(scope)({**scope, _MARK: passed}, receive, send)
        except (ValueError, TypeError, LookupError, AssertionError):
            # asgi-csrf reads cookies and bodies as if they were always well-formed
            if passed:
                raise
            await failure(Request(scope), 400, "bad-request", "the form cannot be read")(
                scope, receive, send
            )

    def _guarded(self, scope: Scope) -> ASGIApp:
        https = scope.get("scheme") == "https"
        if https not in self._by_https:
            self._by_https[https] = asgi_csrf_decorator(
                cookie_name=_CSRF_COOKIE,
                signing_secret=self._secret() + "csrf",
                cookie_secure=https,
                skip_if_scope=_needs_no_token,
                always_protect={"/sign-in"},
                send_csrf_failed=_refuse,
            )(self._inner)
        return self._by_https[https]

    async def _inner(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope[_MARK].append(True)
        await self._app(scope, receive, send)


def _needs_no_token(scope: Scope) -> bool:
    connection = HTTPConnection(scope)
    if SESSION_COOKIE in connection.cookies:
        return False
    if scope["path"].startswith(_FORMS_WITHOUT_SESSION):
        return False
    return Headers(scope=scope).get("content-type", "").startswith("application/json")


async def _refuse(scope: Scope, send: Send, _: Any) -> None:
    async def receive() -> Any:
        return {"type": "http.disconnect"}

    text = "this form is not from this server's own page, or it is too old; load the page again"
    await failure(Request(scope), 403, "forged", text)(scope, receive, send)
