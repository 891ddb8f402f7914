"""Reviews: the page of one attempt for its coaches, and comments over HTTP."""

from dataclasses import dataclass
from functools import cache, partial
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Form, Path
from starlette.responses import RedirectResponse, Response

from server.contract import (
    AttemptId,
    CommentText,
    MergedReview,
    NewComment,
    ReviewDocument,
    use_cases,
)
from server.core.access import Action, Actor, Resource, may
from server.core.errors import InvalidInputError
from server.review.merging import ReviewMerger
from server.review.models import Rubric
from server.review.service import author_of
from server.ui.compare_view import view_comparison
from server.web.http.context import AppContext, Context, PageVisit, Reviews, queue_of, served
from server.web.http.gate import CurrentActor, demand, needs
from server.web.routes.attempt_review import AttemptReview, ExternalIdPath, add_review_routes

Id = Annotated[AttemptId, Path()]


@dataclass(frozen=True)
class _CoachReview(AttemptReview):
    context: Context
    actor: Actor
    resource: Resource

    @property
    def recording_url(self) -> str:
        return f"/api/v1/attempts/{self.attempt_id}/recording"

    def rubric(self) -> Rubric:
        return self.reviews.rubric(self.resource.shown_to & self.actor.coached)

    def values(self) -> dict[str, Any]:
        queue = queue_of(self.context, self.actor)
        next_id = queue.next_after(self.attempt_id)
        return {
            "guest": None,
            "guest_name": None,
            "candidate": _name(self.context, self.resource),
            "index": "/coach/queue",
            "next_address": f"/coach/attempts/{next_id}" if next_id else None,
            "done": self.reviews.is_done(self.attempt_id, self.actor.account_id),
            "others": queue.others(self.attempt_id),
        }


def _review(
    attempt_id: Id, actor: CurrentActor, context: AppContext, reviews: Reviews
) -> _CoachReview:
    """The attempt, for a coach it is shared with."""
    resource = reviews.resource(attempt_id)
    demand(actor, Action.READ, resource)
    return _CoachReview(
        context=context,
        own=context.service.of(resource.owner_id),
        pages=context.pages,
        reviews=reviews,
        attempt_id=attempt_id,
        address=f"/coach/attempts/{attempt_id}",
        author=author_of(actor),
        actions=frozenset(each for each in Action if may(actor, each, resource)),
        turn=partial(context.grading.turn_of, actor.account_id),
        actor=actor,
        resource=resource,
    )


@cache
def review_pages_router() -> APIRouter:
    """The pages under ``/coach/attempts/…``."""
    router = APIRouter(
        prefix="/coach/attempts/{attempt_id}",
        include_in_schema=False,
        dependencies=[needs(Action.COACH)],
    )
    add_review_routes(router, _review)

    @router.post("/state")
    def mark(
        visit: PageVisit,
        attempt_id: Id,
        reviews: Reviews,
        state: Annotated[Literal["open", "done"], Form()] = "done",
    ) -> Response:
        """Mark the attempt as done and go to the next one in the queue, or open it again."""
        actor = visit.actor
        demand(actor, Action.REVIEW, reviews.resource(attempt_id))
        reviews.mark(attempt_id, actor.account_id or 0, state)
        if state == "open":
            return RedirectResponse(f"/coach/attempts/{attempt_id}", 303)
        next_id = queue_of(visit.context, actor).next_after(attempt_id)
        return RedirectResponse(f"/coach/attempts/{next_id}" if next_id else "/coach/queue", 303)

    @router.get("/compare/{other_id}")
    def compare(visit: PageVisit, attempt_id: Id, other_id: Id, reviews: Reviews) -> Response:
        """Two answers of one person to one question, the earlier one first."""
        one, other = (
            _review(each, visit.actor, visit.context, reviews) for each in (attempt_id, other_id)
        )
        if attempt_id == other_id or one.resource.owner_id != other.resource.owner_id:
            raise InvalidInputError("only two answers of the same person can be compared")
        before, after = sorted(
            (one.own.attempt(each) for each in (attempt_id, other_id)),
            key=lambda each: (each.submission.created_at, each.id),
        )
        if before.report.question_id != after.report.question_id:
            raise InvalidInputError("only answers to the same question can be compared")
        archived = one.own.export_one(after.id).attempts[0]
        return visit.page(
            "coach/compare.html",
            question=archived.question,
            before=before,
            after=after,
            view=view_comparison(before.report, after.report),
            heard={each.attempt_id: each.sounds() for each in (one, other)},
        )

    return router


def _name(context: Context, resource: Resource) -> str:
    if resource.owner_id is None:
        return "you"
    return context.accounts.get(resource.owner_id).display_name


def _may_read(attempt_id: Id, actor: CurrentActor, reviews: Reviews) -> None:
    """Checked before the body is read; for strangers, there is no such attempt."""
    demand(actor, Action.READ, reviews.resource(attempt_id))


@cache
def reviews_router() -> APIRouter:
    """``/attempts/…/review`` and its comments."""
    router = APIRouter(
        prefix="/attempts/{attempt_id}",
        tags=["reviews"],
        dependencies=[needs(Action.PRACTICE), Depends(_may_read)],
    )

    @served(router, use_cases.REVIEW)
    def review(
        attempt_id: Id, actor: CurrentActor, reviews: Reviews, context: AppContext
    ) -> ReviewDocument:
        """Return comments, scores and corrected verdicts; its owner gets the criteria too."""
        if may(actor, Action.CHANGE, reviews.resource(attempt_id)):
            return ReviewMerger(context.service.database, actor.account_id).document(attempt_id)
        return reviews.document(attempt_id)

    @served(router, use_cases.COMMENT)
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

    @served(router, use_cases.DELETE_COMMENT)
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


@cache
def merging_router() -> APIRouter:
    """``/reviews``: answers of others are reported as not found."""
    router = APIRouter(tags=["reviews"], dependencies=[needs(Action.PRACTICE)])

    @served(router, use_cases.MERGE_REVIEW)
    def merge(document: ReviewDocument, actor: CurrentActor, context: AppContext) -> MergedReview:
        """Add a file's contents about your own answer, each part once, under the names in it."""
        return ReviewMerger(context.service.database, actor.account_id).merge(document)

    return router
