"""Signing in and out, with or without a second factor, invitations, and the account page.

The account page changes the password, sets up the second factor, makes tokens for clients,
downloads all data and deletes the account.
"""

from collections.abc import Callable, Iterator
from functools import cache
from typing import IO, Annotated, Any, Final

import segno
from fastapi import APIRouter, Form, Path, Request
from starlette.responses import RedirectResponse, Response, StreamingResponse

from server.accounts.credentials import KNOWN_FOR_S, MIN_PASSWORD
from server.accounts.models import Account
from server.accounts.second_factor import new_totp_secret, totp_address
from server.attempts.service import Service
from server.contract import Archive
from server.core.access import Action, Actor
from server.core.clock import utc_now
from server.core.errors import (
    InvalidInputError,
    NotFoundError,
    ServerError,
    TooManyTriesError,
    WrongSignInError,
)
from server.operations.account_data import everything_of
from server.review.service import ReviewService
from server.web.http.context import AppContext, Context, OwnService
from server.web.http.gate import (
    CurrentActor,
    ask_for_code,
    cookie_name,
    end_session,
    half_signed_in,
    needs,
    start_session,
)

Secret = Annotated[str, Path(max_length=200)]
Typed = Annotated[str, Form(max_length=2000)]

FIRST_PAGE: Final = "/"
KNOWN_COOKIE: Final = "aloud_known"
_CHUNK_BYTES: Final = 256 * 1024


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
        mark = request.cookies.get(cookie_name(KNOWN_COOKIE, request), "")
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
        return opened(request, context, account, _local(next))

    @router.post("/sign-out")
    def sign_out(request: Request, context: AppContext) -> Response:
        """End this browser's session."""
        end_session(request, context.accounts.sessions)
        return RedirectResponse("/sign-in", 303)

    @router.get("/invitation/{secret}")
    def invitation(request: Request, secret: Secret, context: AppContext) -> Response:
        """Ask for a new password."""
        return _invitation(request, context, secret)

    @router.post("/invitation/{secret}")
    def accept(
        request: Request,
        secret: Secret,
        context: AppContext,
        password: Typed = "",
        again: Typed = "",
        keep_tokens: Typed = "",
    ) -> Response:
        """Set the password and begin a session."""
        try:
            if password != again:
                raise InvalidInputError("the two passwords differ")
            account = context.accounts.accept(
                secret, password, _address(request), keeps_tokens=bool(keep_tokens)
            )
        except InvalidInputError as error:
            return _invitation(request, context, secret, error.status, str(error))
        return opened(request, context, account, "/account")

    return router


def _invitation(
    request: Request, context: Context, secret: str, status: int = 200, problem: str | None = None
) -> Response:
    invited = context.accounts.invitations.account(secret)
    valid = [each for each in context.accounts.tokens.of(invited.id) if each.revoked_at is None]
    return context.pages.page(
        request,
        "accounts/invitation.html",
        status,
        invited=invited,
        tokens=len(valid),
        min_password=MIN_PASSWORD,
        problem=problem,
    )


def _address(request: Request) -> str:
    """Where a request comes from: the socket's other end, or what a trusted proxy says.

    uvicorn accepts ``X-Forwarded-For`` only from the addresses in ``FORWARDED_ALLOW_IPS``.
    """
    return request.client.host if request.client else ""


def opened(request: Request, context: Context, account: Account, to: str) -> Response:
    """Begins the session of somebody whose password is right, or asks for a code first."""
    if account.has_second_factor:
        ask_for_code(request, account, to, context.accounts.now())
        return RedirectResponse("/sign-in/code", 303)
    return signed_in(request, context, account, to)


def signed_in(request: Request, context: Context, account: Account, to: str) -> Response:
    """Begins the session, and marks the browser so that strangers do not slow it down."""
    start_session(request, account)
    back = RedirectResponse(to, 303)
    back.set_cookie(
        cookie_name(KNOWN_COOKIE, request),
        context.accounts.known_browsers.mark(account.name),
        max_age=KNOWN_FOR_S,
        path="/" if request.url.scheme == "https" else "/sign-in",  # __Host- has no path
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="lax",
    )
    return back


def _local(address: str) -> str:
    """Allows only an address of this server, because a sign-in link must not lead elsewhere."""
    inside = address.startswith("/") and not address.startswith(("//", "/\\"))
    return address if inside and address.isprintable() and "\\" not in address else FIRST_PAGE


@cache
def account_router() -> APIRouter:
    """The pages under ``/account``."""
    router = APIRouter(
        prefix="/account", include_in_schema=False, dependencies=[needs(Action.OWN_ACCOUNT)]
    )

    @router.get("")
    def account(request: Request, actor: CurrentActor, context: AppContext) -> Response:
        """Show the account with its tokens and cohorts."""
        return _page(request, actor, context)

    @router.post("/password")
    def change_password(
        request: Request,
        actor: CurrentActor,
        context: AppContext,
        old: Typed = "",
        password: Typed = "",
        again: Typed = "",
        revoke_tokens: Typed = "",
    ) -> Response:
        """Change the password and sign out other browsers."""

        def change() -> None:
            if password != again:
                raise InvalidInputError("the two passwords differ")
            changed = context.accounts.change_password(
                id_of(actor), old, password, keeps_tokens=not revoke_tokens
            )
            start_session(request, changed)

        return _done(request, actor, context, change, "password")

    @router.post("/sign-out-everywhere")
    def sign_out_everywhere(request: Request, actor: CurrentActor, context: AppContext) -> Response:
        """End all sessions, including this one."""
        context.accounts.end_sessions(id_of(actor), by=actor.account_id)
        end_session(request, context.accounts.sessions)
        return RedirectResponse("/sign-in", 303)

    @router.post("/tokens")
    def add_token(
        request: Request, actor: CurrentActor, context: AppContext, label: Typed = ""
    ) -> Response:
        """Make a token and show it, once."""
        try:
            made = context.accounts.tokens.add(id_of(actor), label, by=actor.account_id)
        except ServerError as error:
            return _page(request, actor, context, error.status, problem=str(error), at="tokens")
        return _page(request, actor, context, new_token=made)

    @router.post("/tokens/{token_id}/revoke")
    def revoke_token(
        actor: CurrentActor, context: AppContext, token_id: Annotated[int, Path()]
    ) -> Response:
        """Revoke a token."""
        context.accounts.tokens.revoke(id_of(actor), token_id, by=actor.account_id)
        return RedirectResponse("/account#tokens", 303)

    @router.get("/export")
    def export(service: OwnService) -> Response:
        """Everything that is theirs, as `aloud import` reads it."""
        return StreamingResponse(
            _archive(service),
            media_type="application/json",
            headers={"Content-Disposition": 'attachment; filename="aloud-archive.json"'},
        )

    @router.get("/everything")
    def everything(actor: CurrentActor, service: OwnService, context: AppContext) -> Response:
        """Answers with all that belongs to them, and what was written about others, as a zip."""
        reviews = ReviewService(context.service.database)
        file = everything_of(actor, context.accounts, service, context.sharing, reviews, utc_now())
        return StreamingResponse(
            _chunks(file),
            media_type="application/zip",
            headers={"Content-Disposition": 'attachment; filename="aloud-everything.zip"'},
        )

    @router.post("/delete")
    def delete(
        request: Request, actor: CurrentActor, context: AppContext, password: Typed = ""
    ) -> Response:
        """Delete the account and everything of theirs, for good."""

        def leave() -> None:
            context.accounts.confirm(id_of(actor), password)
            context.accounts.delete(id_of(actor), by=actor.account_id)

        try:
            leave()
        except ServerError as error:
            text = "the password is wrong" if isinstance(error, WrongSignInError) else str(error)
            return _page(request, actor, context, error.status, problem=text, at="delete")
        end_session(request, context.accounts.sessions)
        return RedirectResponse("/sign-in", 303)

    return router


def _page(
    request: Request, actor: Actor, context: Context, status: int = 200, **values: Any
) -> Response:
    shown: dict[str, Any] = {"problem": None, "at": None, "done": None, "new_token": None}
    return context.pages.page(
        request,
        "accounts/account.html",
        status,
        account=context.accounts.get(id_of(actor)),
        tokens=context.accounts.tokens.of(id_of(actor)),
        cohorts=context.accounts.cohorts.of(id_of(actor)),
        min_password=MIN_PASSWORD,
        server=str(request.base_url).rstrip("/"),
        **(shown | values),
    )


def _done(
    request: Request, actor: Actor, context: Context, change: Callable[[], None], at: str
) -> Response:
    try:
        change()
    except ServerError as error:
        text = "the old password is wrong" if isinstance(error, WrongSignInError) else str(error)
        return _page(request, actor, context, error.status, problem=text, at=at)
    return _page(request, actor, context, done=at)


def id_of(actor: Actor) -> int:
    """The account of somebody who has one."""
    assert actor.account_id is not None  # the router lets in only those who have an account
    return actor.account_id


def _archive(service: Service) -> Iterator[str]:
    """One ``Archive`` document, written page by page to keep the whole history out of memory."""
    page = service.export_page()
    frame = Archive(exported_at=page.exported_at, attempts=()).model_dump_json(
        exclude={"attempts", "drill_reviews", "next_after_id"}
    )
    yield frame[:-1] + ',"attempts":['
    first = True
    while True:
        for attempt in page.attempts:
            yield ("" if first else ",") + attempt.model_dump_json()
            first = False
        if page.next_after_id is None:
            break
        page = service.export_page(after_id=page.next_after_id)
    yield '],"drill_reviews":['
    first, after_id = True, 0
    while True:
        drills = service.drills.export_page(after_id=after_id)
        for review in drills.reviews:
            yield ("" if first else ",") + review.model_dump_json()
            first = False
        if drills.next_after_id is None:
            break
        after_id = drills.next_after_id
    yield "]}"


def _chunks(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        while chunk := file.read(_CHUNK_BYTES):
            yield chunk


_NEW_SECRET = "totp"


@cache
def sign_in_code_router() -> APIRouter:
    """The page ``/sign-in/code``, which follows the right password."""
    router = APIRouter(prefix="/sign-in/code", include_in_schema=False)

    @router.get("")
    def form(request: Request, context: AppContext) -> Response:
        """Ask for the code."""
        if half_signed_in(request, context.accounts.now()) is None:
            return RedirectResponse("/sign-in", 303)
        return context.pages.page(request, "accounts/sign_in_code.html", problem=None)

    @router.post("")
    def sign_in(request: Request, context: AppContext, code: Typed = "") -> Response:
        """Begin a session, if the code is right."""
        half = half_signed_in(request, context.accounts.now())
        if half is None:
            return RedirectResponse("/sign-in", 303)
        account_id, epoch, to = half
        try:
            account = context.accounts.get(account_id)
            if account.session_epoch != epoch or account.disabled_at is not None:
                return RedirectResponse("/sign-in", 303)
            context.accounts.confirm_code(account_id, code)
        except NotFoundError:  # deleted in the meantime
            return RedirectResponse("/sign-in", 303)
        except (WrongSignInError, TooManyTriesError) as error:
            page = context.pages.page(
                request, "accounts/sign_in_code.html", error.status, problem=str(error)
            )
            if isinstance(error, TooManyTriesError):
                page.headers["Retry-After"] = str(error.wait_s)
            return page
        return signed_in(request, context, account, to)

    return router


@cache
def second_factor_router() -> APIRouter:
    """The pages under ``/account/second-factor``."""
    router = APIRouter(
        prefix="/account/second-factor",
        include_in_schema=False,
        dependencies=[needs(Action.OWN_ACCOUNT)],
    )

    @router.get("")
    def page(request: Request, actor: CurrentActor, context: AppContext) -> Response:
        """Show how to set it up, or how to change it."""
        return _second_factor_page(request, actor, context)

    @router.post("")
    def turn_on(
        request: Request,
        actor: CurrentActor,
        context: AppContext,
        password: Typed = "",
        code: Typed = "",
    ) -> Response:
        """Set it up, with a code that shows that the app has it."""
        secret = request.session.get(_NEW_SECRET)
        try:
            if not isinstance(secret, str):
                raise InvalidInputError("the QR code is too old; scan the new one")
            context.accounts.confirm(id_of(actor), password)
            codes = context.accounts.second_factors.turn_on(id_of(actor), secret, code)
        except ServerError as error:
            return _second_factor_page(request, actor, context, error.status, problem=_told(error))
        start_session(request, context.accounts.get(id_of(actor)))
        return _second_factor_page(request, actor, context, codes=codes)

    @router.post("/codes")
    def new_codes(
        request: Request, actor: CurrentActor, context: AppContext, password: Typed = ""
    ) -> Response:
        """Make new recovery codes."""
        try:
            context.accounts.confirm(id_of(actor), password)
            codes = context.accounts.second_factors.new_recovery_codes(id_of(actor))
        except ServerError as error:
            return _second_factor_page(request, actor, context, error.status, problem=_told(error))
        return _second_factor_page(request, actor, context, codes=codes)

    @router.post("/off")
    def turn_off(
        request: Request,
        actor: CurrentActor,
        context: AppContext,
        password: Annotated[str, Form(max_length=2000)] = "",
    ) -> Response:
        """Remove it."""
        try:
            context.accounts.confirm(id_of(actor), password)
            context.accounts.second_factors.turn_off(id_of(actor), by=actor.account_id)
        except ServerError as error:
            return _second_factor_page(request, actor, context, error.status, problem=_told(error))
        return RedirectResponse("/account#second-factor", 303)

    return router


def _told(error: ServerError) -> str:
    return "the password is wrong" if isinstance(error, WrongSignInError) else str(error)


def _second_factor_page(
    request: Request, actor: Actor, context: Context, status: int = 200, **values: Any
) -> Response:
    account = context.accounts.get(id_of(actor))
    shown: dict[str, Any] = {"problem": None, "codes": (), "qr_code": None, "secret": None}
    if not account.has_second_factor:
        # kept in the signed cookie until a code proves that the app has it
        secret = request.session.setdefault(_NEW_SECRET, new_totp_secret())
        address = totp_address(secret, account.name, request.url.netloc)
        code = segno.make(address, error="m", micro=False)
        title = "QR code for the authenticator app"
        shown |= {
            "qr_code": code.svg_inline(scale=4, dark="#000", light="#fff", title=title),
            "secret": " ".join(secret[at : at + 4] for at in range(0, len(secret), 4)),
        }
    page = context.pages.page(
        request, "accounts/second_factor.html", status, account=account, **(shown | values)
    )
    page.headers["Cache-Control"] = "no-store"
    return page
