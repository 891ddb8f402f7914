"""How an answer is organized: which parts of its kind's rubric it says, and where."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from question_bank.models import Kind, Question
from server.contract import Structure, StructurePart, Word, evidence_of
from server.grading.answer import MAX_CLAUSE_WORDS, Span
from server.grading.by_meaning import AnswerVectors, Floats, best_of_others
from server.grading.encoder import Vectors
from server.grading.english import FUNCTION_WORDS, word_set
from server.grading.model import shipped_linear
from server.grading.structure_facts import (
    FACTS,
    JoinedText,
    ends_sentence,
    names_in,
    pattern_of,
    plain_words,
)
from server.grading.structure_rubrics import Rubric, rubric_of

FULL_WORDS: Final = 60
"""In a shorter answer, the position of a passage says less: one sentence has no opening or end."""
BEAT_BAR: Final = 0.087
"""How much closer a passage must be to one of a beat's ways than to any empty sentence. The ways
are about the beat's subject, and so is weak talk."""
_BEFORE: Final = ", "
_OF_SENTENCES: Final = FUNCTION_WORDS - word_set("and or nor & /")
"""Words that every sentence has one of, in any kind of English, and a list of names has not."""


def best_three(near: Vectors, rows: npt.NDArray[np.int64]) -> Vectors:
    """The mean cosine with the three closest sentences of each group, shape (groups, spans).

    Args:
        near: cosines of each sentence with each span, shape (sentences, spans).
        rows: the sentences of each group, shape (groups, largest group); -1 where a group has
            fewer.
    """
    return np.stack([np.sort(near[own[own >= 0]], axis=0)[-3:].mean(axis=0) for own in rows])


class SpanFacts:
    """The facts and cues in the spans of an answer, searched for once per clause.

    Attributes:
        facts: shape (spans, facts), 1 where the span holds the fact.
        cues: shape (spans, parts of the rubric), 1 where the span holds a cue of the part.
    """

    def __init__(self, texts: Sequence[str], sense: AnswerVectors, rubric: Rubric) -> None:
        starts, ends = np.array(sense.spans, np.int64).reshape(-1, 2).T
        holds = (starts[:, None] <= starts) & (ends[:, None] >= ends)
        clauses = np.flatnonzero(holds.sum(axis=1) == 1)  # spans that contain no other span
        plain, names = plain_words(texts), names_in(texts)
        own = [sense.spans[at] for at in clauses]
        lines = JoinedText(
            # with a comma unless a sentence begins, so that "so" is a reason and not a filler
            f"{_BEFORE if start and not ends_sentence(texts[start - 1]) else ''}"
            f"{' '.join(plain[start:end])}"
            for start, end in own
        )
        patterns = [None if fact == "name" else pattern_of(fact) for fact in FACTS]
        patterns += [part.cues for part in rubric.parts]
        table = np.zeros((len(own), len(patterns)))
        table[:, FACTS.index("name")] = [True in names[start:end] for start, end in own]
        width = len(patterns)
        found = [
            line * width + column
            for column, pattern in enumerate(patterns)
            if pattern is not None
            for line in lines.holding(pattern)
        ]
        table.ravel()[found] = 1.0
        table = np.minimum(holds[:, clauses].astype(np.float64) @ table, 1.0)
        self.facts: Floats = table[:, : len(FACTS)]
        sums = np.cumsum([0, *[word in _OF_SENTENCES for word in plain]])
        self._is_list = sums[ends] == sums[starts]
        self.cues: Floats = table[:, len(FACTS) :]

    def may_say(self, rubric: Rubric) -> npt.NDArray[np.bool_]:
        """Whether each span has any of the facts that a part needs, shape (parts, spans).

        Bare words in a row ("cache, queue, cost") say only parts that consist of names.
        """
        found: npt.NDArray[np.bool_] = rubric.needs @ self.facts.T > 0.0
        found |= rubric.takes_cue[:, None] & (self.cues.T > 0.0)
        found |= rubric.needs_nothing[:, None]
        found &= rubric.takes_lists[:, None] | ~self._is_list
        return found


@dataclass(frozen=True, eq=False)
class PartFeatures:
    """The evidence for and against each span saying each part.

    Attributes:
        of_part: what differs from part to part, shape (parts, spans, features).
        of_span: what is the same for all parts, shape (spans, features).
    """

    of_part: Floats
    of_span: Floats

    def joined(self) -> Floats:
        """All features of each part, shape (parts, spans, features); its own come first."""
        shared = np.broadcast_to(self.of_span, (len(self.of_part), *self.of_span.shape))
        found: Floats = np.concatenate((self.of_part, shared), axis=2)
        return found

    def logits(self, weights: Floats) -> Floats:
        """``joined() @ weights`` for each part, shape (parts, spans), but much faster."""
        own = self.of_part.shape[2]
        found: Floats = np.einsum("psf,pf->ps", self.of_part, weights[:, :own])
        return found + weights[:, own:] @ self.of_span.T


def part_features(
    texts: Sequence[str], sense: AnswerVectors, rubric: Rubric, near: Vectors, found: SpanFacts
) -> PartFeatures:
    """The features of every span for each part of the kind.

    Args:
        texts: the answer's words.
        sense: its spans and vectors.
        rubric: its first parts are those of the kind.
        near: cosines of each sentence of the rubric with each span, (sentences, spans).
        found: the facts and cues of the spans.
    """
    count = rubric.own_from
    closest = rubric.closest(near)
    empty = closest[0]
    says, denies = closest[rubric.says_at[:count]], closest[rubric.not_at]
    says3 = best_three(near, rubric.says_rows)
    starts, ends = np.array(sense.spans, np.int64).reshape(-1, 2).T
    place = (starts + ends) / 2 / len(texts) - 0.5
    place *= min(1.0, len(texts) / FULL_WORDS)
    cues = found.cues[:, :count]
    shape = np.stack((np.log(ends - starts), place, place**2, np.abs(place)), axis=1)
    of_span = np.concatenate((empty[:, None], cues, found.facts, shape, sense.vectors), axis=1)
    of_part = np.stack(
        (
            says,
            says3,
            denies,
            says - np.maximum(denies, empty),
            says - best_of_others(says),
            says3 - best_of_others(says3),
            cues.T,
        ),
        axis=2,
    )
    return PartFeatures(of_part, of_span)


def judge_structure(
    question: Question, texts: Sequence[str], words: Sequence[Word], sense: AnswerVectors
) -> Structure:
    """Which parts of the rubric of the question's kind an answer says.

    A part is said if a passage holds a fact that the part needs and a regression over its sense,
    facts and position says so. A beat of the question is said if a passage is closer to one of its
    ways than to any empty sentence. If fewer passages say a part than it takes ("own actions":
    two), it counts in proportion.

    Args:
        question: what was asked; its beats are also parts.
        texts: the answer's words as written.
        words: the same with their times; empty for a typed answer.
        sense: the spans of these words, and their vectors.
    """
    rubric = rubric_of(question.kind, question.beats)
    values = part_logits(question.kind, rubric, texts, sense)
    parts: list[StructurePart] = []
    gained = total = 0.0
    for compiled, own in zip(rubric.parts, values, strict=True):
        part = compiled.part
        said = min(passages(sense.spans, own), part.count)
        total += part.weight
        gained += part.weight * said / part.count
        if said:
            evidence = evidence_of(texts, words, range(*sense.spans[int(own.argmax())]))
            parts.append(
                StructurePart(name=part.name, status="said", evidence=evidence, weight=part.weight)
            )
        else:
            parts.append(
                StructurePart(name=part.name, status="missing", ask=part.ask, weight=part.weight)
            )
    return Structure(kind=question.kind, parts=tuple(parts), score=min(1.0, gained / total))


def part_logits(kind: Kind, rubric: Rubric, texts: Sequence[str], sense: AnswerVectors) -> Floats:
    """How surely each span says each part, shape (parts, spans); it does from 0 on.

    Minus infinity if the span has no fact that the part needs. For a beat, the cosine above its
    bar.
    """
    found = np.full((len(rubric.parts), len(sense.spans)), -np.inf)
    if not sense.spans:
        return found
    # In this order because it takes a third of the time: fewer and larger blocks
    near = rubric.vectors @ sense.vectors.T
    facts = SpanFacts(texts, sense, rubric)
    if rubric.own_from:
        features = part_features(texts, sense, rubric, near, facts)
        fitted = shipped_linear(f"structure.{kind}")
        found[: rubric.own_from] = features.logits(fitted.weights) + fitted.bias[:, None]
    if len(rubric.parts) > rubric.own_from:
        closest = rubric.closest(near)
        found[rubric.own_from :] = (
            closest[rubric.says_at[rubric.own_from :]] - closest[0] - BEAT_BAR
        )
    found[~facts.may_say(rubric)] = -np.inf
    return found


def passages(spans: Sequence[Span], values: Floats) -> int:
    """The largest number of spans with a value from 0 on that share no word.

    A span longer than a clause can be counts as two, because people say several things in one
    sentence.
    """
    count = reached = 0
    good = [spans[at] for at in np.flatnonzero(values >= 0.0).tolist()]
    for start, end in sorted(good, key=lambda span: span[1]):
        if start >= reached:
            count, reached = count + 1, end
    return max(count, 2) if any(end - start > MAX_CLAUSE_WORDS for start, end in good) else count
