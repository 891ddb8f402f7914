"""The FastAPI app, which a function builds (there is no global one), and its processes."""

import ipaddress
import os
import sys
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import cache
from importlib.metadata import version
from typing import Final

import uvicorn
from fastapi import APIRouter, FastAPI

from server.accounts.service import AccountService
from server.attempts.regrading import REGRADE, regrading
from server.attempts.service import Service, create_service
from server.bank_versions.check import check_answers
from server.bank_versions.service import CHECK_BANK, BankVersions
from server.core.clock import utc_now
from server.core.settings import ServerSettings
from server.exports.cohort import EXPORT_COHORT, cohort_exporting
from server.jobs.queue import JobQueue
from server.jobs.worker import Worker
from server.operations.logs import set_up_logs
from server.operations.metrics import SHARED_FOLDER_VARIABLE, Metrics
from server.sharing.recordings import RECORDING, RecordingService, preparing
from server.sharing.service import SharingService
from server.sharing.shown import still_shown
from server.ui.headers import Assets, SecurityHeaders
from server.ui.rendering import STATIC
from server.web.http.context import BackgroundWork, Context
from server.web.http.gate import Csrf, Gate, Sessions
from server.web.http.limits import BodyLimit, Fairness, HostCheck, Observe
from server.web.http.responses import PROBLEM_RESPONSES, Pages, add_problem_handlers
from server.web.routes.account import (
    account_router,
    second_factor_router,
    sign_in_code_router,
    sign_in_router,
)
from server.web.routes.admin import admin_router
from server.web.routes.attempts import attempts_router, drills_router
from server.web.routes.bank import bank_pages_router, bank_router
from server.web.routes.bank_question_pages import bank_question_pages_router
from server.web.routes.coach import coach_router, corrections_router
from server.web.routes.jobs import (
    export_pages_router,
    exports_router,
    job_pages_router,
    jobs_router,
)
from server.web.routes.reviews import merging_router, review_pages_router, reviews_router
from server.web.routes.root import health_router, home_router
from server.web.routes.sharing import links_router, recordings_router, sharing_router

API_PREFIX = "/api/v1"

_API: Final = (
    attempts_router, bank_router, drills_router, jobs_router, exports_router, sharing_router,
    recordings_router, reviews_router, merging_router,
)  # fmt: skip
"""Routes are tried in order: the most used first."""
_PAGES: Final = (
    links_router, job_pages_router, bank_question_pages_router, bank_pages_router,
    export_pages_router, coach_router, corrections_router, review_pages_router, home_router,
    sign_in_router, sign_in_code_router, account_router, second_factor_router, admin_router,
    health_router,
)  # fmt: skip
"""The pages of questions come before the versions' numbers."""


_SWITCH_S: Final = 0.0005
"""How long a grading thread may keep the interpreter while others wait: ten times shorter than
Python's default, because a request hands it over many times."""

_HUNG_S: Final = 60
"""After this long without a sign of life, one of several processes is ended and replaced. On a busy
machine, uvicorn's default of 5 s would kill processes in the middle of an answer."""

SETTINGS_VARIABLE: Final = "ALOUD_SERVER_SETTINGS"
"""Passes the settings to the processes that uvicorn starts."""


@cache
def _routes() -> APIRouter:
    """All routes, created once per process and shared by its apps.

    FastAPI resolves an included route at its first request, which takes a millisecond for each of
    the hundred.
    """
    routes = APIRouter(responses=PROBLEM_RESPONSES)
    for make_routes in _API:
        routes.include_router(make_routes(), prefix=API_PREFIX)
    for make_routes in _PAGES:
        routes.include_router(make_routes())
    return routes


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
    context = Context(
        settings,
        use,
        accounts or AccountService(use.database, secret=settings.secret),
        Pages(),
        _background_work(use),
        SharingService(use.database),
        Metrics(use.database),
    )

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with context.background.worker_running():
            yield
        if own:
            use.close()

    app = FastAPI(
        title="Aloud",
        summary="Grades and keeps spoken interview answers.",
        version=version("aloud"),
        lifespan=lifespan,
        routes=_routes().routes,
        # /openapi.json is our own route, behind the gate; FastAPI's own pages load their scripts
        # from elsewhere
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
    )
    app.state.context, app.state.pages = context, context.pages
    _add_middleware(app, context)
    add_problem_handlers(app)
    app.mount("/static/ui", Assets(directory=STATIC), name="ui")
    return app


def _background_work(service: Service) -> BackgroundWork:
    """The jobs of a service, and the versions of its bank.

    From then on, the service grades with the active version. This process's worker does not run
    yet.
    """
    versions = BankVersions(service.database, service.grading_data, check_answers)
    service.grade_with(versions.grading_data)
    database = service.database
    recordings = RecordingService(database, utc_now)
    kinds = {
        REGRADE: regrading(service),
        CHECK_BANK: versions.checking(),
        EXPORT_COHORT: cohort_exporting(database),
        RECORDING: preparing(database, recordings),
    }
    queue = JobQueue(database)

    def drop_what_is_not_shared() -> None:
        """Exports and recordings must not outlive the sharing of their content."""
        recordings.sweep_when_due()
        for job_id, result, answers in queue.with_files(EXPORT_COHORT):
            if not still_shown(database, result["cohort_id"], answers):
                queue.drop_file(job_id)

    worker = Worker(queue, kinds, tidy=drop_what_is_not_shared)
    return BackgroundWork(database, queue, worker, versions)


def _add_middleware(app: FastAPI, context: Context) -> None:
    """The middleware that every request passes, the last added first."""
    settings, secret = context.settings, context.accounts.secret
    app.add_middleware(Fairness)
    app.add_middleware(Gate, accounts=context.accounts, needs_accounts=settings.needs_accounts)
    app.add_middleware(Csrf, secret=secret)
    app.add_middleware(BodyLimit, max_bytes=settings.max_body_bytes, within_s=settings.request_s)
    app.add_middleware(Sessions, secret=secret)
    app.add_middleware(HostCheck, hosts=settings.hosts)
    app.add_middleware(Observe, metrics=context.metrics)
    app.add_middleware(SecurityHeaders)


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:  # a name, which may lead anywhere
        return False


def app_of_worker() -> FastAPI:
    """The app in one of several processes, with the settings of the parent process."""
    settings = ServerSettings.model_validate_json(os.environ[SETTINGS_VARIABLE])
    set_up_logs(settings.log_level)
    return _ready(settings)


def _ready(settings: ServerSettings) -> FastAPI:
    """The app, which has graded nothing yet but has loaded the encoder (0.5 s)."""
    sys.setswitchinterval(_SWITCH_S)
    app = create_app(settings)
    context: Context = app.state.context
    grading_data = context.service.grading_data
    for question in grading_data.bank.questions[:1]:
        grading_data.prepare(question)
    return app


def run(
    settings: ServerSettings, *, host: str, port: int, workers: int, tell: Callable[[str], None]
) -> None:
    """Serves until interrupted.

    Raises:
        StoreError, BankError, LexiconError: the server cannot start; the text says why.
    """
    shown = f"[{host}]" if ":" in host else host
    line = f"Aloud serves on http://{shown}:{port}"
    if workers == 1:
        set_up_logs(settings.log_level)
        app = _ready(settings)
        tell(line)
        uvicorn.run(app, host=host, port=port, log_config=None, ws="none")
        return
    os.environ[SETTINGS_VARIABLE] = settings.model_dump_json()
    tell(f"{line} with {workers} processes")
    set_up_logs(settings.log_level)
    with tempfile.TemporaryDirectory(prefix="aloud-serve-") as folder:
        os.environ[SHARED_FOLDER_VARIABLE] = folder
        uvicorn.run(
            "server.web.app:app_of_worker",
            factory=True,
            host=host,
            port=port,
            workers=workers,
            timeout_worker_healthcheck=_HUNG_S,
            log_config=None,
            ws="none",
        )
