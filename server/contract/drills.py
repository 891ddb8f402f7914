"""The wire models of drills: what was said, and when it is due again.

An item is identified by its id alone. Its content (term, readings, tips) is in the drill sets,
built in or a person's own, which the server need not know.
"""

from typing import Annotated, Literal

from pydantic import AwareDatetime, Field, StringConstraints

from server.contract.wire import SeldomWire, Share

MAX_PAGE = 1000

ReviewId = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")]
ItemId = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=160)]
SetId = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=80)]
Phones = Annotated[str, StringConstraints(max_length=500)]

DrillVerdictName = Literal["correct", "mispronounced", "unclear", "something_else", "nothing"]
"""What the hearing found in one take; only the first two are about the speaker."""


class DrillReview(SeldomWire):
    """One take of one item. The same ``review_id`` is stored only once.

    ``phones``: the reading that was heard, in ARPAbet; empty if none was.
    """

    review_id: ReviewId
    item_id: ItemId
    drill_set: SetId
    reviewed_at: AwareDatetime
    verdict: DrillVerdictName
    phones: Phones = ""
    confidence: Share = 0.0


class DrillCard(SeldomWire):
    """What is known about an item that was said at least once, and when it is due again.

    Attributes:
        due: when to say it again.
        stability: in days: after this long it is still said right with 90 % probability (FSRS).
        difficulty: 1 to 10 (FSRS).
        reps: takes with a verdict, ``correct`` or ``mispronounced``.
        lapses: how often it was said wrong after being learned.
        misses: how often it was said wrong at all.
        last_verdict: the verdict that last changed the schedule.
    """

    item_id: ItemId
    drill_set: SetId
    due: AwareDatetime
    stability: float = Field(gt=0)
    difficulty: float = Field(ge=1, le=10)
    reps: int = Field(ge=1)
    lapses: int = Field(ge=0)
    misses: int = Field(ge=0)
    last_verdict: Literal["correct", "mispronounced"]
    first_reviewed_at: AwareDatetime
    last_reviewed_at: AwareDatetime


class ReviewedDrill(SeldomWire):
    """What became of a review: ``card`` is ``None`` while no take of the item had a verdict."""

    review: DrillReview
    card: DrillCard | None


class DrillQuery(SeldomWire):
    """What is due, in one set or all, at a given time (``None``: now, by the server's clock)."""

    drill_set: SetId | None = None
    now: AwareDatetime | None = None
    limit: int = Field(default=20, ge=1, le=MAX_PAGE)


class DrillQueue(SeldomWire):
    """The cards due, the longest overdue first; ``total`` also counts those beyond the limit.

    ``known``: the ids of all items of the set that have a card. The other items of the set are new;
        the client knows the sets, including a person's own.
    """

    total: int
    due: tuple[DrillCard, ...]
    known: tuple[ItemId, ...]


class DrillArchive(SeldomWire):
    """A page of reviews in the order they arrived; ``next_after_id`` asks for the next page."""

    reviews: Annotated[tuple[DrillReview, ...], Field(max_length=MAX_PAGE)]
    next_after_id: int | None = None


class DrillImport(SeldomWire):
    """``skipped``: already stored; ``conflicts``: ids stored with different content."""

    imported: int
    skipped: int
    conflicts: tuple[str, ...] = ()
