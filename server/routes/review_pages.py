"""The review page of one attempt, for the coaches of a cohort that its owner shows it to."""

import secrets
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Form, Path, Request
from starlette.responses import RedirectResponse, Response

from server.access import Action, Actor, Thing, may
from server.context import Context
from server.contract import AttemptId
from server.errors import InvalidInputError
from server.review.corrected import corrected
from server.review.queue import Queue
from server.review.service import ReviewService, author_of
from server.routes.gate import AppContext, CurrentActor, demand, needs
from server.routes.review_forms import (
    Field,
    LongField,
    comment_from,
    correction_from,
    scores_from,
)
from server.ui.compare_view import view_comparison
from server.ui.report_view import Sounds, view_report

__all__ = ["ExternalIdPath", "Reviews", "queue_of", "review_pages_router"]

Id = Annotated[AttemptId, Path()]
ExternalIdPath = Annotated[str, Path(pattern=r"^[0-9a-f]{32}$")]
FieldList = Annotated[list[str], Form()]


def _reviews(context: AppContext) -> ReviewService:
    return ReviewService(context.service.database)


Reviews = Annotated[ReviewService, Depends(_reviews)]
"""The use cases of coaching."""


def queue_of(context: Context, actor: Actor) -> Queue:
    """The queue of who asks."""
    return Queue(context.service.database, actor.coached, actor.account_id or 0)


def review_pages_router() -> APIRouter:
    """The pages under ``/coach/attempts/…``."""
    router = APIRouter(
        prefix="/coach/attempts/{attempt_id}",
        include_in_schema=False,
        dependencies=[needs(Action.COACH)],
    )

    @router.get("")
    def page(
        request: Request, attempt_id: Id, actor: CurrentActor, context: AppContext, reviews: Reviews
    ) -> Response:
        """Show the attempt with everything that was written about it."""
        return _page(request, context, reviews, actor, attempt_id)

    @router.post("/comments")
    def comment(
        request: Request,
        attempt_id: Id,
        actor: CurrentActor,
        context: AppContext,
        reviews: Reviews,
        text: LongField = "",
        kind: Field = "answer",
        word_from: Field = "",
        word_to: Field = "",
        at_s: Field = "",
        parent: Field = "",
        external_id: Field = "",
    ) -> Response:
        """Keep a comment."""
        demand(actor, Action.COMMENT, reviews.thing(attempt_id))
        try:
            wanted = comment_from(text, kind, word_from, word_to, at_s, parent, external_id)
            reviews.comment(attempt_id, author_of(actor), wanted)
        except InvalidInputError as error:
            return _page(
                request, context, reviews, actor, attempt_id, problem=str(error), typed=text
            )
        return RedirectResponse(f"/coach/attempts/{attempt_id}#c-{wanted.external_id}", 303)

    @router.post("/comments/{external_id}/delete")
    def take_back(
        attempt_id: Id, external_id: ExternalIdPath, actor: CurrentActor, reviews: Reviews
    ) -> Response:
        """Take one's own comment back."""
        demand(actor, Action.COMMENT, reviews.thing(attempt_id))
        reviews.take_back(attempt_id, author_of(actor), external_id)
        return RedirectResponse(f"/coach/attempts/{attempt_id}#comments", 303)

    @router.post("/scores")
    def scores(
        attempt_id: Id,
        actor: CurrentActor,
        reviews: Reviews,
        criterion: FieldList = [],  # noqa: B006 (FastAPI copies it)
        score: FieldList = [],  # noqa: B006
        note: FieldList = [],  # noqa: B006
    ) -> Response:
        """Keep scores by the programme's rubric."""
        thing = reviews.thing(attempt_id)
        demand(actor, Action.REVIEW, thing)
        rubric = reviews.rubric(thing.shown_to & actor.coached)
        for each in scores_from(criterion, score, note):
            reviews.score(attempt_id, author_of(actor), each, rubric)
        return RedirectResponse(f"/coach/attempts/{attempt_id}#rubric", 303)

    @router.post("/corrections")
    def correct(
        attempt_id: Id,
        actor: CurrentActor,
        context: AppContext,
        reviews: Reviews,
        target: Field = "",
        name: Field = "",
        word_index: Field = "",
        verdict: Field = "",
        note: LongField = "",
        external_id: Field = "",
    ) -> Response:
        """Keep that a verdict is wrong."""
        thing = reviews.thing(attempt_id)
        demand(actor, Action.REVIEW, thing)
        wanted = correction_from(target, name, word_index, verdict, note, external_id)
        report = context.service.of(thing.owner_id).attempt(attempt_id).report
        reviews.correct(attempt_id, author_of(actor), wanted, report)
        return RedirectResponse(f"/coach/attempts/{attempt_id}#corrections", 303)

    @router.post("/corrections/{external_id}/delete")
    def take_back_correction(
        attempt_id: Id, external_id: ExternalIdPath, actor: CurrentActor, reviews: Reviews
    ) -> Response:
        """Take one's own correction back."""
        demand(actor, Action.REVIEW, reviews.thing(attempt_id))
        reviews.take_back_correction(attempt_id, author_of(actor), external_id)
        return RedirectResponse(f"/coach/attempts/{attempt_id}#corrections", 303)

    @router.post("/state")
    def mark(
        attempt_id: Id,
        actor: CurrentActor,
        context: AppContext,
        reviews: Reviews,
        state: Annotated[Literal["open", "done"], Form()] = "done",
    ) -> Response:
        """Be done with the attempt, and go to the next one of the queue; or open it again."""
        demand(actor, Action.REVIEW, reviews.thing(attempt_id))
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
        things = [reviews.thing(each) for each in (attempt_id, other_id)]
        for thing in things:
            demand(actor, Action.READ, thing)
        if attempt_id == other_id or things[0].owner_id != things[1].owner_id:
            raise InvalidInputError("two answers of the same person can be compared, no others")
        service = context.service.of(things[0].owner_id)
        before, after = sorted(
            (service.attempt(each) for each in (attempt_id, other_id)),
            key=lambda each: (each.submission.created_at, each.id),
        )
        if before.report.question_id != after.report.question_id:
            raise InvalidInputError("only answers to the same question can be compared")
        archived = service.export_one(after.id).attempts[0]
        shown = [
            corrected(each.report, reviews.review(each.id).corrections) for each in (before, after)
        ]
        return context.pages.page(
            request,
            "coach/compare.html",
            question=archived.question,
            before=before,
            after=after,
            view=view_comparison(*shown),
            sounds=Sounds(),
        )

    return router


def _page(
    request: Request,
    context: Context,
    reviews: ReviewService,
    actor: Actor,
    attempt_id: int,
    *,
    problem: str | None = None,
    typed: str = "",
) -> Response:
    thing = reviews.thing(attempt_id)
    demand(actor, Action.READ, thing)
    archived = context.service.of(thing.owner_id).export_one(attempt_id).attempts[0]
    review = reviews.review(attempt_id)
    report = corrected(archived.reports[-1].report, review.corrections)
    queue = queue_of(context, actor)
    return context.pages.page(
        request,
        "coach/review.html",
        422 if problem else 200,
        attempt_id=attempt_id,
        candidate=_name(context, thing),
        question=archived.question,
        created_at=archived.submission.created_at,
        view=view_report(report),
        terms_judged=report.pronunciation.terms,
        words=_words(report.transcript.text, [each.text for each in report.transcript.words]),
        sounds=_sounds(reviews, actor, thing, attempt_id),
        review=review,
        can_review=may(actor, Action.REVIEW, thing),
        rubric=reviews.rubric(thing.shown_to & actor.coached),
        own=review.by(author_of(actor)),
        mine=reviews.scores_of(attempt_id, author_of(actor)),
        done=reviews.is_done(attempt_id, actor.account_id),
        others=queue.others(attempt_id),
        next_id=queue.next_after(attempt_id),
        new_id=secrets.token_hex(16),
        problem=problem,
        typed=typed,
    )


def _sounds(reviews: ReviewService, actor: Actor, thing: Thing, attempt_id: int) -> Sounds:
    if may(actor, Action.HEAR, thing) and reviews.has_sound(attempt_id):
        return Sounds(recording_url=f"/api/v1/attempts/{attempt_id}/recording")
    return Sounds()


def _name(context: Context, thing: Thing) -> str:
    if thing.owner_id is None:
        return "you"
    return context.accounts.get(thing.owner_id).display_name


def _words(text: str, words: list[str]) -> list[str]:
    """As the transcript numbers them."""
    return words or text.split()
