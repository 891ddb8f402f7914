"""What the routes of an app share; they get it from the request, not from a global."""

from asyncio import Lock
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, ParamSpec, cast
from weakref import WeakValueDictionary

from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from fastapi import APIRouter, Depends
from pydantic import BaseModel
from starlette.concurrency import run_in_threadpool
from starlette.requests import HTTPConnection, Request
from starlette.responses import RedirectResponse, Response

from server.accounts.service import AccountService
from server.attempts.service import Service
from server.bank_versions.service import BankVersions
from server.contract.use_cases import UseCase
from server.core.access import Action, Actor
from server.core.errors import NotFoundError
from server.core.settings import ServerSettings
from server.db.database import Database
from server.exports.cohort import EXPORT_COHORT
from server.jobs.job import MadeFile
from server.jobs.queue import JobQueue
from server.jobs.worker import Worker
from server.operations.metrics import Metrics
from server.review.review_queue import ReviewQueue
from server.review.service import ReviewService
from server.sharing.service import SharingService
from server.sharing.shown import still_shown
from server.web.http.gate import demand
from server.web.http.responses import Pages

GRADING_WORKERS: Final = 3
"""Answers graded and stored at once in a process. While one or two wait for the disk, another is
graded: with two, a process stored 47 answers a second, with three 52 (medians of eight loads each,
8 clients, busy machine). More would take the processor from everybody else's requests."""

P = ParamSpec("P")


@dataclass(frozen=True)
class BackgroundWork:
    """The jobs of a server process.

    Attributes:
        database: where everything is stored.
        queue: the jobs.
        worker: this process's.
        versions: the versions of the bank.
    """

    database: Database
    queue: JobQueue
    worker: Worker
    versions: BankVersions

    def file(self, job_id: int, actor: Actor) -> MadeFile:
        """The file that a job of this actor made.

        Raises:
            NotFoundError: there is no such job or file, or something in it is no longer shared.
        """
        job = self.queue.status(job_id, actor.account_id)
        file = self.queue.file(job_id, actor.account_id)
        if job.kind == EXPORT_COHORT:
            cohort_id = (job.result or {})["cohort_id"]
            if cohort_id not in actor.coached or not still_shown(
                self.database, cohort_id, file.answers
            ):
                self.queue.drop_file(job_id)
                raise NotFoundError(
                    "the file is gone: something in it is no longer shared; export again"
                )
        return file

    @asynccontextmanager
    async def worker_running(self) -> AsyncIterator[None]:
        """Runs the worker of this process inside the context."""
        await run_in_threadpool(self.worker.start)
        try:
            yield
        finally:
            await run_in_threadpool(self.worker.stop)


class Graders:
    """The threads that grade and store, of which an account has one at a time.

    Whatever an account sends, another's answer finds a thread. Waiting for one blocks no thread of
    other requests.
    """

    def __init__(self) -> None:
        self._threads = CapacityLimiter(GRADING_WORKERS)
        self._turns: WeakValueDictionary[int, Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def turn_of(self, account_id: int | None) -> AsyncIterator[CapacityLimiter]:
        """The threads, once no other request of this account has one.

        Without accounts (``None``) there is one person, who may have them all.
        """
        if account_id is None:
            yield self._threads
            return
        turn = self._turns.setdefault(account_id, Lock())
        async with turn:
            yield self._threads


@dataclass(frozen=True)
class Context:
    """What every route can use.

    Attributes:
        settings: the server's settings.
        service: the use cases over what belongs to no account; ``of`` gives those of an account.
        accounts: the accounts.
        pages: what renders the pages.
        background: the jobs, and the versions of the bank.
        sharing: shares, links and recordings.
        metrics: numbers and durations of requests.
        grading: the threads that grade.
        regrading: the one thread that regrades all answers of an account.
    """

    settings: ServerSettings
    service: Service
    accounts: AccountService
    pages: Pages
    background: BackgroundWork
    sharing: SharingService
    metrics: Metrics
    grading: Graders = field(default_factory=Graders)
    regrading: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(1))


def context_of(connection: HTTPConnection) -> Context:
    """The context of the app that answers this request."""
    return cast(Context, connection.app.state.context)


def served(
    router: APIRouter, use_case: UseCase[Any], **options: Any
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Makes a function the route of a use case, which says where and what it replies."""
    return router.api_route(
        use_case.path.removeprefix(router.prefix),
        methods=[use_case.verb],
        status_code=use_case.status,
        response_model=None if use_case.status == 204 else use_case.reply,
        **options,
    )


async def answered_by(
    workers: CapacityLimiter,
    status: int,
    use: Callable[P, BaseModel],
    *args: P.args,
    **kwargs: P.kwargs,
) -> Response:
    """The result of a use case as JSON, from one of these workers, in the order of requests."""

    def answer() -> bytes:
        return use(*args, **kwargs).model_dump_json().encode()

    body = await run_sync(answer, limiter=workers)
    return Response(body, status, media_type="application/json")


async def graded_by(
    context: Context,
    actor: Actor,
    status: int,
    use: Callable[P, BaseModel],
    *args: P.args,
    **kwargs: P.kwargs,
) -> Response:
    """The result of a use case that grades, as JSON, in the order of the account's requests."""
    async with context.grading.turn_of(actor.account_id) as threads:
        return await answered_by(threads, status, use, *args, **kwargs)


async def _app_context(request: Request) -> Context:
    return context_of(request)


AppContext = Annotated[Context, Depends(_app_context)]
"""What the routes share."""


@dataclass(frozen=True)
class Visit:
    """A request for a page: who makes it, and what answers it."""

    request: Request
    context: Context
    actor: Actor

    def page(self, template: str, status: int = 200, **values: Any) -> Response:
        return self.context.pages.page(self.request, template, status, **values)

    def enqueued(self, kind: str, order: BaseModel) -> Response:
        """Queues a job and shows its progress."""
        queue, payload = self.context.background.queue, order.model_dump(mode="json")
        job = queue.enqueue(kind, payload, self.actor.account_id)
        return RedirectResponse(f"/jobs/{job.id}", 303)


async def _visit(request: Request) -> Visit:
    return Visit(request, context_of(request), request.state.actor)


PageVisit = Annotated[Visit, Depends(_visit)]
"""What a page's route has; a route of the API names each thing that it needs."""


async def _own_service(request: Request) -> Service:
    actor: Actor = request.state.actor
    demand(actor, Action.PRACTICE)
    return context_of(request).service.of(actor.account_id)


OwnService = Annotated[Service, Depends(_own_service)]
"""The use cases over what belongs to the current actor."""


def _reviews(context: AppContext) -> ReviewService:
    return ReviewService(context.service.database)


Reviews = Annotated[ReviewService, Depends(_reviews)]
"""The use cases of coaching."""


def queue_of(context: Context, actor: Actor) -> ReviewQueue:
    """The queue of the current coach."""
    return ReviewQueue(context.service.database, actor.coached, actor.account_id or 0)
