"""What the routes of one app share; they get it from the request, not from a global."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, ParamSpec, cast

from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from pydantic import BaseModel
from starlette.requests import HTTPConnection
from starlette.responses import Response

from server.accounts.service import AccountService
from server.attempts.service import Service
from server.core.settings import ServerSettings
from server.operations.background import BackgroundWork
from server.operations.metrics import Metrics
from server.sharing.service import SharingService
from server.web.http.pages import Pages

GRADING_WORKERS: Final = 2
"""Answers graded at once in a process: more only take the processor from each other and from
everybody else's requests."""

P = ParamSpec("P")


@dataclass(frozen=True)
class Context:
    """What every route can use.

    Attributes:
        settings: the server's settings.
        service: the use cases over what belongs to no account; ``of`` gives those of an account.
        accounts: the accounts.
        pages: what renders the pages.
        background: what is done behind requests.
        sharing: what people show to others.
        metrics: what was answered and how long it took.
        grading: the threads that grade; who waits for one holds none of those of other requests.
        regrading: the one that grades everything of somebody again, however long that is.
    """

    settings: ServerSettings
    service: Service
    accounts: AccountService
    pages: Pages
    background: BackgroundWork
    sharing: SharingService
    metrics: Metrics
    grading: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(GRADING_WORKERS))
    regrading: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(1))


def context_of(connection: HTTPConnection) -> Context:
    """The context of the app that answers this request."""
    return cast(Context, connection.app.state.context)


async def answered_by(
    workers: CapacityLimiter,
    status: int,
    use: Callable[P, BaseModel],
    *args: P.args,
    **kwargs: P.kwargs,
) -> Response:
    """What a use case gives, as JSON, from one of these workers; the turns come in order."""

    def answer() -> bytes:
        return use(*args, **kwargs).model_dump_json().encode()

    body = await run_sync(answer, limiter=workers)
    return Response(body, status, media_type="application/json")
