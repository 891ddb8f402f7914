"""When a drill item is due again: FSRS over the takes of it, a pure function.

The card is computed from all takes of an item, in the order they were said, each time one comes
in. So a take that waited in an outbox and arrives late counts at its place, and an import of takes
is an import of the schedule. An item has tens of takes; this costs about a millisecond.

Source: FSRS-6 by the ``fsrs`` library (https://github.com/open-spaced-repetition/py-fsrs), with its
default parameters and retention of 90 %.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final, Literal

from server.contract import DrillCard, DrillReview
from server.core.errors import InvalidInputError

LEARNING_STEPS: Final = (timedelta(minutes=1),)
"""After a miss an item is due within the same session. One step, not the library's two (1 and 10
minutes): an item said right at the first take was known and need not come back ten minutes on."""

EARLIEST: Final = datetime(2000, 1, 1, tzinfo=UTC)
CLOCKS_MAY_DIFFER: Final = timedelta(days=1)
"""A take from later than tomorrow comes from a wrong clock; its item would not be due for years."""


def schedules(review: DrillReview) -> bool:
    """Whether the take says something about the person, and so changes the schedule.

    ``unclear``, ``something_else`` and ``nothing`` do not: the hearing could not tell.
    """
    return review.verdict in ("correct", "mispronounced")


def check_review(review: DrillReview, now: datetime) -> None:
    """Refuses a take from an impossible time.

    Raises:
        InvalidInputError: before 2000 or later than tomorrow.
    """
    if not EARLIEST <= review.reviewed_at <= now + CLOCKS_MAY_DIFFER:
        raise InvalidInputError(
            f"reviewed_at {review.reviewed_at} is not a time the take can be from; "
            "check the clock of the machine it was said on"
        )


def schedule(reviews: Sequence[DrillReview]) -> DrillCard | None:
    """The card of one item after these takes of it, in any order.

    A take said right counts as *good*, one said wrong as *again*; fuzzing is off, so that the same
    takes always give the same card.

    Returns:
        The card; ``None`` where no take had a verdict.
    """
    from fsrs import Card, Rating, Scheduler, State

    counted = sorted(filter(schedules, reviews), key=lambda each: (_utc(each), each.review_id))
    if not counted:
        return None
    scheduler = Scheduler(
        learning_steps=LEARNING_STEPS, relearning_steps=LEARNING_STEPS, enable_fuzzing=False
    )
    card = Card(card_id=0, due=_utc(counted[0]))
    lapses = misses = 0
    for each in counted:
        missed = each.verdict == "mispronounced"
        lapses += missed and card.state is State.Review
        misses += missed
        rating = Rating.Again if missed else Rating.Good
        card, _ = scheduler.review_card(card, rating, _utc(each))
    assert card.stability is not None and card.difficulty is not None
    last = counted[-1]
    verdict: Literal["correct", "mispronounced"]
    verdict = "mispronounced" if last.verdict == "mispronounced" else "correct"
    return DrillCard(
        item_id=last.item_id,
        drill_set=last.drill_set,
        due=card.due,
        stability=card.stability,
        difficulty=card.difficulty,
        reps=len(counted),
        lapses=lapses,
        misses=misses,
        last_verdict=verdict,
        first_reviewed_at=_utc(counted[0]),
        last_reviewed_at=_utc(last),
    )


def _utc(review: DrillReview) -> datetime:
    return review.reviewed_at.astimezone(UTC)
