"""What a shared server does besides answering: its jobs, and the versions of its bank."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from starlette.concurrency import run_in_threadpool

from server.attempts.regrading import REGRADE, regrading
from server.attempts.service import Service
from server.bank_versions.service import CHECK_BANK, BankVersions
from server.core.access import Actor
from server.core.clock import utc_now
from server.core.errors import NotFoundError
from server.db.database import Database
from server.exports.cohort import EXPORT_COHORT, cohort_exporting
from server.jobs.queue import JobQueue
from server.jobs.store import JobStore
from server.jobs.work import MadeFile
from server.jobs.worker import Runner
from server.sharing.recordings import RECORDING, RecordingService
from server.sharing.shown import still_shown
from server.sharing.uploads import preparing


@dataclass(frozen=True)
class BackgroundWork:
    """The jobs of a server process.

    Attributes:
        database: where everything is stored.
        queue: the jobs, with this process's worker.
        versions: the versions of the bank.
    """

    database: Database
    queue: JobQueue
    versions: BankVersions

    def file(self, job_id: int, actor: Actor) -> MadeFile:
        """The file that a job of this actor made.

        Raises:
            NotFoundError: there is no such job or file, or something in it is no longer shared.
        """
        job = self.queue.status(job_id, actor.account_id)
        if job.kind == EXPORT_COHORT and job.file is not None:
            result = job.result or {}
            if result["cohort_id"] not in actor.coached or not _is_shown(self.database, result):
                self.queue.store.drop_file(job_id)
                raise NotFoundError(
                    "the file is gone: something in it is no longer shared; export again"
                )
        return self.queue.file(job_id, actor.account_id)

    @asynccontextmanager
    async def worker_running(self) -> AsyncIterator[None]:
        """The worker of this process runs meanwhile."""
        await run_in_threadpool(self.queue.worker.start)
        try:
            yield
        finally:
            await run_in_threadpool(self.queue.worker.stop)


def create_background_work(service: Service) -> BackgroundWork:
    """The background work of a service; from here on the service grades with the active bank."""
    versions = BankVersions(service.database, service.grading_data)
    service.grade_with(versions.grading_data)
    database = service.database
    recordings = RecordingService(database, utc_now)
    kinds = {
        REGRADE: regrading(service),
        CHECK_BANK: versions.checking(),
        EXPORT_COHORT: cohort_exporting(database),
        RECORDING: preparing(database, recordings),
    }
    store = JobStore(database)

    def drop_what_is_not_shared() -> None:
        """Exports and recordings must not outlive the sharing of their content."""
        recordings.sweep_when_due()
        for job_id, result in store.with_files(EXPORT_COHORT):
            if not _is_shown(database, result):
                store.drop_file(job_id)

    queue = JobQueue(Runner(store, kinds, tidy=drop_what_is_not_shared))
    return BackgroundWork(database, queue, versions)


def _is_shown(database: Database, result: dict[str, Any]) -> bool:
    return still_shown(database, result["cohort_id"], result["attempt_ids"])
