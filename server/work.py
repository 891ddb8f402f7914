"""What a shared server does beside answering: its jobs, and the versions of its bank."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from starlette.concurrency import run_in_threadpool

from server.bank_versions import CHECK_BANK, BankVersions
from server.exports.cohort import EXPORT_COHORT, cohort_exporting
from server.jobs.assembly import create_queue
from server.jobs.queue import JobQueue
from server.jobs.regrading import REGRADE, regrading
from server.service import Service

__all__ = ["ServerWork", "attach", "create_work"]


@dataclass(frozen=True)
class ServerWork:
    """Attributes: the queue with this process's worker, the bank's versions."""

    queue: JobQueue
    versions: BankVersions

    @asynccontextmanager
    async def lifespan(self, app: object) -> AsyncIterator[None]:
        """The worker works for as long as the app runs."""
        await run_in_threadpool(self.queue.worker.start)
        try:
            yield
        finally:
            await run_in_threadpool(self.queue.worker.stop)


def create_work(service: Service) -> ServerWork:
    """The work over a service's database; from here on the service uses the active bank."""
    versions = BankVersions(service.database, service.knowledge)
    attach(service, versions)
    kinds = {
        REGRADE: regrading(service),
        CHECK_BANK: versions.checking(),
        EXPORT_COHORT: cohort_exporting(service.database),
    }
    return ServerWork(create_queue(service.database, kinds), versions)


def attach(service: Service, versions: BankVersions) -> None:
    """Lets a service grade with the active version; call it before the service is used."""
    service._knowledge = versions.knowledge
