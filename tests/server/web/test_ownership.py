"""Nobody sees, changes or deletes through their own service what belongs to somebody else."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from uuid import uuid4

import pytest

from server.accounts.service import AccountService
from server.attempts.service import Service
from server.contract import DrillReview, HistoryQuery, PurgeRequest
from server.core.errors import NotFoundError

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def services(service: Service) -> Sequence[Service]:
    """Two accounts' and the embedded person's."""
    accounts = AccountService(service.database)
    return [*(service.of(accounts.add(name, "candidate").id) for name in ("ana", "ben")), service]


def others(services: Sequence[Service], mine: Service) -> list[Service]:
    return [each for each in services if each is not mine]


@pytest.mark.parametrize("who", range(3))
def test_an_attempt_is_there_for_its_owner_only(
    services: Sequence[Service], make: SimpleNamespace, who: int
) -> None:
    mine = services[who]
    attempt = mine.submit(make.submission())
    assert mine.attempt(attempt.id) == attempt
    assert mine.export_one(attempt.id).attempts[0].submission == attempt.submission
    for other in others(services, mine):
        assert other.history().total == 0
        assert other.export_all().attempts == ()
        calls: list[Callable[[int], object]] = [other.attempt, other.delete, other.export_one]
        for call in calls:
            with pytest.raises(NotFoundError):
                call(attempt.id)
    assert mine.history().total == 1


@pytest.mark.parametrize("who", range(3))
def test_a_purge_takes_only_ones_own(
    services: Sequence[Service], make: SimpleNamespace, who: int
) -> None:
    mine = services[who]
    attempt = mine.submit(make.submission())
    mine.drills.review(review("roce"))
    for request in (
        PurgeRequest(attempt_ids=(attempt.id,)),
        PurgeRequest(before=NOW + timedelta(days=900)),
        PurgeRequest(everything=True),
    ):
        for other in others(services, mine):
            gone = other.purge(request)
            assert (gone.deleted, gone.drill_reviews) == (0, 0)
    assert mine.history(HistoryQuery()).total == 1
    assert len(mine.drills.cards()) == 1
    assert mine.purge(PurgeRequest(attempt_ids=(attempt.id,))).deleted == 1


@pytest.mark.every_database
def test_the_same_submission_may_come_from_several_owners(
    services: Sequence[Service], make: SimpleNamespace
) -> None:
    submission = make.submission()
    other = make.submission("another answer", submission_id=submission.submission_id)
    first = services[0].submit(submission)
    second = services[1].submit(other)
    third = services[2].submit(submission)
    assert len({first.id, second.id, third.id}) == 3
    assert [each.submit(submission).id for each in (services[0], services[2])] == [
        *(first.id, third.id)
    ]
    imported = services[1].import_attempts(services[0].export_all().attempts)
    assert imported.conflicts == (submission.submission_id,)


def test_regrading_grades_only_ones_own(services: Sequence[Service], make: SimpleNamespace) -> None:
    for each in services:
        each.submit(make.submission())
    assert [each.regrade().graded for each in services] == [1, 1, 1]
    services[0].submit(make.submission())
    assert [each.regrade(dry_run=True).graded for each in services] == [2, 1, 1]
    assert services[1].regrade(question_id="kv-cache").graded == 1


def review(item: str) -> DrillReview:
    return DrillReview(
        review_id=uuid4().hex,
        item_id=item,
        drill_set="acronyms",
        reviewed_at=NOW,
        verdict="correct",
        phones="R AA1 K IY0",
        confidence=0.9,
    )


def test_everybody_has_drills_of_their_own(services: Sequence[Service]) -> None:
    take = review("roce")
    for each in services:
        each.drills.review(take)
        each.drills.review(take)
    services[0].drills.review(review("roce"))
    assert [each.drills.cards()[0].reps for each in services] == [2, 1, 1]
    assert [len(each.export_all().drill_reviews) for each in services] == [2, 1, 1]
    assert [each.drills.queue().known for each in services] == [("roce",)] * 3
    assert services[1].purge(PurgeRequest(everything=True)).drill_reviews == 1
    assert [len(each.drills.cards()) for each in services] == [1, 0, 1]


@pytest.mark.every_database
def test_everything_of_an_account_goes_with_it(
    services: Sequence[Service], make: SimpleNamespace
) -> None:
    for each in services:
        each.submit(make.submission())
        each.drills.review(review("roce"))
    accounts = AccountService(services[0].database)
    accounts.delete(accounts.named("ana").id)
    assert [each.history().total for each in services] == [0, 1, 1]
    assert [len(each.drills.cards()) for each in services] == [0, 1, 1]
    assert [len(each.export_all().drill_reviews) for each in services] == [0, 1, 1]
