"""What speaks for and against a stretch of an answer saying a part of the rubric, as numbers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, get_args

import numpy as np
import numpy.typing as npt

from server.grading.sense.encoder import Vectors
from server.grading.sense.features import Floats, best_of_others
from server.grading.sense.vectors import AnswerSense
from server.grading.structure.facts import (
    Fact,
    ends_sentence,
    has_fact,
    names_in,
    plain_words,
    text_of,
)
from server.grading.structure.rubrics import Rubric

FACTS: Final[tuple[Fact, ...]] = get_args(Fact)
FULL_WORDS: Final = 60
"""In a shorter answer the place of a stretch tells less: one sentence has no opening or end."""
_TOP: Final = 3
_BEFORE: Final = ","


class SpanFacts:
    """The facts and cues in the stretches of an answer, which are looked for once per clause.

    Attributes:
        facts: shape (spans, facts), 1 where the span holds the fact.
        cues: shape (spans, parts of the rubric), 1 where a cue of the part stands in the span.
    """

    def __init__(self, texts: Sequence[str], sense: AnswerSense, rubric: Rubric) -> None:
        starts, ends = np.array(sense.spans).T
        holds = (starts[:, None] <= starts) & (ends[:, None] >= ends)
        clauses = np.flatnonzero(holds.sum(axis=1) == 1)  # that hold no span but themselves
        plain, names = plain_words(texts), names_in(texts)
        facts = np.zeros((len(clauses), len(FACTS)))
        cues = np.zeros((len(clauses), len(rubric.parts)))
        for row, at in enumerate(clauses):
            text = text_of(plain, sense.spans[at])
            if starts[at] > 0 and not ends_sentence(texts[starts[at] - 1]):
                text = f"{_BEFORE} {text}"  # so that "so" is a reason and no filler
            named = any(names[starts[at] : ends[at]])
            facts[row] = [named if fact == "name" else has_fact(text, fact) for fact in FACTS]
            cues[row] = [bool(each.cues and each.cues.search(text)) for each in rubric.parts]
        held = holds[:, clauses].astype(np.float64)
        self.facts: Floats = np.minimum(held @ facts, 1.0)
        self.cues: Floats = np.minimum(held @ cues, 1.0)

    def may_say(self, rubric: Rubric, at: int) -> npt.NDArray[np.bool_]:
        """Of each span whether it has something of what a part of the rubric needs."""
        needed = rubric.parts[at].part.needs
        columns = [FACTS.index(fact) for fact in needed if fact != "cue"]
        found: npt.NDArray[np.bool_] = self.facts[:, columns].max(axis=1, initial=0.0) > 0.0
        if "cue" in needed:
            found |= self.cues[:, at] > 0.0
        return found if needed else ~found


@dataclass(frozen=True, eq=False)
class PartFeatures:
    """What speaks for and against each span saying each part.

    Attributes:
        of_part: what differs from part to part, shape (parts, spans, features).
        of_span: what is the same for all parts, shape (spans, features).
    """

    of_part: Floats
    of_span: Floats

    def joined(self) -> Floats:
        """Everything for each part, shape (parts, spans, features); of a part's own first."""
        shared = np.broadcast_to(self.of_span, (len(self.of_part), *self.of_span.shape))
        found: Floats = np.concatenate((self.of_part, shared), axis=2)
        return found

    def logits(self, weights: Floats) -> Floats:
        """``joined() @ weights`` of each part, shape (parts, spans), in a fraction of the time."""
        own = self.of_part.shape[2]
        found: Floats = np.einsum("psf,pf->ps", self.of_part, weights[:, :own])
        return found + weights[:, own:] @ self.of_span.T


def part_features(
    texts: Sequence[str], sense: AnswerSense, rubric: Rubric, closeness: Vectors, found: SpanFacts
) -> PartFeatures:
    """The features of every span for each part of the kind.

    Args:
        texts: the answer's words.
        sense: its spans and vectors.
        rubric: whose parts of the kind come first.
        closeness: cosines of each span with each sentence of the rubric, (spans, sentences).
        found: the facts and cues of the spans.
    """
    kept = rubric.parts[: rubric.own_from]
    empty = closeness[:, rubric.empty].max(axis=1)
    says = np.stack([closeness[:, each.says].max(axis=1) for each in kept])
    says3 = np.stack(
        [np.sort(closeness[:, each.says], axis=1)[:, -_TOP:].mean(axis=1) for each in kept]
    )
    denies = np.stack([closeness[:, each.not_].max(axis=1) for each in kept])
    starts, ends = np.array(sense.spans).T
    place = (starts + ends) / 2 / len(texts) - 0.5
    place *= min(1.0, len(texts) / FULL_WORDS)
    cues = found.cues[:, : len(kept)]
    shape = np.c_[np.log(ends - starts), place, place**2, np.abs(place)]
    of_span = np.c_[empty, cues, found.facts, shape, sense.vectors]
    of_part = np.stack(
        (
            says,
            says3,
            denies,
            says - np.maximum(denies, empty),
            says - best_of_others(says, alone=0.0),
            says3 - best_of_others(says3, alone=0.0),
            cues.T,
        ),
        axis=2,
    )
    return PartFeatures(of_part, of_span)
