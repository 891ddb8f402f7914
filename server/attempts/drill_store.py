"""Reading and writing drill reviews and cards; every method is one transaction."""

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import cached_property

from sqlalchemy import ColumnElement, delete, func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from server.contract import DrillCard, DrillQuery, DrillQueue, DrillReview
from server.core.errors import ConflictError
from server.db.database import Database
from server.db.tables import DrillCardRow, DrillReviewRow

Schedule = Callable[[Sequence[DrillReview]], DrillCard | None]
"""Makes the card of one item from all its reviews."""


class DrillStore:
    """The drills of one owner in a database. Safe to use from several threads and processes."""

    def __init__(self, database: Database, owner_id: int | None = None) -> None:
        self._database = database
        self._owner_id = owner_id

    @cached_property
    def _own_reviews(self) -> ColumnElement[bool]:
        # created on demand, as in the store of attempts
        return DrillReviewRow.owner_id == self._owner_id

    @cached_property
    def _own_cards(self) -> ColumnElement[bool]:
        return DrillCardRow.owner_id == self._owner_id

    def add(
        self, review: DrillReview, received_at: datetime, schedule: Schedule
    ) -> tuple[DrillCard | None, bool]:
        """Stores a review, once, and recomputes its item's card.

        Returns:
            The card (``None``: no review of the item has a verdict), and whether the review is new.
            A review that is already stored with the same content stays as it is.

        Raises:
            ConflictError: the review's id is stored with different content.
        """
        row = DrillReviewRow(
            owner_id=self._owner_id,
            review_id=review.review_id,
            item_id=review.item_id,
            drill_set=review.drill_set,
            reviewed_at=review.reviewed_at,
            received_at=received_at,
            review=review.model_dump(mode="json"),
        )
        try:
            with self._database.write() as session:
                self._database.alone(session, f"drill {self._owner_id} {review.item_id}")
                if self._is_there(session, review):
                    return self._card(session, review.item_id), False
                session.add(row)
                session.flush()
                return self._reschedule(session, review.item_id, schedule), True
        except IntegrityError:
            # Another process stored the same id between our look and our write (PostgreSQL).
            with self._database.read() as session:
                if not self._is_there(session, review):
                    raise
                return self._card(session, review.item_id), False

    def queue(self, query: DrillQuery, now: datetime) -> DrillQueue:
        """What is due at ``query.now`` or else at ``now``, the longest overdue first."""
        chosen = self._chosen(query.drill_set)
        is_due = DrillCardRow.due <= (query.now or now)
        page = (
            select(DrillCardRow)
            .where(*chosen, is_due)
            .order_by(DrillCardRow.due, DrillCardRow.item_id)
            .limit(query.limit)
        )
        with self._database.read() as session:
            total = session.scalar(
                select(func.count()).select_from(DrillCardRow).where(*chosen, is_due)
            )
            known = session.scalars(
                select(DrillCardRow.item_id).where(*chosen).order_by(DrillCardRow.item_id)
            ).all()
            due = tuple(self._read_card(row) for row in session.scalars(page))
        return DrillQueue(total=total or 0, due=due, known=tuple(known))

    def cards(self, drill_set: str | None = None) -> tuple[DrillCard, ...]:
        """All cards, of one set or of all sets, the earliest due first."""
        statement = select(DrillCardRow).where(*self._chosen(drill_set))
        with self._database.read() as session:
            rows = session.scalars(statement.order_by(DrillCardRow.due, DrillCardRow.item_id))
            return tuple(self._read_card(row) for row in rows)

    def reviews(self, after_id: int, limit: int) -> tuple[list[DrillReview], int | None]:
        """Reviews in the order they arrived, and the id to continue after (``None``: the end)."""
        with self._database.read() as session:
            rows = session.scalars(
                select(DrillReviewRow)
                .where(DrillReviewRow.id > after_id, self._own_reviews)
                .order_by(DrillReviewRow.id)
                .limit(limit + 1)
            ).all()
            page = rows[:limit]
            reviews = [self._read_review(row) for row in page]
        return reviews, page[-1].id if len(rows) > limit else None

    def clear(self) -> int:
        """Deletes all reviews and cards; returns how many reviews there were."""
        with self._database.write() as session:
            count = session.scalar(
                select(func.count()).select_from(DrillReviewRow).where(self._own_reviews)
            )
            session.execute(delete(DrillReviewRow).where(self._own_reviews))
            session.execute(delete(DrillCardRow).where(self._own_cards))
        return count or 0

    def _reschedule(self, session: Session, item_id: str, schedule: Schedule) -> DrillCard | None:
        rows = session.scalars(
            select(DrillReviewRow)
            .where(DrillReviewRow.item_id == item_id, self._own_reviews)
            .order_by(DrillReviewRow.id)
        )
        card = schedule([self._read_review(row) for row in rows])
        if card is not None:
            row = self._card_row(session, item_id)
            if row is None:
                row = DrillCardRow(owner_id=self._owner_id, item_id=item_id)
                session.add(row)
            row.drill_set, row.due = card.drill_set, card.due
            row.card = card.model_dump(mode="json")
        return card

    def _is_there(self, session: Session, review: DrillReview) -> bool:
        row = session.scalar(
            select(DrillReviewRow).where(
                DrillReviewRow.review_id == review.review_id, self._own_reviews
            )
        )
        if row is None:
            return False
        if self._read_review(row) != review:
            raise ConflictError(
                f"the review {review.review_id} is already stored with different content"
            )
        return True

    def _chosen(self, drill_set: str | None) -> list[ColumnElement[bool]]:
        mine = [self._own_cards]
        return mine if drill_set is None else [*mine, DrillCardRow.drill_set == drill_set]

    def _card(self, session: Session, item_id: str) -> DrillCard | None:
        row = self._card_row(session, item_id)
        return None if row is None else self._read_card(row)

    def _card_row(self, session: Session, item_id: str) -> DrillCardRow | None:
        return session.scalar(
            select(DrillCardRow).where(DrillCardRow.item_id == item_id, self._own_cards)
        )

    def _read_card(self, row: DrillCardRow) -> DrillCard:
        with self._database.readable(f"the drill card {row.item_id}"):
            return DrillCard.model_validate(row.card)

    def _read_review(self, row: DrillReviewRow) -> DrillReview:
        with self._database.readable(f"the drill review {row.id}"):
            return DrillReview.model_validate(row.review)
