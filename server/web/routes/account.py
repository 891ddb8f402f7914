"""Signing in and out, with or without a second factor, invitations, and the account page.

The account page changes the password, sets up the second factor, makes tokens for clients,
downloads all data and deletes the account.
"""

from collections.abc import Iterable, Iterator
from functools import cache
from typing import IO, Annotated, Any, Final

import segno
from fastapi import APIRouter, Form, Path, Request
from starlette.responses import RedirectResponse, Response, StreamingResponse

from server.accounts.credentials import KNOWN_FOR_S, MIN_PASSWORD
from server.accounts.models import Account
from server.accounts.second_factor import new_totp_secret, totp_address
from server.attempts.service import Service
from server.contract import Archive, Wire
from server.core.access import Action
from server.core.clock import utc_now
from server.core.errors import (
    InvalidInputError,
    NotFoundError,
    ServerError,
    TooManyTriesError,
    WrongSignInError,
)
from server.operations.account_data import everything_of
from server.web.http.context import OwnService, PageVisit, Reviews, Visit
from server.web.http.gate import (
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
    def form(visit: PageVisit, next: str = FIRST_PAGE) -> Response:
        """Ask for name and password."""
        if visit.actor.has_account:
            return RedirectResponse(_local(next), 303)
        return visit.page("accounts/sign_in.html", next=_local(next))

    @router.post("/sign-in")
    def sign_in(
        visit: PageVisit,
        name: Typed = "",
        password: Typed = "",
        next: Annotated[str, Form()] = FIRST_PAGE,
    ) -> Response:
        """Begin a session."""
        request, accounts = visit.request, visit.context.accounts
        mark = request.cookies.get(cookie_name(KNOWN_COOKIE, request), "")
        try:
            account = accounts.sign_in(name, password, _address(request), mark)
        except (WrongSignInError, TooManyTriesError) as error:
            return _refused(visit, "accounts/sign_in.html", error, next=_local(next), name=name)
        return opened(visit, account, _local(next))

    @router.post("/sign-out")
    def sign_out(visit: PageVisit) -> Response:
        """End this browser's session."""
        end_session(visit.request, visit.context.accounts.sessions)
        return RedirectResponse("/sign-in", 303)

    @router.get("/invitation/{secret}")
    def invitation(visit: PageVisit, secret: Secret) -> Response:
        """Ask for a new password."""
        return _invitation(visit, secret)

    @router.post("/invitation/{secret}")
    def accept(
        visit: PageVisit,
        secret: Secret,
        password: Typed = "",
        again: Typed = "",
        keep_tokens: Typed = "",
    ) -> Response:
        """Set the password and begin a session."""
        try:
            if password != again:
                raise InvalidInputError("the two passwords differ")
            account = visit.context.accounts.accept(
                secret, password, _address(visit.request), keeps_tokens=bool(keep_tokens)
            )
        except InvalidInputError as error:
            return _invitation(visit, secret, error.status, str(error))
        return opened(visit, account, "/account")

    return router


def _refused(
    visit: Visit, template: str, error: WrongSignInError | TooManyTriesError, **values: Any
) -> Response:
    page = visit.page(template, error.status, problem=str(error), **values)
    if isinstance(error, TooManyTriesError):
        page.headers["Retry-After"] = str(error.wait_s)
    return page


def _invitation(
    visit: Visit, secret: str, status: int = 200, problem: str | None = None
) -> Response:
    accounts = visit.context.accounts
    invited = accounts.invitations.account(secret)
    valid = [each for each in accounts.tokens.of(invited.id) if each.revoked_at is None]
    return visit.page(
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


def opened(visit: Visit, account: Account, to: str) -> Response:
    """Begins the session of somebody whose password is right, or asks for a code first."""
    if account.has_second_factor:
        ask_for_code(visit.request, account, to, visit.context.accounts.now())
        return RedirectResponse("/sign-in/code", 303)
    return signed_in(visit, account, to)


def signed_in(visit: Visit, account: Account, to: str) -> Response:
    """Begins the session, and marks the browser so that strangers do not slow it down."""
    request = visit.request
    start_session(request, account)
    back = RedirectResponse(to, 303)
    back.set_cookie(
        cookie_name(KNOWN_COOKIE, request),
        visit.context.accounts.known_browsers.mark(account.name),
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
    def account(visit: PageVisit) -> Response:
        """Show the account with its tokens and cohorts."""
        return _page(visit)

    @router.post("/password")
    def change_password(
        visit: PageVisit,
        old: Typed = "",
        password: Typed = "",
        again: Typed = "",
        revoke_tokens: Typed = "",
    ) -> Response:
        """Change the password and sign out other browsers."""
        try:
            if password != again:
                raise InvalidInputError("the two passwords differ")
            changed = visit.context.accounts.change_password(
                id_of(visit), old, password, keeps_tokens=not revoke_tokens
            )
        except ServerError as error:
            return _page(visit, error.status, problem=_told(error, "old password"), at="password")
        start_session(visit.request, changed)
        return _page(visit, done="password")

    @router.post("/sign-out-everywhere")
    def sign_out_everywhere(visit: PageVisit) -> Response:
        """End all sessions, including this one."""
        accounts = visit.context.accounts
        accounts.end_sessions(id_of(visit), by=id_of(visit))
        end_session(visit.request, accounts.sessions)
        return RedirectResponse("/sign-in", 303)

    @router.post("/tokens")
    def add_token(visit: PageVisit, label: Typed = "") -> Response:
        try:
            made = visit.context.accounts.tokens.add(id_of(visit), label, by=id_of(visit))
        except ServerError as error:
            return _page(visit, error.status, problem=str(error), at="tokens")
        return _page(visit, new_token=made)

    @router.post("/tokens/{token_id}/revoke")
    def revoke_token(visit: PageVisit, token_id: Annotated[int, Path()]) -> Response:
        visit.context.accounts.tokens.revoke(id_of(visit), token_id, by=id_of(visit))
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
    def everything(visit: PageVisit, service: OwnService, reviews: Reviews) -> Response:
        """Answers with all that belongs to them, and what was written about others, as a zip."""
        context = visit.context
        file = everything_of(
            visit.actor, context.accounts, service, context.sharing, reviews, utc_now()
        )
        return StreamingResponse(
            _chunks(file),
            media_type="application/zip",
            headers={"Content-Disposition": 'attachment; filename="aloud-everything.zip"'},
        )

    @router.post("/delete")
    def delete(visit: PageVisit, password: Typed = "") -> Response:
        """Delete the account and everything of theirs, for good."""
        accounts = visit.context.accounts
        try:
            accounts.confirm(id_of(visit), password)
            accounts.delete(id_of(visit), by=id_of(visit))
        except ServerError as error:
            return _page(visit, error.status, problem=_told(error), at="delete")
        end_session(visit.request, accounts.sessions)
        return RedirectResponse("/sign-in", 303)

    return router


def _page(visit: Visit, status: int = 200, **values: Any) -> Response:
    shown: dict[str, Any] = {"problem": None, "at": None, "done": None, "new_token": None}
    accounts = visit.context.accounts
    return visit.page(
        "accounts/account.html",
        status,
        account=accounts.get(id_of(visit)),
        tokens=accounts.tokens.of(id_of(visit)),
        cohorts=accounts.cohorts.of(id_of(visit)),
        min_password=MIN_PASSWORD,
        server=str(visit.request.base_url).rstrip("/"),
        **(shown | values),
    )


def id_of(visit: Visit) -> int:
    """The account of somebody who has one."""
    assert visit.actor.account_id is not None  # the router lets in only those who have an account
    return visit.actor.account_id


def _archive(service: Service) -> Iterator[str]:
    """One ``Archive`` document, written page by page to keep the whole history out of memory."""
    frame = Archive(exported_at=utc_now(), attempts=()).model_dump_json(
        exclude={"attempts", "drill_reviews", "next_after_id"}
    )
    yield frame[:-1] + ',"attempts":['
    yield from _listed(each for page in service.export_pages() for each in page.attempts)
    yield '],"drill_reviews":['
    yield from _listed(each for page in service.drills.export_pages() for each in page.reviews)
    yield "]}"


def _listed(entries: Iterable[Wire]) -> Iterator[str]:
    for number, each in enumerate(entries):
        yield ("," if number else "") + each.model_dump_json()


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
    def form(visit: PageVisit) -> Response:
        if half_signed_in(visit.request, visit.context.accounts.now()) is None:
            return RedirectResponse("/sign-in", 303)
        return visit.page("accounts/sign_in_code.html", problem=None)

    @router.post("")
    def sign_in(visit: PageVisit, code: Typed = "") -> Response:
        """Begin a session, if the code is right."""
        accounts = visit.context.accounts
        half = half_signed_in(visit.request, accounts.now())
        if half is None:
            return RedirectResponse("/sign-in", 303)
        account_id, epoch, to = half
        try:
            account = accounts.get(account_id)
            if account.session_epoch != epoch or account.disabled_at is not None:
                return RedirectResponse("/sign-in", 303)
            accounts.confirm_code(account_id, code)
        except NotFoundError:  # deleted in the meantime
            return RedirectResponse("/sign-in", 303)
        except (WrongSignInError, TooManyTriesError) as error:
            return _refused(visit, "accounts/sign_in_code.html", error)
        return signed_in(visit, account, to)

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
    def page(visit: PageVisit) -> Response:
        """Show how to set it up, or how to change it."""
        return _second_factor_page(visit)

    @router.post("")
    def turn_on(visit: PageVisit, password: Typed = "", code: Typed = "") -> Response:
        """Set it up, with a code that shows that the app has it."""
        accounts = visit.context.accounts
        secret = visit.request.session.get(_NEW_SECRET)
        try:
            if not isinstance(secret, str):
                raise InvalidInputError("the QR code is too old; scan the new one")
            accounts.confirm(id_of(visit), password)
            codes = accounts.second_factors.turn_on(id_of(visit), secret, code)
        except ServerError as error:
            return _second_factor_page(visit, error.status, problem=_told(error))
        start_session(visit.request, accounts.get(id_of(visit)))
        return _second_factor_page(visit, codes=codes)

    @router.post("/codes")
    def new_codes(visit: PageVisit, password: Typed = "") -> Response:
        accounts = visit.context.accounts
        try:
            accounts.confirm(id_of(visit), password)
            codes = accounts.second_factors.new_recovery_codes(id_of(visit))
        except ServerError as error:
            return _second_factor_page(visit, error.status, problem=_told(error))
        return _second_factor_page(visit, codes=codes)

    @router.post("/off")
    def turn_off(visit: PageVisit, password: Typed = "") -> Response:
        accounts = visit.context.accounts
        try:
            accounts.confirm(id_of(visit), password)
            accounts.second_factors.turn_off(id_of(visit), by=id_of(visit))
        except ServerError as error:
            return _second_factor_page(visit, error.status, problem=_told(error))
        return RedirectResponse("/account#second-factor", 303)

    return router


def _told(error: ServerError, what: str = "password") -> str:
    return f"the {what} is wrong" if isinstance(error, WrongSignInError) else str(error)


def _second_factor_page(visit: Visit, status: int = 200, **values: Any) -> Response:
    request, account = visit.request, visit.context.accounts.get(id_of(visit))
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
    page = visit.page("accounts/second_factor.html", status, account=account, **(shown | values))
    page.headers["Cache-Control"] = "no-store"
    return page
