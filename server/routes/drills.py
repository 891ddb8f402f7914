"""Drills over HTTP: takes in, what is due out, export and import."""

from typing import Annotated

from fastapi import APIRouter, Query, status

from server.drill_contract import (
    DrillArchive,
    DrillCard,
    DrillImport,
    DrillQuery,
    DrillQueue,
    DrillReview,
    ReviewedDrill,
    SetId,
)
from server.drill_service import DRILL_ARCHIVE_PAGE, DrillService

__all__ = ["drills_router"]


def drills_router(service: DrillService) -> APIRouter:
    """The routes under ``/drills``."""
    router = APIRouter(prefix="/drills", tags=["drills"])

    @router.post("/reviews", status_code=status.HTTP_201_CREATED)
    def review(review: DrillReview) -> ReviewedDrill:
        """Store how an item was said, and schedule it; the same review is stored only once."""
        return service.review(review)

    @router.get("/queue")
    def queue(query: Annotated[DrillQuery, Query()]) -> DrillQueue:
        """List what is due, the longest overdue first."""
        return service.queue(query)

    @router.get("/cards")
    def cards(drill_set: SetId | None = None) -> tuple[DrillCard, ...]:
        """Return all cards, of one set or over all."""
        return service.cards(drill_set)

    @router.get("/archive")
    def export(
        after_id: Annotated[int, Query(ge=0, le=2**63 - 1)] = 0,
        limit: Annotated[int, Query(ge=1, le=DRILL_ARCHIVE_PAGE)] = DRILL_ARCHIVE_PAGE,
    ) -> DrillArchive:
        """Return a page of all reviews."""
        return service.export_page(after_id=after_id, limit=limit)

    @router.post("/archive")
    def import_(archive: DrillArchive) -> DrillImport:
        """Store exported reviews; what is there already is left as it is."""
        return service.import_reviews(archive.reviews)

    return router
