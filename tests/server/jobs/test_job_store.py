"""The table of jobs by itself: claims, fencing, recovery."""

import time
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from server.attempts.store import Store
from server.core.errors import ConflictError, NotFoundError
from server.db.tables import AccountRow, Base
from server.jobs.job import MadeFile, Outcome
from server.jobs.queue import MAX_BEGUN, MAX_UNFINISHED, JobQueue

pytestmark = pytest.mark.every_database


@pytest.fixture
def jobs(store: Store) -> JobQueue:
    """The table alone; nothing works on it."""
    return JobQueue(store.database)


def add_account(store: Store, name: str) -> int:
    with store.database.write() as session:
        row = AccountRow(
            name=name,
            display_name=name,
            role="candidate",
            created_at=datetime(2026, 3, 1, tzinfo=UTC),
            session_epoch=0,
        )
        session.add(row)
        session.flush()
        return row.id


def test_the_same_unfinished_work_is_queued_once(jobs: JobQueue) -> None:
    first = jobs.enqueue("count", {"to": 3}, None)
    again = jobs.enqueue("count", {"to": 3}, None)
    other = jobs.enqueue("count", {"to": 4}, None)
    assert again.id == first.id != other.id
    claim = jobs.claim()
    assert claim is not None and jobs.finish(claim, Outcome())
    assert jobs.enqueue("count", {"to": 3}, None).id not in (first.id, other.id)


def test_a_job_is_claimed_once_and_the_oldest_goes_first(jobs: JobQueue) -> None:
    ids = [jobs.enqueue("count", {"to": number}, None).id for number in range(3)]
    first = jobs.claim()
    assert first is not None and first.job_id == ids[0] and first.begun == 1
    assert [each.state for each in jobs.recent(None)] == ["queued"] * (len(ids) - 1) + ["running"]
    rest = [jobs.claim(), jobs.claim()]
    assert [claim and claim.job_id for claim in rest] == ids[1:]
    assert jobs.claim() is None


def test_an_owner_sees_only_their_own_jobs(jobs: JobQueue, store: Store) -> None:
    ana, bo = add_account(store, "ana"), add_account(store, "bo")
    job = jobs.enqueue("count", {}, ana)
    claim = jobs.claim()
    assert claim is not None
    jobs.finish(claim, Outcome(file=MadeFile("a.txt", b"hers")))
    assert jobs.file(job.id, ana).content == b"hers"
    for stranger in (bo, None):
        assert jobs.recent(stranger, 10) == []
        for ask in (jobs.status, jobs.file, jobs.cancel):
            with pytest.raises(NotFoundError):
                ask(job.id, stranger)
    with pytest.raises(NotFoundError):
        jobs.status(2**70, ana)


def test_an_owner_cannot_fill_the_queue(jobs: JobQueue, store: Store) -> None:
    for number in range(MAX_UNFINISHED):
        jobs.enqueue("count", {"to": number}, None)
    with pytest.raises(ConflictError, match="20 jobs"):
        jobs.enqueue("count", {"to": 99}, None)
    jobs.enqueue("count", {"to": 99}, add_account(store, "ana"))


def test_a_job_for_an_account_that_is_gone_is_refused(jobs: JobQueue) -> None:
    with pytest.raises(NotFoundError, match="account"):
        jobs.enqueue("count", {}, 4711)


def test_jobs_go_with_their_account(jobs: JobQueue, store: Store) -> None:
    ana = add_account(store, "ana")
    jobs.enqueue("count", {}, ana)
    claim = jobs.claim()
    assert claim is not None
    with store.database.write() as session:
        session.delete(session.get(AccountRow, ana))
    assert jobs.recent(ana, 10) == []
    assert not jobs.progress(claim, 1, 2)
    assert not jobs.finish(claim, Outcome(file=MadeFile("a", b"x")))
    with store.database.read() as session:
        assert session.execute(Base.metadata.tables["job_files"].select()).all() == []


def test_a_silent_job_is_taken_up_and_its_first_worker_changes_nothing_more(jobs: JobQueue) -> None:
    job = jobs.enqueue("count", {}, None)
    dead = jobs.claim()
    assert dead is not None and jobs.checkpoint(dead, {"at": 2})
    assert jobs.recover(silent_s=60) == []
    time.sleep(0.05)
    assert jobs.recover(silent_s=0.01) == [job.id]
    living = jobs.claim()
    assert living is not None and living.begun == 2 and living.checkpoint == {"at": 2}
    assert not jobs.progress(dead, 3, 3)
    assert not jobs.finish(dead, Outcome({"by": "the dead"}))
    assert jobs.finish(living, Outcome({"by": "the living"}))
    assert jobs.status(job.id, None).result == {"by": "the living"}


def test_a_job_that_ends_its_process_again_and_again_fails(jobs: JobQueue) -> None:
    job = jobs.enqueue("count", {}, None)
    for _ in range(MAX_BEGUN):
        assert jobs.claim() is not None
        time.sleep(0.02)
        jobs.recover(silent_s=0.001)
    failed = jobs.status(job.id, None)
    assert failed.state == "failed" and "3 times" in (failed.problem or "")
    assert jobs.claim() is None


def test_old_files_and_jobs_go(jobs: JobQueue) -> None:
    job = jobs.enqueue("count", {}, None)
    claim = jobs.claim()
    assert claim is not None
    jobs.finish(claim, Outcome(file=MadeFile("a.txt", b"abc")))
    queued = jobs.enqueue("wait", {}, None)
    jobs.sweep(jobs_kept_s=1000, files_kept_s=1000)
    found = jobs.status(job.id, None).file
    assert found is not None and found.size_bytes == 3
    time.sleep(0.02)
    jobs.sweep(jobs_kept_s=1000, files_kept_s=0.001)
    assert jobs.status(job.id, None).file is None
    jobs.sweep(jobs_kept_s=0.001, files_kept_s=0.001)
    assert [each.id for each in jobs.recent(None, 10)] == [queued.id]


def note_down(store: Store, name: str) -> Callable[[Session], None]:
    """Something that is stored together with a job's end."""

    def write(session: Session) -> None:
        session.add(
            AccountRow(
                name=name,
                display_name=name,
                role="candidate",
                created_at=datetime(2026, 3, 1, tzinfo=UTC),
                session_epoch=0,
            )
        )

    return write


def names(store: Store) -> list[str]:
    with store.database.read() as session:
        return list(session.scalars(select(AccountRow.name)))


def test_what_a_job_stores_is_stored_with_its_end_or_not_at_all(
    jobs: JobQueue, store: Store
) -> None:
    for name, cancelled in (("kept", False), ("undone", True)):
        job = jobs.enqueue("count", {"for": name}, None)
        claim = jobs.claim()
        assert claim is not None
        if cancelled:
            jobs.cancel(job.id, None)
        assert jobs.finish(claim, Outcome(within=note_down(store, name))) is not cancelled
    assert names(store) == ["kept"]


def test_what_keeps_a_job_out_is_asked_in_the_same_transaction(
    jobs: JobQueue, store: Store
) -> None:
    def refuse(session: Session) -> None:
        note_down(store, "undone")(session)
        session.flush()
        raise ConflictError("nobody asks for it")

    with pytest.raises(ConflictError):
        jobs.enqueue("count", {}, None, first=refuse)
    assert jobs.recent(None, 10) == [] and names(store) == []
