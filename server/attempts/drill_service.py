"""The use cases of drills, without the web: store a take, list what is due."""

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

from server.contract import (
    DrillArchive,
    DrillCard,
    DrillImport,
    DrillQuery,
    DrillQueue,
    DrillReview,
    ReviewedDrill,
)
from server.core.errors import ConflictError
from server.grading.spaced_repetition import check_review, schedule

if TYPE_CHECKING:  # it brings SQLAlchemy
    from server.attempts.drill_store import DrillStore

# A review is below 1 kB of JSON.
DRILL_ARCHIVE_PAGE = 1000


class DrillService:
    """The use cases over a store of drills, which is opened at first use.

    ``quick_cards`` gives all cards without it, or ``None`` if it cannot.
    """

    def __init__(
        self,
        open_store: "Callable[[], DrillStore]",
        clock: Callable[[], datetime],
        *,
        quick_cards: Callable[[], tuple[DrillCard, ...] | None] = lambda: None,
    ) -> None:
        self._open_store = open_store
        self._clock = clock
        self._quick_cards = quick_cards

    @cached_property
    def _store(self) -> "DrillStore":
        return self._open_store()

    def review(self, review: DrillReview) -> ReviewedDrill:
        """Stores a take, once, and schedules its item again.

        Raises:
            InvalidInputError: the take is from an impossible time.
            ConflictError: the review's id was used with another content.
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
        """All cards, of one set or over all, the one due first at the front."""
        found = self._quick_cards() if drill_set is None else None
        return self._store.cards(drill_set) if found is None else found

    def export_page(self, *, after_id: int = 0, limit: int = DRILL_ARCHIVE_PAGE) -> DrillArchive:
        """A page of all reviews, for ``import_reviews``: the cards follow from them."""
        reviews, next_after_id = self._store.reviews(after_id, limit)
        return DrillArchive(reviews=tuple(reviews), next_after_id=next_after_id)

    def export_all(self) -> tuple[DrillReview, ...]:
        """All reviews, for ``import_reviews``."""
        reviews: list[DrillReview] = []
        after_id: int | None = 0
        while after_id is not None:
            page = self.export_page(after_id=after_id)
            reviews += page.reviews
            after_id = page.next_after_id
        return tuple(reviews)

    def import_reviews(self, reviews: Sequence[DrillReview]) -> DrillImport:
        """Stores exported reviews; existing ones are left unchanged.

        Raises:
            InvalidInputError: a review is from an impossible time; then nothing is stored.
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
