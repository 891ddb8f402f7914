"""Reviews of drills: the schedule of an item, the queue, and what a service keeps of them."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone
from functools import partial
from itertools import permutations
from uuid import uuid4

import pytest
from fastapi.testclient import TestClient

from server.attempts.drill_service import check_review, schedule
from server.attempts.service import Service
from server.attempts.store import Store
from server.contract import DrillQuery, DrillReview, PurgeRequest
from server.core.errors import InvalidInputError
from server.core.settings import ServerSettings
from server.web.app import create_app
from tests.server.conftest import START

LATER = START + timedelta(days=100)


def review(item: str = "roce", verdict: str = "mispronounced", **changes: object) -> DrillReview:
    values: dict[str, object] = {
        "review_id": uuid4().hex,
        "item_id": item,
        "drill_set": "acronyms",
        "reviewed_at": START,
        "verdict": verdict,
    }
    return DrillReview.model_validate(values | changes)


def take(verdict: str, after: timedelta = timedelta(0)) -> DrillReview:
    return review("roce", verdict, reviewed_at=START + after)


def test_said_right_at_once_is_due_in_days() -> None:
    card = schedule([take("correct")])
    assert card is not None
    assert timedelta(days=1) <= card.due - START <= timedelta(days=7)
    assert (card.reps, card.lapses, card.misses, card.last_verdict) == (1, 0, 0, "correct")


def test_a_miss_is_due_within_the_session() -> None:
    card = schedule([take("mispronounced")])
    assert card is not None
    assert card.due == START + timedelta(minutes=1)
    assert (card.reps, card.lapses, card.misses) == (1, 0, 1)


def test_right_again_and_again_grows_the_interval_and_a_lapse_ends_it() -> None:
    takes = [take("correct")]
    intervals = []
    for _ in range(4):
        card = schedule(takes)
        assert card is not None
        intervals.append(card.due - takes[-1].reviewed_at)
        takes.append(take("correct", card.due - START))
    assert intervals == sorted(set(intervals))
    assert intervals[-1] > timedelta(days=30)
    before = schedule(takes)
    after = schedule([*takes, take("mispronounced", timedelta(days=400))])
    assert before is not None and after is not None
    assert after.due == START + timedelta(days=400, minutes=1)
    assert after.lapses == 1
    assert after.stability < before.stability
    assert after.difficulty > before.difficulty


@pytest.mark.parametrize("verdict", ["unclear", "something_else", "nothing"])
def test_what_the_hearing_could_not_tell_changes_nothing(verdict: str) -> None:
    assert schedule([take(verdict)]) is None
    message = [take("mispronounced"), take("correct", timedelta(minutes=2))]
    assert schedule([*message, take(verdict, timedelta(minutes=3))]) == schedule(message)


def test_the_order_of_arrival_does_not_matter() -> None:
    takes = [
        take("correct"),
        take("mispronounced", timedelta(days=3)),
        take("unclear", timedelta(days=3, minutes=1)),
        take("correct", timedelta(days=3, minutes=2)),
    ]
    cards = {schedule(order) for order in permutations(takes)}
    assert len(cards) == 1


def test_an_instant_is_the_same_in_every_time_zone() -> None:
    tokyo = timezone(timedelta(hours=9))
    here = take("correct")
    there = here.model_copy(update={"reviewed_at": START.astimezone(tokyo)})
    assert schedule([here]) == schedule([there])


@pytest.mark.parametrize("at", [datetime(1999, 12, 31, tzinfo=UTC), START + timedelta(days=2)])
def test_a_take_from_an_impossible_time_is_refused(at: datetime) -> None:
    check_review(take("correct", timedelta(hours=20)), START)
    with pytest.raises(InvalidInputError, match="check the clock"):
        check_review(review(reviewed_at=at), START)


def add(store: Store, *reviews: DrillReview) -> None:
    for each in reviews:
        store.drills.add(each, START, schedule)


@pytest.mark.every_database
def test_the_queue_is_what_is_due_the_longest_overdue_first(store: Store) -> None:
    minute = timedelta(minutes=1)
    add(
        store,
        review("late", "mispronounced", reviewed_at=START + 2 * minute),
        review("early", "mispronounced", reviewed_at=START),
        review("other", "mispronounced", drill_set="silent-letters"),
        review("learned", "correct"),
        review("vague", "unclear"),
    )
    queue = store.drills.queue(DrillQuery(drill_set="acronyms"), START + 5 * minute)
    assert [card.item_id for card in queue.due] == ["early", "late"]
    assert (queue.total, queue.known) == (2, ("early", "late", "learned"))
    assert store.drills.queue(DrillQuery(), START + 5 * minute).total == 3
    one = store.drills.queue(DrillQuery(limit=1, drill_set="acronyms"), START + 5 * minute)
    assert (one.total, [card.item_id for card in one.due]) == (2, ["early"])
    assert store.drills.queue(DrillQuery(now=START), LATER).total == 0
    assert store.drills.queue(DrillQuery(), LATER).total == 4


@pytest.mark.every_database
def test_takes_of_one_item_from_several_threads_all_count(store: Store) -> None:
    takes = [review("roce", "correct", reviewed_at=START + timedelta(hours=n)) for n in range(8)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(partial(add, store), takes))
    assert store.drills.cards() == (schedule(takes),)


@pytest.fixture
def client(service: Service) -> TestClient:
    settings = ServerSettings(database_url="sqlite://")
    return TestClient(create_app(settings, service=service), base_url="http://localhost")


def test_reviewing_schedules(service: Service) -> None:
    done = service.drills.review(review())
    assert done.card is not None
    assert done.card.due == START + timedelta(minutes=1)
    assert service.drills.queue().due == (done.card,)
    assert service.drills.queue(DrillQuery(now=START)).total == 0
    assert service.drills.cards("acronyms") == (done.card,)
    assert service.drills.cards("silent-letters") == ()


def test_an_export_imports_with_its_schedule(service: Service) -> None:
    for n in range(3):
        service.drills.review(review(f"item-{n}"))
    service.drills.review(review("vague", "unclear"))
    cards, archive = service.drills.cards(), service.export_all()
    assert len(archive.drill_reviews) == 4
    purged = service.purge(PurgeRequest(everything=True))
    assert (purged.deleted, purged.drill_reviews) == (0, 4)
    assert service.drills.cards() == ()
    assert service.drills.import_reviews(archive.drill_reviews).imported == 4
    assert service.drills.import_reviews(archive.drill_reviews).skipped == 4
    assert service.drills.cards() == cards
    changed = archive.drill_reviews[0].model_copy(update={"verdict": "correct"})
    assert service.drills.import_reviews([changed]).conflicts == (changed.review_id,)


@pytest.mark.every_database
def test_an_import_with_an_impossible_take_stores_nothing(service: Service) -> None:
    late = review(reviewed_at=START + timedelta(days=900))
    with pytest.raises(InvalidInputError):
        service.drills.import_reviews([review("fine"), late])
    assert service.drills.cards() == ()


def test_purging_attempts_leaves_the_drills(service: Service) -> None:
    service.drills.review(review())
    service.purge(PurgeRequest(before=START + timedelta(days=900)))
    assert len(service.drills.cards()) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"review_id": "x"},
        {"item_id": "../etc"},
        {"verdict": "wrong"},
        {"confidence": 2},
        {"reviewed_at": "2026-03-01T12:00:00"},
        {"phones": "A" * 501},
        {"more": 1},
    ],
)
def test_what_is_no_review_is_refused(client: TestClient, change: dict[str, object]) -> None:
    reply = client.post("/api/v1/drills/reviews", json=review().model_dump(mode="json") | change)
    assert reply.status_code == 422
    assert next(iter(change)) in reply.json()["detail"]
