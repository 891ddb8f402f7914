"""The queue: the table of jobs is the single source of truth; every method is one transaction.

A claimed job carries the number of times it was started. The worker names that number
with every write, so a process that was thought dead and comes back changes nothing.
"""

import zlib
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from sqlalchemy import ColumnElement, Select, delete, func, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from server.core.errors import ConflictError, NotFoundError
from server.db.database import MAX_ID, Database
from server.db.tables import JobFileRow, JobInputRow, JobRow
from server.jobs.job import UNFINISHED, Job, JobFile, JobInput, MadeFile, Outcome

MAX_BEGUN: Final = 3
"""A job that ended its process this often (out of memory, a crash in C) will do so again."""

MAX_UNFINISHED: Final = 20
"""Jobs of one owner that may wait or run at once: one person must not fill the queue."""


class _ClaimLostError(Exception):
    """Undoes the transaction: the job no longer belongs to the claim."""


@dataclass(frozen=True)
class Claim:
    """The right to work on a job."""

    job_id: int
    begun: int
    kind: str
    payload: dict[str, Any]
    owner_id: int | None
    checkpoint: dict[str, Any] | None = None


class JobQueue:
    """Jobs in a database. Safe to use from several threads and processes."""

    def __init__(
        self, database: Database, clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._database = database
        self._clock = clock

    def enqueue(
        self,
        kind: str,
        payload: dict[str, Any],
        owner_id: int | None,
        *,
        input: JobInput | None = None,
        first: Callable[[Session], None] = lambda session: None,
    ) -> Job:
        """Queues a job, unless the owner's same job is already waiting or running.

        Args:
            kind: what is to be done.
            payload: the order; jobs with the same kind and payload are the same.
            owner_id: the owner.
            input: what it works on.
            first: runs first in the same transaction; if it raises, the job is not queued.

        Raises:
            ConflictError: the owner has too many unfinished jobs.
            NotFoundError: the owner, or what the input belongs to, no longer exists.
        """
        try:
            with self._database.write() as session:
                first(session)
                self._database.alone(session, f"jobs of {owner_id}")
                unfinished = session.scalars(
                    select(JobRow).where(_of(owner_id), JobRow.state.in_(UNFINISHED))
                ).all()
                for row in unfinished:
                    if row.kind == kind and row.payload == payload:
                        return job_of(row)
                if len(unfinished) >= MAX_UNFINISHED:
                    raise ConflictError(
                        f"{len(unfinished)} jobs wait or run already; wait for them or cancel some"
                    )
                row = JobRow(
                    kind=kind,
                    state="queued",
                    payload=payload,
                    owner_id=owner_id,
                    progress_done=0,
                    progress_total=0,
                    attempts=0,
                    created_at=self._now(session),
                )
                session.add(row)
                session.flush()
                if input is not None:
                    session.add(
                        JobInputRow(
                            job_id=row.id, attempt_id=input.attempt_id, content=input.content
                        )
                    )
                    session.flush()
                return job_of(row)
        except IntegrityError:
            raise NotFoundError(
                "the account that asked for this, or its subject, no longer exists"
            ) from None

    def input(self, claim: Claim) -> bytes | None:
        """The input of a job; ``None``: it has none, or it has been deleted."""
        with self._database.read() as session:
            return session.scalar(
                select(JobInputRow.content).where(JobInputRow.job_id == claim.job_id)
            )

    def status(self, job_id: int, owner_id: int | None) -> Job:
        """One job of an owner.

        Raises:
            NotFoundError: the owner has no such job.
        """
        with self._database.read() as session:
            row = session.scalar(_one(job_id, owner_id))
            if row is None:
                raise NotFoundError(f"there is no job {job_id}")
            return job_of(row, file_of(session, job_id))

    def payload(self, job_id: int, owner_id: int | None) -> dict[str, Any]:
        """What a job was enqueued with.

        Raises:
            NotFoundError: the owner has no such job.
        """
        with self._database.read() as session:
            row = session.scalar(_one(job_id, owner_id))
            if row is None:
                raise NotFoundError(f"there is no job {job_id}")
            return dict(row.payload)

    def recent(self, owner_id: int | None, limit: int = 50) -> list[Job]:
        """An owner's jobs, newest first."""
        with self._database.read() as session:
            rows = session.scalars(
                select(JobRow).where(_of(owner_id)).order_by(JobRow.id.desc()).limit(limit)
            ).all()
            return [job_of(row, file_of(session, row.id)) for row in rows]

    def file(self, job_id: int, owner_id: int | None) -> MadeFile:
        """The file that a job made.

        Raises:
            NotFoundError: there is no such job, or it has no file.
        """
        with self._database.read() as session:
            row = session.scalar(_one(job_id, owner_id))
            made = None if row is None else session.get(JobFileRow, job_id)
            if made is None:
                raise NotFoundError(f"there is no file of a job {job_id}; files are kept for a day")
            return MadeFile(made.name, made.content, unpacked_ids(made.answers))

    def cancel(self, job_id: int, owner_id: int | None) -> Job:
        """Ends a job; a running one stops at its next step, an ended one stays unchanged.

        Raises:
            NotFoundError: the owner has no such job.
        """
        with self._database.write() as session:
            session.execute(
                update(JobRow)
                .where(JobRow.id == _known(job_id), _of(owner_id), JobRow.state.in_(UNFINISHED))
                .values(state="cancelled", finished_at=self._now(session))
            )
            dropped = drop_inputs_of_ended(session)
        self._forget(dropped)
        return self.status(job_id, owner_id)

    def claim(self) -> Claim | None:
        """Claims the job that has waited longest; ``None``: none waits, or another was faster."""
        with self._database.read() as session:  # a claim takes SQLite's only write lock
            if session.scalar(select(JobRow.id).where(JobRow.state == "queued").limit(1)) is None:
                return None
        with self._database.write() as session:
            wanted = select(JobRow).where(JobRow.state == "queued").order_by(JobRow.id).limit(1)
            row = session.scalar(wanted.with_for_update(skip_locked=True))
            if row is None:
                return None
            now = self._now(session)
            row.state = "running"
            row.attempts += 1
            row.started_at = row.started_at or now
            row.heartbeat_at = now
            return Claim(row.id, row.attempts, row.kind, row.payload, row.owner_id, row.result)

    def beat(self, claim: Claim) -> bool:
        """Reports that the work continues; false if the job no longer belongs to the claim."""
        return self._change(claim)

    def progress(self, claim: Claim, done: int, total: int) -> bool:
        """Stores the progress; false if the job no longer belongs to the claim."""
        return self._change(claim, progress_done=done, progress_total=total)

    def checkpoint(self, claim: Claim, state: dict[str, Any]) -> bool:
        """Stores what to resume from after a crash, in the place of the later result."""
        return self._change(claim, result=state)

    def finish(self, claim: Claim, outcome: Outcome) -> bool:
        """Completes a job; false, and nothing is stored, if it no longer belongs to the claim.

        Raises:
            ServerError: from what the outcome stores with it; the job continues.
        """
        try:
            with self._database.write() as session:
                if outcome.within is not None:
                    # before the job's row, the order of locks that withdrawing the job's subject
                    # uses too
                    outcome.within(session)
                if not self._changed(
                    session,
                    claim,
                    state="done",
                    result=outcome.result,
                    problem=None,
                    finished_at=self._now(session),
                ):
                    raise _ClaimLostError
                if outcome.file is not None:
                    session.add(
                        JobFileRow(
                            job_id=claim.job_id,
                            name=outcome.file.name,
                            media_type=outcome.file.media_type,
                            content=outcome.file.content,
                            answers=packed_ids(outcome.file.answers),
                        )
                    )
                session.flush()
                dropped = drop_inputs_of_ended(session)
        except _ClaimLostError:
            return False
        self._forget(dropped)
        return True

    def fail(self, claim: Claim, problem: str) -> bool:
        with self._database.write() as session:
            finished_at = self._now(session)
            changed = self._changed(
                session, claim, state="failed", problem=problem, finished_at=finished_at
            )
            session.flush()
            dropped = drop_inputs_of_ended(session)
        self._forget(dropped)
        return changed

    def requeue(self, claim: Claim) -> bool:
        """Returns the job to the queue because this process ends, without counting the start."""
        return self._change(claim, state="queued", attempts=claim.begun - 1)

    def recover(self, silent_s: float) -> list[int]:
        """Queues the jobs of dead processes again and returns them.

        Args:
            silent_s: how long a job must have been without a heartbeat.
        """
        with self._database.write() as session:
            now = self._now(session)
            silent = (JobRow.state == "running") & (
                JobRow.heartbeat_at < now - timedelta(seconds=silent_s)
            )
            session.execute(
                update(JobRow)
                .where(silent, JobRow.attempts >= MAX_BEGUN)
                .values(
                    state="failed",
                    finished_at=now,
                    problem=f"the server ended {MAX_BEGUN} times while it worked on this",
                )
            )
            ids = session.scalars(select(JobRow.id).where(silent).with_for_update(skip_locked=True))
            found = list(ids)
            session.execute(
                update(JobRow).where(JobRow.id.in_(found), silent).values(state="queued")
            )
            dropped = drop_inputs_of_ended(session)
        self._forget(dropped)
        return found

    def sweep(self, *, jobs_kept_s: float, files_kept_s: float) -> None:
        """Deletes old files, and jobs that ended long ago."""
        with self._database.write() as session:
            now = self._now(session)

            def ended(kept_s: float) -> ColumnElement[bool]:
                return JobRow.finished_at < now - timedelta(seconds=kept_s)

            old = select(JobRow.id).where(ended(files_kept_s))
            session.execute(delete(JobFileRow).where(JobFileRow.job_id.in_(old)))
            session.execute(delete(JobRow).where(ended(jobs_kept_s)))
            dropped = drop_inputs_of_ended(session)
        self._forget(dropped)

    def with_files(self, kind: str) -> list[tuple[int, dict[str, Any], tuple[int, ...]]]:
        """The jobs of a kind whose file is still there: result, and the answers in the file."""
        with self._database.read() as session:
            rows = session.execute(
                select(JobRow.id, JobRow.result, JobFileRow.answers)
                .join(JobFileRow, JobFileRow.job_id == JobRow.id)
                .where(JobRow.kind == kind)
            )
            return [
                (job_id, result or {}, unpacked_ids(answers)) for job_id, result, answers in rows
            ]

    def drop_file(self, job_id: int) -> None:
        """Deletes a job's file, because its content may no longer be read."""
        with self._database.write() as session:
            session.execute(delete(JobFileRow).where(JobFileRow.job_id == job_id))

    def _change(self, claim: Claim, **values: object) -> bool:
        with self._database.write() as session:
            return self._changed(session, claim, **values)

    def _changed(self, session: Session, claim: Claim, **values: object) -> bool:
        row = session.scalar(
            select(JobRow)
            .where(
                JobRow.id == claim.job_id, JobRow.state == "running", JobRow.attempts == claim.begun
            )
            .with_for_update()
        )
        if row is None:
            return False
        row.heartbeat_at = self._now(session)
        for name, value in values.items():
            setattr(row, name, value)
        return True

    def _forget(self, dropped: int) -> None:
        if dropped:
            self._database.forget()

    def _now(self, session: Session) -> datetime:
        """The database's clock if several machines share it, because theirs may differ."""
        if not self._database.is_postgresql:
            return self._clock()
        now: datetime = session.scalars(select(func.clock_timestamp())).one()
        return now


def packed_ids(ids: Sequence[int]) -> bytes:
    """Ids in few bytes: 20,000 of them, which follow each other, in 30 kB."""
    return zlib.compress(array("q", ids).tobytes())


def unpacked_ids(packed: bytes | None) -> tuple[int, ...]:
    """The ids in ``packed_ids``; none, if nothing was stored."""
    ids = array("q")
    if packed is not None:
        ids.frombytes(zlib.decompress(packed))
    return tuple(ids)


def _known(job_id: int) -> int:
    return job_id if job_id <= MAX_ID else -1


def _of(owner_id: int | None) -> ColumnElement[bool]:
    return JobRow.owner_id == owner_id  # SQLAlchemy writes IS NULL for None


def _one(job_id: int, owner_id: int | None) -> Select[JobRow]:
    return select(JobRow).where(JobRow.id == _known(job_id), _of(owner_id))


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
    """Cancels the jobs for an attempt and deletes their inputs; returns the number."""
    rows = session.scalars(
        select(JobRow)
        .join(JobInputRow, JobInputRow.job_id == JobRow.id)
        .where(
            JobRow.kind == kind, JobRow.state.in_(UNFINISHED), JobInputRow.attempt_id == attempt_id
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
