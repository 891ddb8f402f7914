"""The table of jobs, the single source of truth; every method is one transaction.

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
from server.jobs.inputs import drop_inputs_of_ended
from server.jobs.models import UNFINISHED, Job, file_of, job_of
from server.jobs.work import JobInput, MadeFile, Outcome

MAX_BEGUN: Final = 3
"""A job that ended its process this often (out of memory, a crash in C) will do so again."""

MAX_UNFINISHED: Final = 20
"""Jobs of one owner that may wait or run at once: one person must not fill the queue."""


class _NotOursError(Exception):
    """Undoes the transaction: the job no longer belongs to the claim."""


@dataclass(frozen=True)
class Claim:
    """The right to work on a job."""

    job_id: int
    begun: int
    kind: str
    payload: dict[str, Any]
    owner_id: int | None
    kept: dict[str, Any] | None = None


class JobStore:
    """Jobs in a database. Safe to use from several threads and processes."""

    def __init__(
        self, database: Database, clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._database = database
        self._clock = clock

    def add(
        self,
        kind: str,
        payload: dict[str, Any],
        owner_id: int | None,
        *,
        input: JobInput | None = None,
        first: Callable[[Session], None] = lambda session: None,
    ) -> tuple[Job, bool]:
        """Queues a job, unless the owner's same job is already waiting or running.

        Args:
            kind: what is to be done.
            payload: the order; jobs with the same kind and payload are the same.
            owner_id: the owner.
            input: what it works on.
            first: runs first in the same transaction; if it raises, the job is not queued.

        Returns:
            The job, and whether it is new.

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
                        return job_of(row), False
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
                return job_of(row), True
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

    def get(self, job_id: int, owner_id: int | None) -> Job:
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

    def listed(self, owner_id: int | None, limit: int) -> list[Job]:
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
        return self.get(job_id, owner_id)

    def waiting(self) -> list[int]:
        """The IDs of the waiting jobs, oldest first."""
        with self._database.read() as session:
            return list(
                session.scalars(
                    select(JobRow.id).where(JobRow.state == "queued").order_by(JobRow.id)
                )
            )

    def claim(self) -> Claim | None:
        """Claims the job that has waited longest; ``None``: none waits, or another was faster."""
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

    def keep(self, claim: Claim, state: dict[str, Any]) -> bool:
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
                    raise _NotOursError
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
        except _NotOursError:
            return False
        self._forget(dropped)
        return True

    def fail(self, claim: Claim, problem: str) -> bool:
        """Marks a job as failed."""
        with self._database.write() as session:
            finished_at = self._now(session)
            changed = self._changed(
                session, claim, state="failed", problem=problem, finished_at=finished_at
            )
            session.flush()
            dropped = drop_inputs_of_ended(session)
        self._forget(dropped)
        return changed

    def give_back(self, claim: Claim) -> bool:
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
                JobRow.id == claim.job_id,
                JobRow.state == "running",
                JobRow.attempts == claim.begun,
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
