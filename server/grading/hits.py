"""What a search finds: arcs, and hits made of them."""

from dataclasses import dataclass
from enum import IntEnum

from server.grading.answer import Span
from server.grading.phrases import Variant

__all__ = ["Arc", "Hit", "Tier"]


class Tier(IntEnum):
    """How close the words of the answer are to those of the phrase; lower is closer."""

    EXACT = 0
    INFLECTED = 1
    DERIVED = 2
    ACRONYM = 3
    FUZZY = 4


@dataclass(frozen=True, slots=True)
class Arc:
    """Tokens ``start`` to ``end`` of the answer say units ``first`` to ``last`` of the variant."""

    start: int
    end: int
    tier: Tier
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Hit:
    """A variant found: by which arcs, how far from its own words, at what cost."""

    variant: Variant
    arcs: tuple[Arc, ...]
    tier: Tier
    cost: float

    @property
    def span(self) -> Span:
        """First token and the token behind the last."""
        return self.arcs[0].start, max(arc.end for arc in self.arcs)

    @property
    def tokens(self) -> tuple[int, ...]:
        """The tokens that carry the phrase."""
        return tuple(sorted({at for arc in self.arcs for at in range(arc.start, arc.end)}))
