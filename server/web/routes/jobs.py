"""Background work over HTTP: regrades and exports, their progress and their files."""

from functools import cache
from typing import Annotated

from fastapi import APIRouter, Form, Path, Query, status
from starlette.responses import RedirectResponse, Response

from server.attempts.regrading import REGRADE, RegradeOrder
from server.contract import AttemptId
from server.core.access import Action, Actor, may
from server.core.errors import NotAllowedError, NotFoundError
from server.exports.attempt import AttemptFormat, export_attempt
from server.exports.cohort import (
    EXPORT_COHORT,
    CohortExport,
    CohortFormat,
    CohortOrder,
    check_parquet,
)
from server.jobs.job import Job, JobList
from server.sharing.shown import resource_of_attempt
from server.web.http.context import AppContext, BackgroundWork, PageVisit, Visit
from server.web.http.gate import CurrentActor, demand, needs
from server.web.http.responses import file_response

JobId = Annotated[int, Path(ge=1, le=2**63 - 1)]
CohortId = Annotated[int, Path(ge=1, le=2**63 - 1)]


@cache
def jobs_router() -> APIRouter:
    """The routes under ``/jobs``. Everybody sees their own jobs and no others."""
    router = APIRouter(prefix="/jobs", tags=["jobs"], dependencies=[needs(Action.PRACTICE)])

    @router.post("/regrade", status_code=status.HTTP_202_ACCEPTED)
    def regrade(order: RegradeOrder, actor: CurrentActor, context: AppContext) -> Job:
        """Grade stored answers again, in the background; the result says what changed."""
        if order.scope == "everybody" and not may(actor, Action.EDIT_BANK):
            raise NotAllowedError("only people who edit the bank may regrade everybody's answers")
        return context.background.queue.enqueue(
            REGRADE, order.model_dump(mode="json"), actor.account_id
        )

    @router.get("")
    def jobs(
        actor: CurrentActor, context: AppContext, limit: Annotated[int, Query(ge=1, le=200)] = 50
    ) -> JobList:
        """List your own jobs, newest first."""
        return JobList(jobs=tuple(context.background.queue.recent(actor.account_id, limit)))

    @router.get("/{job_id}")
    def job(job_id: JobId, actor: CurrentActor, context: AppContext) -> Job:
        """Report the progress of a job."""
        return context.background.queue.status(job_id, actor.account_id)

    @router.post("/{job_id}/cancel")
    def cancel(job_id: JobId, actor: CurrentActor, context: AppContext) -> Job:
        """End a job, unless it has already ended."""
        return context.background.queue.cancel(job_id, actor.account_id)

    @router.get(
        "/{job_id}/file",
        response_class=Response,
        responses={200: {"content": {"application/octet-stream": {}}}},
    )
    def file(job_id: JobId, actor: CurrentActor, context: AppContext) -> Response:
        """Return the file that a job made."""
        return file_response(context.background.file(job_id, actor))

    return router


@cache
def job_pages_router() -> APIRouter:
    """``/jobs``: your own jobs as pages, with the progress of each."""
    router = APIRouter(
        prefix="/jobs", include_in_schema=False, dependencies=[needs(Action.PRACTICE)]
    )

    @router.get("")
    def jobs(visit: PageVisit) -> Response:
        """List your own jobs."""
        recent = visit.context.background.queue.recent(visit.actor.account_id)
        return visit.page("jobs/jobs.html", jobs=recent)

    @router.get("/{job_id}")
    def job(visit: PageVisit, job_id: JobId) -> Response:
        """Show one job; the page follows it by itself."""
        return _shown(visit, "jobs/job.html", job_id)

    @router.get("/{job_id}/fragment")
    def fragment(visit: PageVisit, job_id: JobId) -> Response:
        """Return the part of a job's page that changes."""
        return _shown(visit, "jobs/fragment.html", job_id)

    @router.get("/{job_id}/file")
    def file(job_id: JobId, actor: CurrentActor, context: AppContext) -> Response:
        """Return the file that a job made."""
        return file_response(context.background.file(job_id, actor))

    @router.post("/{job_id}/cancel")
    def cancel(job_id: JobId, actor: CurrentActor, context: AppContext) -> Response:
        """End a job."""
        context.background.queue.cancel(job_id, actor.account_id)
        return RedirectResponse(f"/jobs/{job_id}", 303)

    return router


def _shown(visit: Visit, template: str, job_id: int) -> Response:
    job = visit.context.background.queue.status(job_id, visit.actor.account_id)
    return visit.page(template, job=job)


@cache
def exports_router() -> APIRouter:
    """The routes that return files."""
    router = APIRouter(tags=["exports"], dependencies=[needs(Action.PRACTICE)])

    @router.get(
        "/attempts/{attempt_id}/export",
        response_class=Response,
        responses={200: {"content": {"application/octet-stream": {}}}},
    )
    def attempt(
        attempt_id: Annotated[AttemptId, Path()],
        actor: CurrentActor,
        context: AppContext,
        format: Annotated[AttemptFormat, Query()] = "markdown",
    ) -> Response:
        """Return an attempt, your own or one shared with a cohort that you coach, as a file."""
        resource = resource_of_attempt(context.background.database, attempt_id)
        demand(actor, Action.READ, resource)
        archive = context.service.of(resource.owner_id).export_one(attempt_id)
        return file_response(export_attempt(archive, format))

    @router.post("/cohorts/{cohort_id}/exports", status_code=status.HTTP_202_ACCEPTED)
    def cohort(
        cohort_id: CohortId, wanted: CohortExport, actor: CurrentActor, context: AppContext
    ) -> Job:
        """Export what a cohort's candidates share as a table, in the background."""
        return _enqueue(context.background, actor, CohortOrder(cohort_id=cohort_id, **dict(wanted)))

    return router


@cache
def export_pages_router() -> APIRouter:
    """``/coach/exports``: the cohorts that you coach, each with its export."""
    router = APIRouter(
        prefix="/coach/exports", include_in_schema=False, dependencies=[needs(Action.COACH)]
    )

    @router.get("")
    def exports(visit: PageVisit) -> Response:
        """List the cohorts."""
        cohorts = visit.context.accounts.cohorts.all()
        own = [each for each in cohorts if each.id in visit.actor.coached]
        return visit.page("jobs/exports.html", cohorts=own)

    @router.post("/{cohort_id}")
    def export(
        visit: PageVisit, cohort_id: CohortId, format: Annotated[CohortFormat, Form()] = "csv"
    ) -> Response:
        """Start an export and show its progress."""
        order = CohortOrder(cohort_id=cohort_id, format=format)
        job = _enqueue(visit.context.background, visit.actor, order)
        return RedirectResponse(f"/jobs/{job.id}", 303)

    return router


def _enqueue(background: BackgroundWork, actor: Actor, order: CohortOrder) -> Job:
    demand(actor, Action.COACH)
    if order.cohort_id not in actor.coached:
        raise NotFoundError("there is no such cohort, or you do not coach it")
    if order.format == "parquet":
        check_parquet()
    return background.queue.enqueue(EXPORT_COHORT, order.model_dump(mode="json"), actor.account_id)
