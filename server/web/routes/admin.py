"""The admin's pages: accounts, invitations, cohorts. They show no answers."""

from collections.abc import Callable
from functools import cache
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Form, Path, Query
from starlette.responses import RedirectResponse, Response

from server.accounts.candidate_list import MOST_CANDIDATES, ListedCandidate, invite_all, read_list
from server.accounts.invitations import VALID_FOR
from server.accounts.models import ROLES, Invitation
from server.core.access import Action
from server.core.errors import InvalidInputError, NotAllowedError, ServerError
from server.ui.exports.csv_table import csv_text
from server.web.http.context import PageVisit, Visit
from server.web.http.gate import needs
from server.web.http.responses import invitation_link

Typed = Annotated[str, Form(max_length=300)]
Id = Annotated[int, Path()]

ACCOUNTS_ON_A_PAGE: Final = 50
_LIST_CHARS: Final = 60_000


@cache
def admin_router() -> APIRouter:
    """The pages under ``/admin``."""
    router = APIRouter(
        prefix="/admin", include_in_schema=False, dependencies=[needs(Action.MANAGE_ACCOUNTS)]
    )
    _add_accounts(router)
    _add_list(router)
    _add_cohorts(router)
    return router


def _add_accounts(router: APIRouter) -> None:
    @router.get("")
    def home() -> Response:
        return RedirectResponse("/admin/accounts", 303)

    @router.get("/accounts")
    def accounts(
        visit: PageVisit,
        find: Annotated[str, Query(max_length=80)] = "",
        page: Annotated[int, Query(ge=1, le=100_000)] = 1,
    ) -> Response:
        """List the accounts, or those whose name contains this."""
        return _accounts(visit, find=find, page=page)

    @router.post("/accounts")
    def add(
        visit: PageVisit,
        name: Typed = "",
        display_name: Typed = "",
        role: Typed = "candidate",
        cohort: Typed = "",
    ) -> Response:
        """Create an account with its invitation."""
        accounts, by = visit.context.accounts, _by(visit)
        try:
            cohort_id = accounts.cohorts.get(_number(cohort)).id if cohort else None
            made = accounts.add(name, role, display_name=display_name or None, by=by)
            if cohort_id is not None:
                accounts.cohorts.assign(cohort_id, made.id, by=by)
            invited = accounts.invitations.invite(made.id, by=by)
        except ServerError as error:
            typed = {"name": name, "display_name": display_name, "role": role, "cohort": cohort}
            return _accounts(visit, error.status, problem=str(error), typed=typed)
        return _accounts(visit, invited=invited)

    @router.post("/accounts/{account_id}/invite")
    def invite(visit: PageVisit, account_id: Id) -> Response:
        """Make a new invitation, at first or for a lost password."""
        invitations = visit.context.accounts.invitations
        try:
            invited = invitations.invite(account_id, by=_by(visit))
        except ServerError as error:
            return _accounts(visit, error.status, problem=str(error))
        return _accounts(visit, invited=invited)

    @router.post("/accounts/{account_id}/change")
    def change(
        visit: PageVisit, account_id: Id, display_name: Typed = "", role: Typed = ""
    ) -> Response:
        """Change the role or display name of an account."""
        accounts, by = visit.context.accounts, _by(visit)
        return _after(
            visit,
            "accounts",
            lambda: accounts.change(account_id, role=role, display_name=display_name, by=by),
        )

    @router.post("/accounts/{account_id}/disable")
    def disable(visit: PageVisit, account_id: Id) -> Response:
        accounts = visit.context.accounts
        return _after(visit, "accounts", lambda: accounts.disable(account_id, by=_by(visit)))

    @router.post("/accounts/{account_id}/enable")
    def enable(visit: PageVisit, account_id: Id) -> Response:
        visit.context.accounts.enable(account_id, by=_by(visit))
        return RedirectResponse("/admin/accounts", 303)

    @router.post("/accounts/{account_id}/drop-second-factor")
    def drop_second_factor(visit: PageVisit, account_id: Id) -> Response:
        """Remove the second factor of somebody who lost phone and recovery codes."""
        if account_id == _by(visit):
            raise NotAllowedError("remove your own on your account page, with your password")
        visit.context.accounts.second_factors.turn_off(account_id, by=_by(visit))
        return RedirectResponse("/admin/accounts", 303)

    @router.post("/accounts/{account_id}/delete")
    def delete(visit: PageVisit, account_id: Id, name: Typed = "") -> Response:
        """Delete an account and everything that belongs to it; its name must be typed."""
        accounts = visit.context.accounts

        def delete_named() -> None:
            account = accounts.get(account_id)
            if name.strip().casefold() != account.name:
                raise InvalidInputError(f"nothing is deleted: type the name {account.name} first")
            accounts.delete(account_id, by=_by(visit))

        return _after(visit, "accounts", delete_named)


def _by(visit: Visit) -> int | None:
    return visit.actor.account_id


def _after(
    visit: Visit, page: Literal["accounts", "cohorts"], change: Callable[[], object]
) -> Response:
    """The page again, after a change or with what is wrong."""
    try:
        change()
    except ServerError as error:
        show = _accounts if page == "accounts" else _cohorts
        return show(visit, error.status, problem=str(error))
    return RedirectResponse(f"/admin/{page}", 303)


def _add_list(router: APIRouter) -> None:
    @router.get("/accounts/list")
    def candidates(visit: PageVisit) -> Response:
        return _list(visit)

    @router.post("/accounts/list")
    def invite_all_(
        visit: PageVisit,
        text: Annotated[str, Form(alias="list", max_length=_LIST_CHARS)] = "",
        cohort: Typed = "",
        do: Typed = "preview",
    ) -> Response:
        """Preview a list of candidates, or create their accounts and invitations."""
        accounts = visit.context.accounts
        typed = {"list": text, "cohort": cohort}
        found: tuple[ListedCandidate, ...] = ()
        try:
            found = read_list(accounts, text)
            cohort_id = _number(cohort) if cohort else None
            if do != "create":
                return _list(visit, typed=typed, candidates=found)
            invited = invite_all(accounts, found, cohort_id=cohort_id, by=_by(visit))
        except ServerError as error:
            return _list(visit, error.status, problem=str(error), typed=typed, candidates=found)
        links = [(each.account, invitation_link(visit.request, each.secret)) for each in invited]
        rows = [(account.name, account.display_name, link) for account, link in links]
        csv = csv_text(("name", "display_name", "link"), rows)
        return _list(visit, invited=links, csv=csv)


def _list(visit: Visit, status: int = 200, **values: Any) -> Response:
    shown: dict[str, Any] = {
        "problem": None,
        "typed": {"list": "", "cohort": ""},
        "candidates": (),
        "invited": None,
    }
    return visit.page(
        "accounts/candidate_list.html",
        status,
        cohorts=visit.context.accounts.cohorts.all(),
        most=MOST_CANDIDATES,
        max_chars=_LIST_CHARS,
        valid_days=VALID_FOR.days,
        **(shown | values),
    )


def _add_cohorts(router: APIRouter) -> None:
    @router.get("/cohorts")
    def cohorts(visit: PageVisit) -> Response:
        return _cohorts(visit)

    @router.post("/cohorts")
    def add(visit: PageVisit, name: Typed = "", audio_days: Typed = "") -> Response:
        cohorts = visit.context.accounts.cohorts
        return _after(
            visit,
            "cohorts",
            lambda: cohorts.add(name, audio_days=_days(audio_days), by=_by(visit)),
        )

    @router.post("/cohorts/{cohort_id}/change")
    def change(
        visit: PageVisit, cohort_id: Id, name: Typed = "", audio_days: Typed = ""
    ) -> Response:
        """Change a cohort's name, or how long its recordings are kept."""
        cohorts = visit.context.accounts.cohorts
        return _after(
            visit,
            "cohorts",
            lambda: cohorts.change(
                cohort_id, name=name, audio_days=_days(audio_days), by=_by(visit)
            ),
        )

    @router.post("/cohorts/{cohort_id}/members")
    def assign(
        visit: PageVisit, cohort_id: Id, account: Typed = "", as_role: Typed = ""
    ) -> Response:
        cohorts = visit.context.accounts.cohorts
        return _after(
            visit,
            "cohorts",
            lambda: cohorts.assign(cohort_id, _number(account), as_role or None, by=_by(visit)),
        )

    @router.post("/cohorts/{cohort_id}/members/{account_id}/remove")
    def unassign(visit: PageVisit, cohort_id: Id, account_id: Id) -> Response:
        visit.context.accounts.cohorts.unassign(cohort_id, account_id, by=_by(visit))
        return RedirectResponse("/admin/cohorts", 303)

    @router.post("/cohorts/{cohort_id}/delete")
    def delete(visit: PageVisit, cohort_id: Id) -> Response:
        """Delete a cohort; what was shared with it is no longer shared."""
        visit.context.accounts.cohorts.delete(cohort_id, by=_by(visit))
        return RedirectResponse("/admin/cohorts", 303)


def _accounts(visit: Visit, status: int = 200, **values: Any) -> Response:
    shown: dict[str, Any] = {
        "problem": None,
        "typed": {"name": "", "display_name": "", "role": "candidate", "cohort": ""},
        "invited": None,
        "find": "",
        "page": 1,
    }
    shown |= values
    invited: Invitation | None = shown["invited"]
    accounts = visit.context.accounts
    everybody = accounts.all()
    sought = shown["find"].strip().casefold()
    found = [each for each in everybody if sought in f"{each.name}\n{each.display_name.casefold()}"]
    before = (shown["page"] - 1) * ACCOUNTS_ON_A_PAGE
    return visit.page(
        "accounts/admin_accounts.html",
        status,
        accounts=found[before : before + ACCOUNTS_ON_A_PAGE],
        found=len(found),
        total=len(everybody),
        pages=max(1, -(-len(found) // ACCOUNTS_ON_A_PAGE)),
        on_a_page=ACCOUNTS_ON_A_PAGE,
        cohorts=accounts.cohorts.all(),
        roles=ROLES,
        link=invitation_link(visit.request, invited.secret) if invited else None,
        valid_days=VALID_FOR.days,
        **shown,
    )


def _cohorts(visit: Visit, status: int = 200, problem: str | None = None) -> Response:
    accounts = visit.context.accounts
    return visit.page(
        "accounts/admin_cohorts.html",
        status,
        cohorts=accounts.cohorts.all(),
        accounts=accounts.all(),
        problem=problem,
    )


def _number(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 19:
        raise InvalidInputError("choose one from the list")
    return int(text)


def _days(text: str) -> int | None:
    if not text.strip():
        return None
    try:
        return int(text)
    except ValueError:
        raise InvalidInputError(f"{text!r} is not a number of days") from None
