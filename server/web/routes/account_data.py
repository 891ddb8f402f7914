"""``/account/everything``: everything the server keeps of an account, to download."""

from collections.abc import Iterator
from typing import IO, Final

from fastapi import APIRouter
from starlette.responses import Response, StreamingResponse

from server.core.access import Action
from server.core.clock import utc_now
from server.operations.account_data import everything_of
from server.review.service import ReviewService
from server.sharing.service import SharingService
from server.web.http.gate import AppContext, CurrentActor, OwnService, needs

_CHUNK_BYTES: Final = 256 * 1024


def everything_router(sharing: SharingService) -> APIRouter:
    """The one route."""
    router = APIRouter(include_in_schema=False, dependencies=[needs(Action.OWN_ACCOUNT)])

    @router.get("/account/everything")
    def everything(actor: CurrentActor, service: OwnService, context: AppContext) -> Response:
        """Answers with all that belongs to them, and what was written about others, as a zip."""
        reviews = ReviewService(context.service.database)
        file = everything_of(actor, context.accounts, service, sharing, reviews, utc_now())
        return StreamingResponse(
            _chunks(file),
            media_type="application/zip",
            headers={"Content-Disposition": 'attachment; filename="aloud-everything.zip"'},
        )

    return router


def _chunks(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        while chunk := file.read(_CHUNK_BYTES):
            yield chunk
