"""A coach's pages count what is shown now, whatever changed it, and read no table as a whole."""

from contextlib import suppress
from typing import Any

import pytest

from server.core.errors import NotFoundError
from server.db.tables import ShareRow
from server.review.overview import overview_of
from server.review.review_queue import QueueFilter, ReviewQueue
from server.review.service import ReviewService
from server.sharing.shown import attempts_shown_to, resource_of_attempt, still_shown
from tests.server.conftest import START
from tests.server.sharing.test_sharing import INTERVIEW, World
from tests.server.sharing.test_sharing import world as world

pytestmark = pytest.mark.every_database


def shown(world: World, *cohorts: int) -> int:
    """How many answers the pages of the coach of these cohorts count; all the same."""
    database = world.service.database
    in_cohort: dict[int, set[int]] = {cohort: set() for cohort in cohorts}
    for attempt_id in range(1, 4):
        with suppress(NotFoundError):  # judges one attempt in its own way
            for cohort in resource_of_attempt(database, attempt_id).shown_to & in_cohort.keys():
                in_cohort[cohort].add(attempt_id)
    ids = set().union(*in_cohort.values())
    queue = ReviewQueue(database, set(cohorts), world.cleo)
    page = queue.page(QueueFilter(state="all"))
    assert [each.attempt_id for each in page.entries] == sorted(ids)
    assert page.total == len(ids)
    assert [each[0] for each in page.candidates] == ([world.ana] if ids else [])
    assert len(page.topics) == bool(ids)
    for cohort, expected in in_cohort.items():
        here = len(expected)
        assert {each.attempt_id for each in attempts_shown_to(database, cohort)} == expected
        assert still_shown(database, cohort, expected)
        assert not still_shown(database, cohort, {*expected, 99})
        overview = overview_of(database, cohort)
        assert [each.answers for each in overview.candidates if each.answers] == [here][:here]
        assert (overview.answers, overview.newest) == (here, here)
        assert queue.page(QueueFilter(cohort_id=cohort)).total <= here
    return len(ids)


def test_pages_count_what_is_shown_now(world: World) -> None:
    first, second, third = (world.attempt(text).id for text in ("one", "two", "three"))
    assert shown(world, world.spring) == 0
    alone = world.show(attempt_id=first, cohort_id=world.spring)
    assert shown(world, world.spring) == 1
    # an answer that is shown twice counts once
    whole = world.show(interview_id=INTERVIEW, attempt_ids=(first, second), cohort_id=world.spring)
    assert shown(world, world.spring) == 2
    world.show(interview_id=INTERVIEW, attempt_ids=(third,), cohort_id=world.spring)
    assert shown(world, world.spring) == 3
    world.accounts.cohorts.assign(world.autumn, world.ana, "candidate")
    elsewhere = world.show(attempt_id=first, cohort_id=world.autumn)
    assert shown(world, world.spring, world.autumn) == 3
    assert shown(world, world.autumn) == 1
    world.sharing.shares.revoke(world.ana, whole)
    assert shown(world, world.spring, world.autumn) == 1
    world.sharing.shares.revoke(world.ana, elsewhere)
    assert shown(world, world.autumn) == 0
    assert shown(world, world.spring) == 1
    world.accounts.cohorts.unassign(world.spring, world.ana)
    assert shown(world, world.spring) == 0
    world.accounts.cohorts.assign(world.spring, world.ana, "candidate")
    world.show(interview_id=INTERVIEW, cohort_id=world.spring)
    assert shown(world, world.spring) == 3
    world.service.of(world.ana).delete(second)
    assert shown(world, world.spring) == 2
    world.sharing.shares.revoke(world.ana, alone)
    assert shown(world, world.spring) == 2
    world.accounts.delete(world.ana)
    assert shown(world, world.spring) == 0


def test_a_share_of_what_is_not_the_sharers_own_shows_nothing(world: World) -> None:
    attempt = world.attempt().id
    with world.service.database.write() as session:
        given = {"cohort_id": world.spring, "with_audio": False, "created_at": START}
        session.add(ShareRow(owner_id=world.ben, attempt_id=attempt, **given))
    assert shown(world, world.spring) == 0


def test_the_queue_counts_what_its_filters_leave(world: World) -> None:
    first, second = world.attempt("one").id, world.attempt("two").id
    for each in (first, second):
        world.show(attempt_id=each, cohort_id=world.spring)
    world.accounts.cohorts.assign(world.autumn, world.ana, "candidate")
    world.show(attempt_id=second, cohort_id=world.autumn)
    ReviewService(world.service.database).mark(first, world.cleo, "done")
    queue = ReviewQueue(world.service.database, {world.spring, world.autumn}, world.cleo)

    def total(**wanted: Any) -> int:
        page = queue.page(QueueFilter(**wanted))
        assert page.total == len(page.entries)
        assert page.candidates == ((world.ana, "ana"),) and len(page.topics) == 1
        return page.total

    topic = queue.page(QueueFilter()).topics[0]
    assert [total(state=state) for state in ("open", "done", "all")] == [1, 1, 2]
    assert [total(state="all", cohort_id=each) for each in (world.spring, world.autumn)] == [2, 1]
    assert [total(candidate_id=each) for each in (world.ana, world.ben)] == [1, 0]
    assert [total(topic=each) for each in (topic, "Another")] == [1, 0]
    behind = queue.page(QueueFilter(page=2))
    assert (behind.entries, behind.total) == ((), 1)
