"""Grading again in the background: progress, the difference, a crash halfway, other owners."""

from collections.abc import Callable

import pytest

from server.attempts.regrading import REGRADE, RegradeOrder, RegradeOutcome, regrading
from server.attempts.service import Service
from server.attempts.store import Store
from server.contract import RegradeChange
from server.jobs.job import Job, JobStoppedError, Work
from server.jobs.queue import JobQueue
from tests.server.conftest import make_bank, make_question, make_submission
from tests.server.jobs.test_job_store import add_account
from tests.worlds.queues import WorkedQueue, wait_until_over

MakeService = Callable[..., Service]
MakeQueue = Callable[..., WorkedQueue]

NEW_BANK = make_bank(
    make_question(key_phrases=({"phrase": "continuous batching"}, {"phrase": "the cache"})),
    version="bank-2",
)


def outcome(job: Job) -> RegradeOutcome:
    assert job.state == "done", job.problem
    return RegradeOutcome.model_validate(job.result)


def run(queue: JobQueue, owner_id: int | None = None, **order: object) -> Job:
    payload = RegradeOrder.model_validate(order).model_dump(mode="json")
    return wait_until_over(queue, queue.enqueue(REGRADE, payload, owner_id), owner_id)


def test_the_difference_is_told_and_old_reports_stay(
    service: Service, make_service: MakeService, make_queue: MakeQueue
) -> None:
    first = service.submit(make_submission("continuous batching of the cache"))
    same = service.submit(make_submission("nothing of it"))
    today = make_service(NEW_BANK)
    queue = make_queue({REGRADE: regrading(today)})
    job = run(queue)
    assert (job.progress_done, job.progress_total) == (4, 4)
    found = outcome(job)
    assert (found.graded, found.changed, found.failed) == (2, 2, 0)
    (shift,) = found.questions
    assert (shift.question_id, shift.answers) == ("kv-cache", 2)
    assert (shift.score_before, shift.score_after) == (0.25, 0.5)
    assert {(each.phrase, each.before, each.after) for each in shift.phrases} == {
        ("paged attention", "missing", None),
        ("the cache", None, "covered"),
        ("the cache", None, "missing"),
    }
    assert found.own is not None
    assert [each.attempt_id for each in found.own.changes] == [first.id, same.id]
    assert isinstance(found.own.changes[0], RegradeChange)
    reports = today.export_one(first.id).attempts[0].reports
    assert [each.report.bank_version for each in reports] == ["bank-1", "bank-2"]
    whole = RegradeOutcome.model_validate_json(queue.file(job.id, None).content)
    assert whole == found


def test_a_trial_stores_nothing(
    service: Service, make_service: MakeService, make_queue: MakeQueue
) -> None:
    attempt = service.submit(make_submission("continuous batching of the cache"))
    today = make_service(NEW_BANK)
    found = outcome(run(make_queue({REGRADE: regrading(today)}), dry_run=True))
    assert found.dry_run and found.changed == 1
    assert len(today.export_one(attempt.id).attempts[0].reports) == 1


@pytest.mark.every_database
def test_a_crash_half_way_loses_no_part_of_the_difference(
    service: Service, make_service: MakeService
) -> None:
    ids = [service.submit(make_submission(f"the cache {number}")).id for number in range(4)]
    today = make_service(NEW_BANK)
    task = regrading(today)
    kept: list[dict[str, object]] = []
    calls: list[int] = []

    def dies_after_six(done: int, total: int) -> bool:
        calls.append(done)
        return done < 6

    def keep(state: dict[str, object]) -> bool:
        kept.append(state)
        return True

    payload = RegradeOrder().model_dump(mode="json")
    work = Work(payload, None, write=dies_after_six, store=keep)
    work._written_at_s = float("-inf")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("server.jobs.job.PROGRESS_EVERY_S", 0.0)
        with pytest.raises(JobStoppedError):
            task(work)
    half = [len(today.export_one(each).attempts[0].reports) for each in ids]
    assert sorted(set(half)) == [1, 2]

    again = Work(payload, None, write=lambda done, total: True, store=keep, checkpoint=kept[-1])
    found = RegradeOutcome.model_validate(task(again).result)
    assert (found.graded, found.changed) == (4, 4)
    assert found.own is not None
    assert [each.attempt_id for each in found.own.changes] == ids
    assert [len(today.export_one(each).attempts[0].reports) for each in ids] == [2] * 4


def test_one_grades_ones_own_answers_and_editors_everybodys_without_names(
    service: Service, make_service: MakeService, make_queue: MakeQueue, store: Store
) -> None:
    ana, bo = add_account(store, "ana"), add_account(store, "bo")
    hers = service.of(ana).submit(make_submission("the cache"))
    his = service.of(bo).submit(make_submission("the cache"))
    today = make_service(NEW_BANK)
    queue = make_queue({REGRADE: regrading(today)})
    own = outcome(run(queue, ana))
    assert own.own is not None
    assert [each.attempt_id for each in own.own.changes] == [hers.id]
    assert today.of(bo).attempt(his.id).report.bank_version == "bank-1"
    editor = add_account(store, "editor")
    job = run(queue, editor, scope="everybody")
    everybody = outcome(job)
    assert (everybody.graded, everybody.changed, everybody.own) == (2, 1, None)
    assert "attempt" not in queue.file(job.id, editor).content.decode()
    assert today.of(bo).attempt(his.id).report.bank_version == "bank-2"


def test_only_answers_to_one_question_where_it_is_named(
    service: Service, make_service: MakeService, make_queue: MakeQueue
) -> None:
    service.submit(make_submission("the cache"))
    today = make_service(NEW_BANK)
    queue = make_queue({REGRADE: regrading(today)})
    assert outcome(run(queue, question_id="another")).graded == 0
    assert outcome(run(queue, question_id="kv-cache")).graded == 1
