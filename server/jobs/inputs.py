"""Inputs of jobs, such as uploads: stored with the job, deleted as soon as it ends.

Functions within a transaction, so that whatever ends a job drops its input in the same one:
the worker, the job's owner, or the person who withdraws what the job was for.
"""

from datetime import datetime

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from server.db.tables import JobInputRow, JobRow
from server.jobs.models import UNFINISHED, Job, job_of


def drop_inputs_of_ended(session: Session) -> int:
    """Deletes the inputs of jobs that have ended; returns the number."""
    over = select(JobRow.id).where(JobRow.state.not_in(UNFINISHED))
    dropped = session.execute(
        update(JobInputRow)
        .where(JobInputRow.content.is_not(None), JobInputRow.job_id.in_(over))
        .values(content=None)
        .returning(JobInputRow.job_id)
    )
    return len(dropped.all())


def attempts_with_unfinished(session: Session, kind: str, owner_id: int | None) -> list[int]:
    """The attempts with a waiting or running job of this kind.

    Args:
        session: a transaction.
        kind: of the jobs.
        owner_id: only this owner's; ``None``: everybody's.
    """
    wanted = (
        select(JobInputRow.attempt_id)
        .join(JobRow, JobRow.id == JobInputRow.job_id)
        .where(JobRow.kind == kind, JobRow.state.in_(UNFINISHED))
        .distinct()
    )
    if owner_id is not None:
        wanted = wanted.where(JobRow.owner_id == owner_id)
    return list(session.scalars(wanted))


def end_jobs_of(
    session: Session,
    kind: str,
    attempt_id: int,
    now: datetime,
    *,
    but: dict[str, object] | None = None,
) -> int:
    """Cancels the jobs for an attempt and deletes their inputs; returns the number.

    Args:
        session: a transaction.
        kind: of the jobs.
        attempt_id: the attempt.
        now: the time.
        but: the payload of those that continue.
    """
    rows = session.scalars(
        select(JobRow)
        .join(JobInputRow, JobInputRow.job_id == JobRow.id)
        .where(
            JobRow.kind == kind,
            JobRow.state.in_(UNFINISHED),
            JobInputRow.attempt_id == attempt_id,
        )
        .with_for_update(of=JobRow)
    ).all()
    ended = [row for row in rows if row.payload != but]
    for row in ended:
        row.state, row.finished_at = "cancelled", now
    session.flush()
    if ended:
        drop_inputs_of_ended(session)
    return len(ended)


def latest_job_of(session: Session, kind: str, attempt_id: int) -> Job | None:
    """The last job of this kind that was queued for an attempt."""
    row = session.scalar(
        select(JobRow)
        .join(JobInputRow, JobInputRow.job_id == JobRow.id)
        .where(JobRow.kind == kind, JobInputRow.attempt_id == attempt_id)
        .order_by(JobRow.id.desc())
        .limit(1)
    )
    return None if row is None else job_of(row)
