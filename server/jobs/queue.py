"""The queue as the rest of the server uses it."""

from typing import Any, Protocol

from server.jobs.contract import Job
from server.jobs.store import JobStore
from server.jobs.work import Kinds, MadeFile

__all__ = ["JobQueue", "Queue", "Worker"]


class Queue(Protocol):
    """What one can do with jobs; an owner sees only their own."""

    def enqueue(self, kind: str, payload: dict[str, Any], owner_id: int | None) -> Job:
        """Queues work; the same work of the same owner that is unfinished comes back instead."""

    def status(self, job_id: int, owner_id: int | None) -> Job:
        """How far it is."""

    def recent(self, owner_id: int | None, limit: int = 50) -> list[Job]:
        """The owner's jobs, newest first."""

    def cancel(self, job_id: int, owner_id: int | None) -> Job:
        """Ends it."""

    def file(self, job_id: int, owner_id: int | None) -> MadeFile:
        """The file it made."""


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
    """The queue over the table of jobs, with this process's worker."""

    def __init__(self, store: JobStore, kinds: Kinds, worker: Worker) -> None:
        self.store = store
        self.worker = worker
        self._kinds = kinds

    def enqueue(self, kind: str, payload: dict[str, Any], owner_id: int | None) -> Job:
        """Queues work; the same work of the same owner that is unfinished comes back instead.

        Raises:
            ConflictError: the owner has too many unfinished jobs.
            NotFoundError: the owner is gone.
        """
        if kind not in self._kinds:
            raise ValueError(f"there is no work of the kind {kind!r}")
        job, new = self.store.add(kind, payload, owner_id)
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
