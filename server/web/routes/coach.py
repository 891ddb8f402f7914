"""The coach's pages about cohorts: overview, review queue, rubric, corrected verdicts."""

from functools import cache
from typing import Annotated, Literal

from fastapi import APIRouter, Form, Path, Query, Request
from starlette.responses import RedirectResponse, Response

from server.core.access import Action, Actor
from server.core.clock import utc_now
from server.core.errors import InvalidInputError, NotFoundError
from server.jobs.job import MadeFile
from server.review.overview import MOST_CORRECTIONS, collect, overview_of, resolve, to_csv, to_yaml
from server.review.review_queue import QueueFilter
from server.web.http.context import AppContext, Context, Reviews, queue_of
from server.web.http.gate import CurrentActor, needs
from server.web.http.responses import file_response
from server.web.routes.attempt_review import LongField, rubric_from

Number = Annotated[int, Path(ge=1, le=2**63 - 1)]
MaybeNumber = Annotated[str, Query(max_length=20)]
"""A form sends an empty string if nothing is chosen."""


@cache
def coach_router() -> APIRouter:
    """``/coach``, ``/coach/queue`` and the rubric of a cohort."""
    router = APIRouter(prefix="/coach", include_in_schema=False, dependencies=[needs(Action.COACH)])

    @router.get("")
    def overview(
        request: Request,
        actor: CurrentActor,
        context: AppContext,
        reviews: Reviews,
        cohort: MaybeNumber = "",
        candidate: MaybeNumber = "",
    ) -> Response:
        """Show how a cohort is doing."""
        return _overview(request, context, reviews, actor, _id(cohort), _id(candidate))

    @router.get("/queue")
    def queue(
        request: Request,
        actor: CurrentActor,
        context: AppContext,
        state: Annotated[Literal["open", "done", "all"], Query()] = "open",
        cohort: MaybeNumber = "",
        candidate: MaybeNumber = "",
        topic: Annotated[str, Query(max_length=300)] = "",
        page: Annotated[int, Query(ge=1, le=100_000)] = 1,
    ) -> Response:
        """List what waits for a review, oldest first."""
        wanted = QueueFilter(state, _id(cohort), _id(candidate), topic, page)
        return context.pages.page(
            request,
            "coach/queue.html",
            queue=queue_of(context, actor).page(wanted),
            wanted=wanted,
            cohorts=_cohorts(context, actor),
        )

    @router.post("/cohorts/{cohort_id}/rubric")
    def rubric(
        request: Request,
        cohort_id: Number,
        actor: CurrentActor,
        context: AppContext,
        reviews: Reviews,
        criteria: LongField = "",
    ) -> Response:
        """Give a cohort its criteria."""
        if cohort_id not in actor.coached:
            raise NotFoundError("there is no such cohort, or you do not coach it")
        try:
            reviews.set_rubric(cohort_id, rubric_from(criteria), actor.account_id)
        except InvalidInputError as error:
            return _overview(
                request,
                context,
                reviews,
                actor,
                cohort_id,
                None,
                problem=str(error),
                typed=criteria,
            )
        return RedirectResponse(f"/coach?cohort={cohort_id}#rubric", 303)

    return router


@cache
def corrections_router() -> APIRouter:
    """``/coach/corrections``: for people who edit the bank."""
    router = APIRouter(
        prefix="/coach/corrections", include_in_schema=False, dependencies=[needs(Action.EDIT_BANK)]
    )

    @router.get("")
    def corrections(
        request: Request,
        actor: CurrentActor,
        context: AppContext,
        resolved: Annotated[bool, Query()] = False,
    ) -> Response:
        """List the verdicts that coaches corrected."""
        found = collect(context.service.database, actor.coached, resolved=resolved)
        return context.pages.page(
            request,
            "coach/corrections.html",
            corrections=found,
            resolved=resolved,
            is_full=len(found) == MOST_CORRECTIONS,
            most=MOST_CORRECTIONS,
        )

    @router.get("/export.{kind}")
    def export(kind: Literal["csv", "yaml"], actor: CurrentActor, context: AppContext) -> Response:
        """Return the open ones as a file."""
        found = collect(context.service.database, actor.coached)
        content = to_csv(found) if kind == "csv" else to_yaml(found)
        return file_response(MadeFile(f"corrections.{kind}", content.encode()))

    @router.post("/{correction_id}/resolve")
    def dealt_with(
        correction_id: Number,
        actor: CurrentActor,
        context: AppContext,
        reopen: Annotated[bool, Form()] = False,
    ) -> Response:
        """Remove one from the list, or put it back."""
        database = context.service.database
        resolve(database, correction_id, actor.account_id, utc_now(), is_open=reopen)
        return RedirectResponse(f"/coach/corrections{'?resolved=true' if reopen else ''}", 303)

    return router


def _overview(
    request: Request,
    context: Context,
    reviews: Reviews,
    actor: Actor,
    cohort_id: int | None,
    candidate_id: int | None,
    *,
    problem: str | None = None,
    typed: str | None = None,
) -> Response:
    cohorts = _cohorts(context, actor)
    if cohort_id is None and cohorts:
        cohort_id = cohorts[0][0]
    if cohort_id is not None and cohort_id not in actor.coached:
        raise NotFoundError("there is no such cohort, or you do not coach it")
    shown = None
    criteria = ""
    if cohort_id is not None:
        shown = overview_of(context.service.database, cohort_id, candidate_id)
        criteria = "\n".join(
            f"{each.name} | {each.description} | {each.scale}"
            for each in reviews.rubric({cohort_id}).criteria
        )
    return context.pages.page(
        request,
        "coach/overview.html",
        422 if problem else 200,
        cohorts=cohorts,
        cohort_id=cohort_id,
        candidate_id=candidate_id,
        overview=shown,
        criteria=criteria if typed is None else typed,
        problem=problem,
    )


def _cohorts(context: Context, actor: Actor) -> list[tuple[int, str]]:
    return [
        (each.id, each.name) for each in context.accounts.cohorts.all() if each.id in actor.coached
    ]


def _id(text: str) -> int | None:
    if not text:
        return None
    if not (text.isascii() and text.isdigit()) or not 0 < int(text) < 2**63:
        raise InvalidInputError("cohort and candidate must be numbers")
    return int(text)
