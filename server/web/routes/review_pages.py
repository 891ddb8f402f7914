"""The review page of one attempt, for the coaches of a cohort that its owner shows it to."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Form, Path, Request
from starlette.responses import RedirectResponse, Response

from server.contract import AttemptId
from server.core.access import Action, Actor, Resource, may
from server.core.errors import InvalidInputError
from server.review.models import Rubric
from server.review.review_queue import ReviewQueue
from server.review.service import author_of
from server.ui.compare_view import view_comparison
from server.ui.report_view import Sounds
from server.web.http.context import Context
from server.web.http.gate import AppContext, CurrentActor, demand, needs
from server.web.routes.attempt_review import AttemptReview, Reviews, add_review_routes

Id = Annotated[AttemptId, Path()]


@dataclass(frozen=True)
class _CoachReview(AttemptReview):
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


def queue_of(context: Context, actor: Actor) -> ReviewQueue:
    """The queue of the current coach."""
    return ReviewQueue(context.service.database, actor.coached, actor.account_id or 0)


def _review(
    attempt_id: Id, actor: CurrentActor, context: AppContext, reviews: Reviews
) -> AttemptReview:
    """The attempt for a coach whom it is shared with."""
    resource = reviews.resource(attempt_id)
    demand(actor, Action.READ, resource)
    return _CoachReview(
        context=context,
        reviews=reviews,
        attempt_id=attempt_id,
        owner_id=resource.owner_id,
        address=f"/coach/attempts/{attempt_id}",
        author=author_of(actor),
        actions=frozenset(each for each in Action if may(actor, each, resource)),
        actor=actor,
        resource=resource,
    )


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
        attempt_id: Id,
        actor: CurrentActor,
        context: AppContext,
        reviews: Reviews,
        state: Annotated[Literal["open", "done"], Form()] = "done",
    ) -> Response:
        """Be done with the attempt, and go to the next one of the queue; or open it again."""
        demand(actor, Action.REVIEW, reviews.resource(attempt_id))
        reviews.mark(attempt_id, actor.account_id or 0, state)
        if state == "open":
            return RedirectResponse(f"/coach/attempts/{attempt_id}", 303)
        next_id = queue_of(context, actor).next_after(attempt_id)
        return RedirectResponse(f"/coach/attempts/{next_id}" if next_id else "/coach/queue", 303)

    @router.get("/compare/{other_id}")
    def compare(
        request: Request,
        attempt_id: Id,
        other_id: Id,
        actor: CurrentActor,
        context: AppContext,
        reviews: Reviews,
    ) -> Response:
        """Two answers of one person to one question, the earlier one first."""
        resources = [reviews.resource(each) for each in (attempt_id, other_id)]
        for resource in resources:
            demand(actor, Action.READ, resource)
        if attempt_id == other_id or resources[0].owner_id != resources[1].owner_id:
            raise InvalidInputError("only two answers of the same person can be compared")
        service = context.service.of(resources[0].owner_id)
        before, after = sorted(
            (service.attempt(each) for each in (attempt_id, other_id)),
            key=lambda each: (each.submission.created_at, each.id),
        )
        if before.report.question_id != after.report.question_id:
            raise InvalidInputError("only answers to the same question can be compared")
        archived = service.export_one(after.id).attempts[0]
        return context.pages.page(
            request,
            "coach/compare.html",
            question=archived.question,
            before=before,
            after=after,
            view=view_comparison(before.report, after.report),
            sounds=Sounds(),
        )

    return router


def _name(context: Context, resource: Resource) -> str:
    if resource.owner_id is None:
        return "you"
    return context.accounts.get(resource.owner_id).display_name
