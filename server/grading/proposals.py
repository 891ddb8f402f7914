"""A layer's proposals: words of the answer that may say a key phrase."""

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple, Protocol

from server.grading.answer import Answer
from server.grading.units import CompiledPhrase, Tier, Variant

LayerName = Literal["surface", "sound", "sense"]
How = Literal["exact", "inflected", "alias", "acronym", "fuzzy", "sound", "own_words"]


# Named tuples, because an answer has hundreds and they take a third of the time to create.
class Place(NamedTuple):
    """Tokens ``start`` to ``end`` of the answer say units ``first`` to ``last`` of the variant."""

    start: int
    end: int
    tier: Tier
    first: int
    last: int


class Proposal(NamedTuple):
    """Words that may say a key phrase, or half of it; the confirmer decides.

    Attributes:
        layer: who proposes it.
        phrase: what was said.
        words: the tokens that carry the phrase, in order.
        how: the way it was said.
        score: how sure the layer is, 0..1; the words themselves get 1.
        whole: the whole phrase, not only a part.
        variant: the wording, if the phrase was found by its words; ``places`` are those of its
            units, in the order of the answer.
    """

    layer: LayerName
    phrase: CompiledPhrase
    words: tuple[int, ...]
    how: How
    score: float
    whole: bool = True
    variant: Variant | None = None
    places: tuple[Place, ...] = ()


class Layer(Protocol):
    """A way of finding key phrases in an answer."""

    def __call__(self, answer: Answer, phrases: Sequence[CompiledPhrase]) -> Iterable[Proposal]:
        """All places where one of the phrases may be said."""
        ...
