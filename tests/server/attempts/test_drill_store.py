import threading
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from server.attempts.drill_service import schedule
from server.attempts.store import Store
from server.contract import DrillQuery, DrillReview

pytestmark = pytest.mark.every_database

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
LATER = START + timedelta(days=100)


def review(item: str, verdict: str = "correct", **changes: object) -> DrillReview:
    values: dict[str, object] = {
        "review_id": uuid4().hex,
        "item_id": item,
        "drill_set": "acronyms",
        "reviewed_at": START,
        "verdict": verdict,
        "phones": "R AA1 K IY0",
        "confidence": 0.9,
    }
    return DrillReview.model_validate(values | changes)


def add(store: Store, *reviews: DrillReview) -> None:
    for each in reviews:
        store.drills.add(each, START, schedule)


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


def test_takes_of_one_item_from_several_threads_all_count(store: Store) -> None:
    takes = [review("roce", reviewed_at=START + timedelta(hours=n)) for n in range(8)]
    threads = [threading.Thread(target=add, args=(store, take)) for take in takes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert store.drills.cards() == (schedule(takes),)
