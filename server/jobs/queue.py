"""The queue as the rest of the server uses it."""

from collections.abc import Callable
from typing import Any, Protocol

from sqlalchemy.orm import Session

from server.jobs.models import Job
from server.jobs.runner import Runner
from server.jobs.work import JobInput, MadeFile

__all__ = ["JobQueue", "Worker"]


class Worker(Protocol):
    """What runs jobs in this process."""

    def start(self) -> None:
        """Begins to work, in the background."""

    def stop(self) -> None:
        """Ends; what runs is given back at its next step."""

    def wake(self, job_id: int) -> None:
        """Tells that a job was queued. It is found without that too, only later."""

    @property
    def is_alive(self) -> bool:
        """Whether it works or waits for work."""


class JobQueue:
    """The queue over the table of jobs, with this process's worker; an owner sees only theirs."""

    def __init__(self, runner: Runner, worker: Worker) -> None:
        self.store = runner.store
        self.runner = runner
        self.worker = worker

    def enqueue(
        self,
        kind: str,
        payload: dict[str, Any],
        owner_id: int | None,
        *,
        input: JobInput | None = None,
        first: Callable[[Session], None] = lambda session: None,
    ) -> Job:
        """Queues work; the same work of the same owner that is unfinished comes back instead.

        Arguments and errors are those of ``JobStore.add``.
        """
        if kind not in self.runner.kinds:
            raise ValueError(f"there is no work of the kind {kind!r}")
        job, new = self.store.add(kind, payload, owner_id, input=input, first=first)
        if new:
            self.worker.wake(job.id)
        return job

    def status(self, job_id: int, owner_id: int | None) -> Job:
        """How far it is.

        Raises:
            NotFoundError: the owner has no such job.
        """
        return self.store.get(job_id, owner_id)

    def recent(self, owner_id: int | None, limit: int = 50) -> list[Job]:
        """The owner's jobs, newest first."""
        return self.store.listed(owner_id, limit)

    def cancel(self, job_id: int, owner_id: int | None) -> Job:
        """Ends it; one that is over stays as it is.

        Raises:
            NotFoundError: the owner has no such job.
        """
        return self.store.cancel(job_id, owner_id)

    def file(self, job_id: int, owner_id: int | None) -> MadeFile:
        """The file it made.

        Raises:
            NotFoundError: the owner has no such job, or it has no file (any more).
        """
        return self.store.file(job_id, owner_id)
