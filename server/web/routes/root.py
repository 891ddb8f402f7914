"""The server itself: its first page, the description of its API, its health.

``/healthz`` is for clients, ``/readyz`` for load balancers, ``/metrics`` for Prometheus.
"""

from functools import cache

from fastapi import APIRouter, Request, Response
from pydantic import Field
from starlette.responses import JSONResponse, RedirectResponse

from server.contract import Wire
from server.core.access import Action, may
from server.core.errors import StoreError
from server.db import HEAD_REVISION
from server.db.migrate import current_revision
from server.operations.metrics import CONTENT_TYPE
from server.web.http.context import AppContext, BackgroundWork, PageVisit
from server.web.http.gate import needs

_OK = "ok"


class Health(Wire):
    """The response of ``/healthz``; ``app`` says that this is an Aloud server."""

    app: str = "aloud"
    status: str = "ok"
    bank_version: str


class Readiness(Wire):
    """Whether this process can do its work, and if not, why, without anything confidential."""

    app: str = "aloud"
    ready: bool
    database: str = Field(description="'ok', or what is wrong with it")
    disk: str = Field(description="'ok', or that there is no room for answers")
    migrations: str = Field(description="'ok', or that the tables are not this version's")
    jobs: str = Field(description="'ok', or that no worker runs in this process")


@cache
def home_router() -> APIRouter:
    """``/`` and ``/openapi.json``."""
    router = APIRouter(include_in_schema=False)

    @router.get("/")
    def home(visit: PageVisit) -> Response:
        """Send everybody to the page they work on."""
        for action, page in (
            (Action.COACH, "/coach"),
            (Action.MANAGE_ACCOUNTS, "/admin/accounts"),
            (Action.OWN_ACCOUNT, "/account"),
        ):
            if may(visit.actor, action):
                return RedirectResponse(page, 303)
        return visit.page("server/open.html", server=str(visit.request.base_url).rstrip("/"))

    @router.get("/openapi.json", dependencies=[needs(Action.READ_BANK)])
    def description(request: Request) -> Response:
        """Describe the API."""
        return JSONResponse(request.app.openapi())

    return router


@cache
def health_router() -> APIRouter:
    """The routes; only ``/metrics`` needs an admin's token, if there are accounts.

    That includes requests from this machine, because behind a proxy all requests are.
    """
    router = APIRouter(tags=["operation"])

    @router.get("/healthz")
    def healthz(context: AppContext) -> Health:
        """Report whether the server and its database answer."""
        context.service.check()
        return Health(bank_version=context.service.bank().version)

    @router.get("/readyz", responses={503: {"model": Readiness}})
    def readyz(response: Response, context: AppContext) -> Readiness:
        """Report whether this process should get requests."""
        found = _readiness(context.background)
        if not found.ready:
            response.status_code = 503
        return found

    @router.get(
        "/metrics",
        dependencies=[needs(Action.SEE_OPERATION)],
        response_class=Response,
        responses={200: {"content": {"text/plain": {}}}},
    )
    def numbers(context: AppContext) -> Response:
        """Report requests, how long they took, and what the database holds."""
        return Response(context.metrics.text(), media_type=CONTENT_TYPE)

    return router


def _readiness(background: BackgroundWork) -> Readiness:
    database, disk, migrations = _OK, _OK, "not known"
    try:
        if background.database.disk_is_full:
            disk = "full"
        with background.database.read() as session:
            revision = current_revision(session.connection())
        migrations = _OK if revision == HEAD_REVISION else "the tables are another version's"
    except (StoreError, OSError):
        # its text names the database, which is confidential here; the log has it
        database = "cannot be used"
    jobs = _OK if background.worker.is_alive else "no worker runs"
    return Readiness(
        ready={database, disk, migrations, jobs} == {_OK},
        database=database,
        disk=disk,
        migrations=migrations,
        jobs=jobs,
    )
