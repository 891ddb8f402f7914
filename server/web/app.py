"""The FastAPI app, built by a function: there is no global one."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version

from fastapi import FastAPI

from server.accounts.service import AccountService
from server.attempts.opening import create_service
from server.attempts.service import Service
from server.contract import Wire
from server.core.settings import ServerSettings
from server.operations.background import create_background_work
from server.operations.metrics import Metrics
from server.sharing.service import SharingService
from server.ui.headers import SecurityHeaders
from server.ui.rendering import STATIC
from server.ui.static_files import Assets
from server.web.http.context import Context
from server.web.http.fairness import Fairness
from server.web.http.gate import Gate
from server.web.http.observing import Observe, RouteMark
from server.web.http.pages import Pages
from server.web.http.problems import PROBLEM_RESPONSES, add_problem_handlers
from server.web.http.refusing import BodyLimit, HostCheck
from server.web.http.session_cookies import Csrf, Sessions
from server.web.routes.account import account_router, everything_router
from server.web.routes.admin import admin_router
from server.web.routes.attempts import attempts_router, drills_router
from server.web.routes.bank import bank_router
from server.web.routes.bank_pages import bank_pages_router
from server.web.routes.bank_question_pages import bank_question_pages_router
from server.web.routes.coach import coach_router, corrections_router
from server.web.routes.exports import export_pages_router, exports_router
from server.web.routes.health import health_router
from server.web.routes.home import home_router
from server.web.routes.jobs import job_pages_router, jobs_router
from server.web.routes.links import links_router
from server.web.routes.reviews import merging_router, review_pages_router, reviews_router
from server.web.routes.sharing import recordings_router, sharing_router
from server.web.routes.sign_in import sign_in_router

API_PREFIX = "/api/v1"


class Health(Wire):
    """The answer of ``/healthz``; ``app`` says that this is an Aloud server."""

    app: str = "aloud"
    status: str = "ok"
    bank_version: str


def create_app(
    settings: ServerSettings,
    *,
    service: Service | None = None,
    accounts: AccountService | None = None,
) -> FastAPI:
    """The app. A service that is passed in stays open when the app ends; its own is closed.

    Args:
        settings: what the server needs to know.
        service: the use cases; by default made from the settings.
        accounts: the accounts in the same database, likewise.

    Raises:
        StoreError, BankError, LexiconError: the server cannot start; the text says why.
    """
    own = service is None
    use = service or create_service(settings)
    use.warm()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        if own:
            use.close()

    app = FastAPI(
        title="Aloud",
        summary="Grades and keeps spoken interview answers.",
        version=version("aloud"),
        lifespan=lifespan,
        responses=PROBLEM_RESPONSES,
        # /openapi.json is a route of ours, behind the gate; the pages that come with FastAPI load
        # their scripts from elsewhere
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
    )
    people = accounts or AccountService(use.database, secret=settings.secret)
    app.state.context = Context(settings, use, people, Pages())
    metrics = Metrics(use.database)
    _add_middleware(app, settings, people, metrics)
    add_problem_handlers(app)
    app.state.background = background = create_background_work(use)
    for router in (bank_router(), attempts_router(), drills_router()):
        app.include_router(router, prefix=API_PREFIX)
    for router in (jobs_router(background), exports_router(background)):
        app.include_router(router, prefix=API_PREFIX)
    sharing = SharingService(use.database)
    for router in (sharing_router(sharing), recordings_router(sharing, background)):
        app.include_router(router, prefix=API_PREFIX)
    for router in (reviews_router(), merging_router()):
        app.include_router(router, prefix=API_PREFIX)
    app.include_router(links_router(sharing))
    for pages in (
        job_pages_router(background),
        bank_question_pages_router(background),  # before the versions' numbers
        bank_pages_router(background),
        export_pages_router(background),
    ):
        app.include_router(pages)
    for pages in (coach_router(), corrections_router(), review_pages_router()):
        app.include_router(pages)
    for pages in (home_router(), sign_in_router(), account_router(), admin_router()):
        app.include_router(pages)
    app.include_router(health_router(background, metrics))
    app.include_router(everything_router(sharing))
    app.mount("/static/ui", Assets(directory=STATIC), name="ui")

    @app.get("/healthz", tags=["operation"])
    def healthz() -> Health:
        """Report whether the server and its database answer."""
        use.check()
        return Health(bank_version=use.bank().version)

    return app


def _add_middleware(
    app: FastAPI, settings: ServerSettings, accounts: AccountService, metrics: Metrics
) -> None:
    """What every request passes: the last added first."""
    app.add_middleware(RouteMark)
    app.add_middleware(Fairness)
    app.add_middleware(Gate)
    app.add_middleware(Csrf, secret=accounts.secret)
    app.add_middleware(BodyLimit, max_bytes=settings.max_body_bytes, within_s=settings.request_s)
    app.add_middleware(Sessions, secret=accounts.secret)
    app.add_middleware(HostCheck, hosts=settings.hosts)
    app.add_middleware(Observe, metrics=metrics)
    app.add_middleware(SecurityHeaders)
