"""Renders the server's pages: the templates, with the values that all of them use."""

from dataclasses import dataclass
from typing import Any, Final, cast

from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse

from server.core.access import ANONYMOUS, Action, Actor, may
from server.ui.rendering import environment


@dataclass(frozen=True)
class MenuEntry:
    """A page of the main menu, for people with the right to use it."""

    name: str
    href: str
    text: str
    action: Action


MENU: Final = (
    MenuEntry("coach", "/coach", "Cohorts", Action.COACH),
    MenuEntry("queue", "/coach/queue", "Reviews", Action.COACH),
    MenuEntry("bank", "/coach/bank", "Question bank", Action.EDIT_BANK),
    MenuEntry("accounts", "/admin/accounts", "Accounts", Action.MANAGE_ACCOUNTS),
    MenuEntry("cohorts", "/admin/cohorts", "Cohorts", Action.MANAGE_ACCOUNTS),
    MenuEntry("account", "/account", "Account", Action.OWN_ACCOUNT),
)


class Pages:
    """Renders the templates of ``server/ui/templates``.

    A template has ``actor``, ``path``, ``menu``, ``may(action)`` (by the action's name, as in
    ``may("COACH")``), and ``csrf()``: what each form sends as ``csrftoken``.
    """

    def __init__(self) -> None:
        self._environment = environment()

    def page(
        self, request: Request, template: str, status: int = 200, **values: Any
    ) -> HTMLResponse:
        """One page as a response."""
        actor: Actor = getattr(request.state, "actor", ANONYMOUS)
        html = self._environment.get_template(template).render(
            actor=actor,
            path=request.url.path,
            menu=[
                (entry.name, entry.href, entry.text) for entry in MENU if may(actor, entry.action)
            ],
            may=lambda action: may(actor, Action[action]),
            csrf=lambda: csrf_token(request),
            **values,
        )
        return HTMLResponse(html, status)


def csrf_token(request: Request) -> str:
    """What a form of this page sends as ``csrftoken``, or a script as ``x-csrftoken``.

    Asking for it sets the cookie that it is compared with.
    """
    make = request.scope.get("csrftoken")
    return str(make()) if callable(make) else ""


def wants_page(request: Request) -> bool:
    """Whether a person, not a program, reads the response."""
    api = request.url.path.startswith("/api/")
    return not api and "text/html" in request.headers.get("accept", "")


def pages_of(connection: HTTPConnection) -> Pages:
    """The pages of the app that answers this request."""
    return cast(Pages, connection.app.state.pages)


def invitation_link(request: Request, secret: str) -> str:
    """The address at which an invitation is used."""
    return f"{str(request.base_url).rstrip('/')}/invitation/{secret}"
