"""The FastAPI app, built by a function: there is no global one."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version

from fastapi import FastAPI
from pydantic import BaseModel

from server.assembly import create_service
from server.routes.attempts import attempts_router
from server.routes.bank import bank_router
from server.routes.body_limit import BodyLimit
from server.routes.drills import drills_router
from server.routes.host_check import HostCheck
from server.routes.problems import PROBLEM_RESPONSES, add_problem_handlers
from server.service import Service
from server.settings import ServerSettings

__all__ = ["API_PREFIX", "Health", "create_app"]

API_PREFIX = "/api/v1"


class Health(BaseModel):
    """The answer of ``/healthz``; ``app`` tells a client that this is an Aloud server."""

    app: str = "aloud"
    status: str = "ok"
    bank_version: str


def create_app(settings: ServerSettings, *, service: Service | None = None) -> FastAPI:
    """The app. A service that is given stays open when the app ends; its own one is closed.

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
    )
    app.add_middleware(BodyLimit, max_bytes=settings.max_body_bytes)
    app.add_middleware(HostCheck, hosts=settings.hosts)
    add_problem_handlers(app)
    app.include_router(bank_router(use), prefix=API_PREFIX)
    app.include_router(attempts_router(use), prefix=API_PREFIX)
    app.include_router(drills_router(use.drills), prefix=API_PREFIX)

    @app.get("/healthz", tags=["operation"])
    def healthz() -> Health:
        """Tell whether the server and its database answer."""
        use.check()
        return Health(bank_version=use.bank.version)

    return app
