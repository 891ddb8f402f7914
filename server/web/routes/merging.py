"""Comments that came back in a file, over HTTP: for whose answer they are about."""

from fastapi import APIRouter

from server.contract import MergedReview, ReviewDocument
from server.core.access import Action
from server.review.merging import ReviewMerger
from server.web.http.gate import AppContext, CurrentActor, needs

__all__ = ["merging_router"]


def merging_router() -> APIRouter:
    """``/reviews``: what belongs to others is not there for who asks."""
    router = APIRouter(tags=["reviews"], dependencies=[needs(Action.PRACTISE)])

    @router.post("/reviews")
    def merge(document: ReviewDocument, actor: CurrentActor, context: AppContext) -> MergedReview:
        """Add what a file holds about one's own answer, each part once, under the names in it."""
        return ReviewMerger(context.service.database, actor.account_id).merge(document)

    return router
