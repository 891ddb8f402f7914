"""What was written about an attempt, over HTTP: read, commented on, and merged from a file."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path

from server.contract import AttemptId, CommentText, MergedReview, NewComment, ReviewDocument
from server.core.access import Action, may
from server.review.merging import ReviewMerger
from server.review.service import author_of
from server.web.http.gate import AppContext, CurrentActor, demand, needs
from server.web.routes.attempt_review import ExternalIdPath, Reviews

Id = Annotated[AttemptId, Path()]


def _may_read(attempt_id: Id, actor: CurrentActor, reviews: Reviews) -> None:
    """Checked before the body is read: to strangers there is no such attempt."""
    demand(actor, Action.READ, reviews.resource(attempt_id))


def reviews_router() -> APIRouter:
    """``/attempts/…/review`` and its comments."""
    router = APIRouter(
        prefix="/attempts/{attempt_id}",
        tags=["reviews"],
        dependencies=[needs(Action.PRACTICE), Depends(_may_read)],
    )

    @router.get("/review")
    def review(
        attempt_id: Id, actor: CurrentActor, reviews: Reviews, context: AppContext
    ) -> ReviewDocument:
        """Return comments, scores and corrected verdicts; its owner gets the criteria too."""
        if may(actor, Action.CHANGE, reviews.resource(attempt_id)):
            return ReviewMerger(context.service.database, actor.account_id).document(attempt_id)
        return reviews.document(attempt_id)

    @router.post("/comments")
    def comment(
        attempt_id: Id, wanted: NewComment, actor: CurrentActor, reviews: Reviews
    ) -> ReviewDocument:
        """Store a comment, or a reply to one, once, and return all comments."""
        demand(actor, Action.COMMENT, reviews.resource(attempt_id))
        reviews.comment(attempt_id, author_of(actor), wanted)
        return reviews.document(attempt_id)

    @router.put("/comments/{external_id}")
    def edit(
        attempt_id: Id,
        external_id: ExternalIdPath,
        wanted: CommentText,
        actor: CurrentActor,
        reviews: Reviews,
    ) -> ReviewDocument:
        """Change the text of your own comment, and return all comments."""
        demand(actor, Action.COMMENT, reviews.resource(attempt_id))
        reviews.edit(attempt_id, author_of(actor), external_id, wanted.text)
        return reviews.document(attempt_id)

    @router.delete("/comments/{external_id}", status_code=204)
    def delete(
        attempt_id: Id,
        external_id: ExternalIdPath,
        actor: CurrentActor,
        reviews: Reviews,
        context: AppContext,
    ) -> None:
        """Delete, on your own attempt, your comment or that of somebody without an account."""
        demand(actor, Action.CHANGE, reviews.resource(attempt_id))
        ReviewMerger(context.service.database, actor.account_id).delete_comment(
            attempt_id, external_id
        )

    return router


def merging_router() -> APIRouter:
    """``/reviews``: answers of others are reported as not found."""
    router = APIRouter(tags=["reviews"], dependencies=[needs(Action.PRACTICE)])

    @router.post("/reviews")
    def merge(document: ReviewDocument, actor: CurrentActor, context: AppContext) -> MergedReview:
        """Add what a file says about your own answer, each part once, under the names in it."""
        return ReviewMerger(context.service.database, actor.account_id).merge(document)

    return router
