"""The use cases of drills, without the web: store a take, schedule its item, list what is due.

Whenever a take arrives, the schedule of its item is computed from all takes of the item, in the
order they were said. So a take that arrives late from an outbox counts at its place, and importing
takes imports the schedule. An item has tens of takes; this takes about a millisecond.

Source: FSRS-6 in the ``fsrs`` library (https://github.com/open-spaced-repetition/py-fsrs), with its
default parameters and a retention of 90 %.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Final, Literal

from server.contract import (
    DrillArchive,
    DrillCard,
    DrillImport,
    DrillQuery,
    DrillQueue,
    DrillReview,
    ReviewedDrill,
    all_pages,
)
from server.core.errors import ConflictError, InvalidInputError

if TYPE_CHECKING:  # it brings SQLAlchemy
    from server.attempts.drill_store import DrillStore

DRILL_ARCHIVE_PAGE = 1000
"""A review is below 1 kB of JSON."""

LEARNING_STEPS: Final = (timedelta(minutes=1),)
"""After a miss, an item is due within the same session. One step instead of the library's two (1
and 10 minutes), because an item said right at the first take is known and need not come back after
ten minutes."""

EARLIEST: Final = datetime(2000, 1, 1, tzinfo=UTC)
CLOCKS_MAY_DIFFER: Final = timedelta(days=1)
"""A take from later than tomorrow has a wrong clock; its item would not be due for years."""


class DrillService:
    """The use cases over a store of drills, which is opened at first use."""

    def __init__(
        self, open_store: "Callable[[], DrillStore]", clock: Callable[[], datetime]
    ) -> None:
        self._open_store = open_store
        self._clock = clock

    @cached_property
    def _store(self) -> "DrillStore":
        return self._open_store()

    def review(self, review: DrillReview) -> ReviewedDrill:
        """Stores a take, once, and schedules its item again.

        Raises:
            InvalidInputError: the take is from an impossible time.
            ConflictError: the review's id was used with different content.
            StoreError: the database cannot be used.
        """
        now = self._clock()
        check_review(review, now)
        card, _ = self._store.add(review, now, schedule)
        return ReviewedDrill(review=review, card=card)

    def queue(self, query: DrillQuery | None = None) -> DrillQueue:
        """What is due now, the longest overdue first."""
        return self._store.queue(query or DrillQuery(), self._clock())

    def cards(self, drill_set: str | None = None) -> tuple[DrillCard, ...]:
        """All cards, of one set or of all sets, the earliest due first."""
        return self._store.cards(drill_set)

    def export_page(self, *, after_id: int = 0, limit: int = DRILL_ARCHIVE_PAGE) -> DrillArchive:
        """A page of all reviews, for ``import_reviews``, which computes the cards again."""
        reviews, next_after_id = self._store.reviews(after_id, limit)
        return DrillArchive(reviews=tuple(reviews), next_after_id=next_after_id)

    def export_pages(self) -> Iterator[DrillArchive]:
        """All reviews, page by page, for ``import_reviews``."""
        return all_pages(lambda after_id: self.export_page(after_id=after_id))

    def import_reviews(self, reviews: Sequence[DrillReview]) -> DrillImport:
        """Stores exported reviews; existing ones are left unchanged.

        Raises:
            InvalidInputError: a review is from an impossible time; nothing is stored.
        """
        now = self._clock()
        for each in reviews:
            check_review(each, now)
        imported = skipped = 0
        conflicts: list[str] = []
        for each in reviews:
            try:
                _, new = self._store.add(each, now, schedule)
            except ConflictError:
                conflicts.append(each.review_id)
            else:
                imported, skipped = imported + new, skipped + (not new)
        return DrillImport(imported=imported, skipped=skipped, conflicts=tuple(conflicts))

    def purge(self) -> int:
        """Deletes all reviews and cards for good; returns how many reviews there were."""
        return self._store.clear()


def schedules(review: DrillReview) -> bool:
    """Whether the take says something about the person, and so changes the schedule.

    ``unclear``, ``something_else`` and ``nothing`` do not, because the hearing was not sure.
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

    A take said right counts as *good*, one said wrong as *again*. Fuzzing is off, so that the same
    takes always yield the same card.

    Returns:
        The card; ``None`` if no take had a verdict.
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
