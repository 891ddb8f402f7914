"""Drills over HTTP: takes in, what is due out, export and import."""

from typing import Annotated

from fastapi import APIRouter, Query, status

from server.attempts.drill_service import DRILL_ARCHIVE_PAGE
from server.contract import (
    DrillArchive,
    DrillCard,
    DrillImport,
    DrillQuery,
    DrillQueue,
    DrillReview,
    ReviewedDrill,
    SetId,
)
from server.core.access import Action
from server.web.http.gate import OwnService, needs


def drills_router() -> APIRouter:
    """The routes under ``/drills``."""
    router = APIRouter(prefix="/drills", tags=["drills"], dependencies=[needs(Action.PRACTICE)])

    @router.post("/reviews", status_code=status.HTTP_201_CREATED)
    def review(review: DrillReview, service: OwnService) -> ReviewedDrill:
        """Store how an item was said, and schedule it; the same review is stored only once."""
        return service.drills.review(review)

    @router.get("/queue")
    def queue(query: Annotated[DrillQuery, Query()], service: OwnService) -> DrillQueue:
        """List what is due, the longest overdue first."""
        return service.drills.queue(query)

    @router.get("/cards")
    def cards(service: OwnService, drill_set: SetId | None = None) -> tuple[DrillCard, ...]:
        """Return all cards, of one set or over all."""
        return service.drills.cards(drill_set)

    @router.get("/archive")
    def export(
        service: OwnService,
        after_id: Annotated[int, Query(ge=0, le=2**63 - 1)] = 0,
        limit: Annotated[int, Query(ge=1, le=DRILL_ARCHIVE_PAGE)] = DRILL_ARCHIVE_PAGE,
    ) -> DrillArchive:
        """Return a page of all reviews."""
        return service.drills.export_page(after_id=after_id, limit=limit)

    @router.post("/archive")
    def import_(archive: DrillArchive, service: OwnService) -> DrillImport:
        """Store exported reviews; what is there already is left as it is."""
        return service.drills.import_reviews(archive.reviews)

    return router
