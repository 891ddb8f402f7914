"""The second factor: the code at signing in, and its page under the account."""

from functools import cache
from typing import Annotated, Any

import segno
from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from server.accounts.second_factor import new_totp_secret, totp_address
from server.core.access import Action, Actor
from server.core.errors import (
    InvalidInputError,
    NotFoundError,
    ServerError,
    TooManyTriesError,
    WrongSignInError,
)
from server.web.http.context import AppContext, Context
from server.web.http.gate import CurrentActor, needs
from server.web.http.session_cookies import half_signed_in, start_session
from server.web.routes.account import Typed, id_of, signed_in

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
        return _page(request, actor, context)

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
            return _page(request, actor, context, error.status, problem=_told(error))
        start_session(request, context.accounts.get(id_of(actor)))
        return _page(request, actor, context, codes=codes)

    @router.post("/codes")
    def new_codes(
        request: Request, actor: CurrentActor, context: AppContext, password: Typed = ""
    ) -> Response:
        """Make new recovery codes."""
        try:
            context.accounts.confirm(id_of(actor), password)
            codes = context.accounts.second_factors.new_recovery_codes(id_of(actor))
        except ServerError as error:
            return _page(request, actor, context, error.status, problem=_told(error))
        return _page(request, actor, context, codes=codes)

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
            return _page(request, actor, context, error.status, problem=_told(error))
        return RedirectResponse("/account#second-factor", 303)

    return router


def _told(error: ServerError) -> str:
    return "the password is wrong" if isinstance(error, WrongSignInError) else str(error)


def _page(
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
