"""Identifies the actor of a request; without an account, only the open addresses answer.

How a route gets its actor: the middleware puts it into ``request.state.actor``; a route names what
it needs as a parameter:

- ``actor: CurrentActor`` – who makes the request;
- ``service: OwnService`` (in ``context.py``) – the use cases over what belongs to that actor;
- ``dependencies=[needs(Action.COACH)]`` on a router or route – refuses those who may not;
- ``demand(actor, Action.READ, resource)`` in the route, for what belongs to somebody: what the
  actor may not read is reported as not found.
"""

import logging
from dataclasses import replace
from typing import Annotated, Any, Final, cast
from urllib.parse import quote

from fastapi import Depends, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from server.accounts.service import AccountService
from server.core.access import ANONYMOUS, OPEN, Action, Actor, Resource, may
from server.core.errors import (
    NotAllowedError,
    NotFoundError,
    NotSignedInError,
    SecondFactorNeededError,
    StoreError,
)
from server.web.http.pages import wants_page
from server.web.http.problems import failure
from server.web.http.session_cookies import SESSION_COOKIE, cookie_name, session_of

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
        raise NotFoundError("there is nothing here, or it is not shared with you")
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
