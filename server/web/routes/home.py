"""The first page, the description of the API, and addresses of this server."""

from functools import cache

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from server.core.access import Action, may
from server.web.http.gate import AppContext, CurrentActor, needs


def invitation_link(request: Request, secret: str) -> str:
    """The address at which an invitation is used."""
    return f"{str(request.base_url).rstrip('/')}/invitation/{secret}"


@cache
def home_router() -> APIRouter:
    """``/`` and ``/openapi.json``."""
    router = APIRouter(include_in_schema=False)

    @router.get("/")
    def home(request: Request, actor: CurrentActor, context: AppContext) -> Response:
        """Send everybody to the page they work on."""
        if may(actor, Action.COACH):
            return RedirectResponse("/coach", 303)
        if may(actor, Action.MANAGE_ACCOUNTS):
            return RedirectResponse("/admin/accounts", 303)
        if may(actor, Action.OWN_ACCOUNT):
            return RedirectResponse("/account", 303)
        server = str(request.base_url).rstrip("/")
        return context.pages.page(request, "server/open.html", server=server)

    @router.get("/openapi.json", dependencies=[needs(Action.READ_BANK)])
    def description(request: Request) -> Response:
        """Describe the API."""
        return JSONResponse(request.app.openapi())

    return router
