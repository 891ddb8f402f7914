"""Jobs over HTTP: start a regrade, see its progress, cancel it, fetch the file."""

from functools import cache
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, status
from starlette.responses import RedirectResponse, Response

from server.attempts.regrading import REGRADE, RegradeOrder
from server.core.access import Action, may
from server.core.errors import NotAllowedError
from server.jobs.models import Job, JobList
from server.web.http.context import AppContext
from server.web.http.downloads import file_response
from server.web.http.gate import CurrentActor, needs

JobId = Annotated[int, Path(ge=1, le=2**63 - 1)]


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
        """Tell how far a job is."""
        return context.background.queue.status(job_id, actor.account_id)

    @router.post("/{job_id}/cancel")
    def cancel(job_id: JobId, actor: CurrentActor, context: AppContext) -> Job:
        """End a job; one that is over stays as it is."""
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
    def jobs(request: Request, actor: CurrentActor, context: AppContext) -> Response:
        """List your own jobs."""
        recent = context.background.queue.recent(actor.account_id)
        return context.pages.page(request, "jobs/jobs.html", jobs=recent)

    @router.get("/{job_id}")
    def job(request: Request, job_id: JobId, actor: CurrentActor, context: AppContext) -> Response:
        """Show one job; the page follows it by itself."""
        found = context.background.queue.status(job_id, actor.account_id)
        return context.pages.page(request, "jobs/job.html", job=found)

    @router.get("/{job_id}/fragment")
    def fragment(
        request: Request, job_id: JobId, actor: CurrentActor, context: AppContext
    ) -> Response:
        """Return the part of a job's page that changes."""
        found = context.background.queue.status(job_id, actor.account_id)
        return context.pages.page(request, "jobs/fragment.html", job=found)

    @router.get("/{job_id}/file")
    def file(job_id: JobId, actor: CurrentActor, context: AppContext) -> Response:
        """Hand out the file that a job made."""
        return file_response(context.background.file(job_id, actor))

    @router.post("/{job_id}/cancel")
    def cancel(job_id: JobId, actor: CurrentActor, context: AppContext) -> Response:
        """End a job."""
        context.background.queue.cancel(job_id, actor.account_id)
        return RedirectResponse(f"/jobs/{job_id}", 303)

    return router
