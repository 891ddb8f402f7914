"""The coach's pages about cohorts: overview, review queue, rubric, corrected verdicts."""

from functools import cache
from typing import Annotated, Literal

from fastapi import APIRouter, Form, Path, Query
from starlette.responses import RedirectResponse, Response

from server.core.access import Action
from server.core.clock import utc_now
from server.core.errors import InvalidInputError, NotFoundError
from server.jobs.job import MadeFile
from server.review.overview import MOST_CORRECTIONS, collect, overview_of, resolve, to_csv, to_yaml
from server.review.review_queue import QueueFilter
from server.web.http.context import PageVisit, Reviews, Visit, queue_of
from server.web.http.gate import needs
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
        visit: PageVisit,
        reviews: Reviews,
        cohort: MaybeNumber = "",
        candidate: MaybeNumber = "",
    ) -> Response:
        """Show how a cohort is doing."""
        return _overview(visit, reviews, _id(cohort), _id(candidate))

    @router.get("/queue")
    def queue(
        visit: PageVisit,
        state: Annotated[Literal["open", "done", "all"], Query()] = "open",
        cohort: MaybeNumber = "",
        candidate: MaybeNumber = "",
        topic: Annotated[str, Query(max_length=300)] = "",
        page: Annotated[int, Query(ge=1, le=100_000)] = 1,
    ) -> Response:
        """List what waits for a review, oldest first."""
        wanted = QueueFilter(state, _id(cohort), _id(candidate), topic, page)
        return visit.page(
            "coach/queue.html",
            queue=queue_of(visit.context, visit.actor).page(wanted),
            wanted=wanted,
            cohorts=_cohorts(visit),
        )

    @router.post("/cohorts/{cohort_id}/rubric")
    def rubric(
        visit: PageVisit, cohort_id: Number, reviews: Reviews, criteria: LongField = ""
    ) -> Response:
        if cohort_id not in visit.actor.coached:
            raise NotFoundError("there is no such cohort, or you do not coach it")
        try:
            reviews.set_rubric(cohort_id, rubric_from(criteria), visit.actor.account_id)
        except InvalidInputError as error:
            return _overview(visit, reviews, cohort_id, None, problem=str(error), typed=criteria)
        return RedirectResponse(f"/coach?cohort={cohort_id}#rubric", 303)

    return router


@cache
def corrections_router() -> APIRouter:
    """``/coach/corrections``: for people who edit the bank."""
    router = APIRouter(
        prefix="/coach/corrections", include_in_schema=False, dependencies=[needs(Action.EDIT_BANK)]
    )

    @router.get("")
    def corrections(visit: PageVisit, resolved: Annotated[bool, Query()] = False) -> Response:
        found = collect(visit.context.service.database, visit.actor.coached, resolved=resolved)
        return visit.page(
            "coach/corrections.html",
            corrections=found,
            resolved=resolved,
            is_full=len(found) == MOST_CORRECTIONS,
            most=MOST_CORRECTIONS,
        )

    @router.get("/export.{kind}")
    def export(visit: PageVisit, kind: Literal["csv", "yaml"]) -> Response:
        """Return the open ones as a file."""
        found = collect(visit.context.service.database, visit.actor.coached)
        content = to_csv(found) if kind == "csv" else to_yaml(found)
        return file_response(MadeFile(f"corrections.{kind}", content.encode()))

    @router.post("/{correction_id}/resolve")
    def dealt_with(
        visit: PageVisit, correction_id: Number, reopen: Annotated[bool, Form()] = False
    ) -> Response:
        """Remove one from the list, or put it back."""
        database = visit.context.service.database
        resolve(database, correction_id, visit.actor.account_id, utc_now(), is_open=reopen)
        return RedirectResponse(f"/coach/corrections{'?resolved=true' if reopen else ''}", 303)

    return router


def _overview(
    visit: Visit,
    reviews: Reviews,
    cohort_id: int | None,
    candidate_id: int | None,
    *,
    problem: str | None = None,
    typed: str | None = None,
) -> Response:
    cohorts = _cohorts(visit)
    if cohort_id is None and cohorts:
        cohort_id = cohorts[0][0]
    if cohort_id is not None and cohort_id not in visit.actor.coached:
        raise NotFoundError("there is no such cohort, or you do not coach it")
    shown = None
    criteria = ""
    if cohort_id is not None:
        shown = overview_of(visit.context.service.database, cohort_id, candidate_id)
        criteria = "\n".join(
            f"{each.name} | {each.description} | {each.scale}"
            for each in reviews.rubric({cohort_id}).criteria
        )
    return visit.page(
        "coach/overview.html",
        422 if problem else 200,
        cohorts=cohorts,
        cohort_id=cohort_id,
        candidate_id=candidate_id,
        overview=shown,
        criteria=criteria if typed is None else typed,
        problem=problem,
    )


def _cohorts(visit: Visit) -> list[tuple[int, str]]:
    cohorts = visit.context.accounts.cohorts.all()
    return [(each.id, each.name) for each in cohorts if each.id in visit.actor.coached]


def _id(text: str) -> int | None:
    if not text:
        return None
    if not (text.isascii() and text.isdigit()) or not 0 < int(text) < 2**63:
        raise InvalidInputError("cohort and candidate must be numbers")
    return int(text)
