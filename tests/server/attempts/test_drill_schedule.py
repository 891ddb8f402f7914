from datetime import UTC, datetime, timedelta, timezone
from itertools import permutations
from uuid import uuid4

import pytest

from server.attempts.drill_service import check_review, schedule
from server.contract import DrillReview
from server.core.errors import InvalidInputError

START = datetime(2026, 3, 1, 12, tzinfo=UTC)


def review(verdict: str, after: timedelta = timedelta(0), **changes: object) -> DrillReview:
    values: dict[str, object] = {
        "review_id": uuid4().hex,
        "item_id": "roce",
        "drill_set": "acronyms",
        "reviewed_at": START + after,
        "verdict": verdict,
    }
    return DrillReview.model_validate(values | changes)


def test_said_right_at_once_is_due_in_days() -> None:
    card = schedule([review("correct")])
    assert card is not None
    assert timedelta(days=1) <= card.due - START <= timedelta(days=7)
    assert (card.reps, card.lapses, card.misses, card.last_verdict) == (1, 0, 0, "correct")


def test_a_miss_is_due_within_the_session() -> None:
    card = schedule([review("mispronounced")])
    assert card is not None
    assert card.due == START + timedelta(minutes=1)
    assert (card.reps, card.lapses, card.misses) == (1, 0, 1)


def test_right_again_and_again_grows_the_interval_and_a_lapse_ends_it() -> None:
    takes = [review("correct")]
    intervals = []
    for _ in range(4):
        card = schedule(takes)
        assert card is not None
        intervals.append(card.due - takes[-1].reviewed_at)
        takes.append(review("correct", card.due - START))
    assert intervals == sorted(set(intervals))
    assert intervals[-1] > timedelta(days=30)
    before = schedule(takes)
    after = schedule([*takes, review("mispronounced", timedelta(days=400))])
    assert before is not None and after is not None
    assert after.due == START + timedelta(days=400, minutes=1)
    assert after.lapses == 1
    assert after.stability < before.stability
    assert after.difficulty > before.difficulty


@pytest.mark.parametrize("verdict", ["unclear", "something_else", "nothing"])
def test_what_the_hearing_could_not_tell_changes_nothing(verdict: str) -> None:
    assert schedule([review(verdict)]) is None
    message = [review("mispronounced"), review("correct", timedelta(minutes=2))]
    assert schedule([*message, review(verdict, timedelta(minutes=3))]) == schedule(message)


def test_the_order_of_arrival_does_not_matter() -> None:
    takes = [
        review("correct"),
        review("mispronounced", timedelta(days=3)),
        review("unclear", timedelta(days=3, minutes=1)),
        review("correct", timedelta(days=3, minutes=2)),
    ]
    cards = {schedule(order) for order in permutations(takes)}
    assert len(cards) == 1


def test_an_instant_is_the_same_in_every_time_zone() -> None:
    tokyo = timezone(timedelta(hours=9))
    here = review("correct")
    there = here.model_copy(update={"reviewed_at": START.astimezone(tokyo)})
    assert schedule([here]) == schedule([there])


@pytest.mark.parametrize("at", [datetime(1999, 12, 31, tzinfo=UTC), START + timedelta(days=2)])
def test_a_take_from_an_impossible_time_is_refused(at: datetime) -> None:
    check_review(review("correct", timedelta(hours=20)), START)
    with pytest.raises(InvalidInputError, match="check the clock"):
        check_review(review("correct", reviewed_at=at), START)
