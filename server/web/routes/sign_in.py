"""Signing in and out, and using an invitation."""

from functools import cache
from typing import Annotated, Final

from fastapi import APIRouter, Form, Path, Request
from starlette.responses import RedirectResponse, Response

from server.accounts.known_browsers import KNOWN_FOR_S
from server.accounts.models import Account
from server.accounts.passwords import MIN_PASSWORD
from server.core.errors import InvalidInputError, TooManyTriesError, WrongSignInError
from server.web.http.context import AppContext, Context
from server.web.http.gate import CurrentActor
from server.web.http.session_cookies import end_session, start_session

Secret = Annotated[str, Path(max_length=200)]
Typed = Annotated[str, Form(max_length=2000)]

FIRST_PAGE: Final = "/"
KNOWN_COOKIE: Final = "aloud_known"


@cache
def sign_in_router() -> APIRouter:
    """The pages ``/sign-in``, ``/sign-out`` and ``/invitation/…``."""
    router = APIRouter(include_in_schema=False)

    @router.get("/sign-in")
    def form(
        request: Request, actor: CurrentActor, context: AppContext, next: str = FIRST_PAGE
    ) -> Response:
        """Ask for name and password."""
        if actor.has_account:
            return RedirectResponse(_local(next), 303)
        return context.pages.page(request, "accounts/sign_in.html", next=_local(next))

    @router.post("/sign-in")
    def sign_in(
        request: Request,
        context: AppContext,
        name: Typed = "",
        password: Typed = "",
        next: Annotated[str, Form()] = FIRST_PAGE,
    ) -> Response:
        """Begin a session."""
        mark = request.cookies.get(KNOWN_COOKIE, "")
        try:
            account = context.accounts.sign_in(name, password, _address(request), mark)
        except (WrongSignInError, TooManyTriesError) as error:
            page = context.pages.page(
                request,
                "accounts/sign_in.html",
                error.status,
                next=_local(next),
                name=name,
                problem=str(error),
            )
            if isinstance(error, TooManyTriesError):
                page.headers["Retry-After"] = str(error.wait_s)
            return page
        return _signed_in(request, context, account, _local(next))

    @router.post("/sign-out")
    def sign_out(request: Request, context: AppContext) -> Response:
        """End this browser's session."""
        end_session(request, context.accounts.sessions)
        return RedirectResponse("/sign-in", 303)

    @router.get("/invitation/{secret}")
    def invitation(request: Request, secret: Secret, context: AppContext) -> Response:
        """Ask for the password to have."""
        return context.pages.page(
            request,
            "accounts/invitation.html",
            invited=context.accounts.invitations.account(secret),
            min_password=MIN_PASSWORD,
        )

    @router.post("/invitation/{secret}")
    def accept(
        request: Request,
        secret: Secret,
        context: AppContext,
        password: Typed = "",
        again: Typed = "",
    ) -> Response:
        """Set the password and begin a session."""
        try:
            if password != again:
                raise InvalidInputError("the two passwords differ")
            account = context.accounts.accept(secret, password, _address(request))
        except InvalidInputError as error:
            return context.pages.page(
                request,
                "accounts/invitation.html",
                error.status,
                invited=context.accounts.invitations.account(secret),
                min_password=MIN_PASSWORD,
                problem=str(error),
            )
        return _signed_in(request, context, account, "/account")

    return router


def _address(request: Request) -> str:
    """Where a request comes from: the socket's other end, or what a proxy says that we trust.

    uvicorn believes ``X-Forwarded-For`` from the addresses in ``FORWARDED_ALLOW_IPS`` only.
    """
    return request.client.host if request.client else ""


def _signed_in(request: Request, context: Context, account: Account, to: str) -> Response:
    """Begins the session, and marks the browser so that strangers do not slow it down."""
    start_session(request, account)
    back = RedirectResponse(to, 303)
    back.set_cookie(
        KNOWN_COOKIE,
        context.accounts.known_browsers.mark(account.name),
        max_age=KNOWN_FOR_S,
        path="/sign-in",
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="lax",
    )
    return back


def _local(address: str) -> str:
    """Only an address of this server: a link to the sign-in page must not lead elsewhere."""
    inside = address.startswith("/") and not address.startswith(("//", "/\\"))
    return address if inside and address.isprintable() and "\\" not in address else FIRST_PAGE
