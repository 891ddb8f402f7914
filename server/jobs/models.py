"""A job as clients see it, and how it is read from its row."""

from datetime import datetime
from typing import Any, Literal

from pydantic import Field
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from server.contract import Wire
from server.db.tables import JobFileRow, JobRow

JobState = Literal["queued", "running", "done", "failed", "cancelled"]
UNFINISHED = ("queued", "running")
"""The states of an unfinished job."""


class JobFile(Wire):
    """The file that a job made; stored for a day."""

    name: str
    media_type: str
    size_bytes: int


class Job(Wire):
    """Work that takes longer than a request, and its progress.

    ``result`` is what it found, once it is done; ``problem`` one line for a person, once it failed.
    """

    id: int
    kind: str
    state: JobState
    progress_done: int = 0
    progress_total: int = Field(default=0, description="0 until it is known")
    result: dict[str, Any] | None = None
    problem: str | None = None
    file: JobFile | None = None
    begun: int = Field(
        default=0, description="how often it was started; more than once after a crash"
    )
    created_at: datetime
    started_at: datetime | None = None
    finished_at: datetime | None = None

    @property
    def is_over(self) -> bool:
        """Whether it is finished and will not change."""
        return self.state in ("done", "failed", "cancelled")


class JobList(Wire):
    """An owner's jobs, newest first."""

    jobs: tuple[Job, ...]


def file_of(session: Session, job_id: int) -> JobFile | None:
    """The metadata of the file that a job made, without its content."""
    found = session.execute(
        select(JobFileRow.name, JobFileRow.media_type, func.length(JobFileRow.content)).where(
            JobFileRow.job_id == job_id
        )
    ).first()
    if found is None:
        return None
    return JobFile(name=found[0], media_type=found[1], size_bytes=found[2])


def job_of(row: JobRow, file: JobFile | None = None) -> Job:
    """A job from its row."""
    return Job.model_validate(
        {
            "id": row.id,
            "kind": row.kind,
            "state": row.state,
            "progress_done": row.progress_done,
            "progress_total": row.progress_total,
            "result": row.result if row.state == "done" else None,
            "problem": row.problem,
            "file": file,
            "begun": row.attempts,
            "created_at": row.created_at,
            "started_at": row.started_at,
            "finished_at": row.finished_at,
        }
    )
