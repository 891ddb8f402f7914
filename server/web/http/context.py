"""What the routes of one app share; they get it from the request, not from a global."""

from dataclasses import dataclass
from typing import cast

from starlette.requests import HTTPConnection

from server.accounts.service import AccountService
from server.attempts.service import Service
from server.core.settings import ServerSettings
from server.web.http.pages import Pages


@dataclass(frozen=True)
class Context:
    """What every route can use.

    Attributes:
        settings: the server's settings.
        service: the use cases over what belongs to no account; ``of`` gives those of an account.
        accounts: the accounts.
        pages: what renders the pages.
    """

    settings: ServerSettings
    service: Service
    accounts: AccountService
    pages: Pages


def context_of(connection: HTTPConnection) -> Context:
    """The context of the app that answers this request."""
    return cast(Context, connection.app.state.context)
