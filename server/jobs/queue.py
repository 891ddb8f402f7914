"""The queue as the rest of the server uses it."""

from collections.abc import Callable
from typing import Any

from sqlalchemy.orm import Session

from server.jobs.models import Job
from server.jobs.work import JobInput, MadeFile
from server.jobs.worker import Runner, Worker


class JobQueue:
    """The queue over the table of jobs; an owner sees only their own.

    Attributes:
        store: the table.
        runner: how this process runs a job.
        worker: the thread that does so, once it is started.
    """

    def __init__(self, runner: Runner) -> None:
        self.store = runner.store
        self.runner = runner
        self.worker = Worker(runner)

    def enqueue(
        self,
        kind: str,
        payload: dict[str, Any],
        owner_id: int | None,
        *,
        input: JobInput | None = None,
        first: Callable[[Session], None] = lambda session: None,
    ) -> Job:
        """Queues work, or returns the owner's unfinished job for the same work.

        Arguments and errors are those of ``JobStore.add``.
        """
        if kind not in self.runner.kinds:
            raise ValueError(f"there is no work of the kind {kind!r}")
        job, new = self.store.add(kind, payload, owner_id, input=input, first=first)
        if new:
            self.worker.wake()
        return job

    def status(self, job_id: int, owner_id: int | None) -> Job:
        """The job with its progress.

        Raises:
            NotFoundError: the owner has no such job.
        """
        return self.store.get(job_id, owner_id)

    def recent(self, owner_id: int | None, limit: int = 50) -> list[Job]:
        """The owner's jobs, newest first."""
        return self.store.listed(owner_id, limit)

    def cancel(self, job_id: int, owner_id: int | None) -> Job:
        """Ends the job, unless it has already ended.

        Raises:
            NotFoundError: the owner has no such job.
        """
        return self.store.cancel(job_id, owner_id)

    def file(self, job_id: int, owner_id: int | None) -> MadeFile:
        """The file it made.

        Raises:
            NotFoundError: the owner has no such job, or it has no file.
        """
        return self.store.file(job_id, owner_id)
