"""Rows of the table of jobs as clients see them."""

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from server.db.tables import JobFileRow, JobRow
from server.jobs.models import Job, JobFile

UNFINISHED = ("queued", "running")
"""The states of an unfinished job."""


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
