"""How an answer is built: which parts of its kind's rubric it says, and where."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from question_bank.models import Question
from server.contract import Structure, StructurePart, Word, evidence_of
from server.grading.sense.caching import by_identity
from server.grading.sense.clauses import Span
from server.grading.sense.encoder import cosines
from server.grading.sense.thresholds import CUE_WORTH, END_BEGINS, OPENING_ENDS
from server.grading.sense.vectors import AnswerSense
from server.grading.structure.facts import Fact, has_fact, names_in, plain_words, text_of
from server.grading.structure.rubrics import CompiledPart, Rubric, rubric_of

Floats = npt.NDArray[np.float64]


def judge_structure(
    question: Question, texts: Sequence[str], words: Sequence[Word], sense: AnswerSense
) -> Structure:
    """Which parts of the rubric of the question's kind an answer says.

    A part is said where a stretch of speech holds a fact that the part needs, and is closer to an
    example of the part than to any empty sentence, by the part's bar.

    Args:
        question: what was asked; its beats are parts as well.
        texts: the answer's words as written.
        words: the same with their times; empty for a typed answer.
        sense: the spans of these words, and their vectors.
    """
    rubric = _rubric(question)
    answer = _Spans(texts, sense, rubric)
    parts: list[StructurePart] = []
    gained = total = 0.0
    for compiled in rubric.parts:
        part = compiled.part
        said = best_apart(answer.spans, margins(answer, compiled), part.count, part.bar)
        total += part.weight
        if len(said) == part.count:
            gained += part.weight
            evidence = evidence_of(texts, words, range(*answer.spans[said[0]]))
            parts.append(StructurePart(name=part.name, status="said", evidence=evidence))
        else:
            parts.append(StructurePart(name=part.name, status="missing", ask=part.ask))
    return Structure(kind=question.kind, parts=tuple(parts), score=min(1.0, gained / total))


@by_identity
def _rubric(question: Question) -> Rubric:
    return rubric_of(question.kind, question.beats)


class _Spans:
    """An answer's spans with all that a part is judged by."""

    def __init__(self, texts: Sequence[str], sense: AnswerSense, rubric: Rubric) -> None:
        self.spans = sense.spans
        # This way round in a third of the time: fewer and larger blocks.
        self.closeness = cosines(rubric.vectors, sense.vectors).T
        self.emptiness = self.closeness[:, rubric.empty].max(axis=1)
        self._plain, self._names = plain_words(texts), names_in(texts)
        self._facts: dict[tuple[int, Fact], bool] = {}
        middles = np.array([(start + end) / 2 for start, end in self.spans])
        self.position: Floats = middles / max(len(texts), 1)

    def text(self, at: int) -> str:
        """The plain words of a span."""
        return text_of(self._plain, self.spans[at])

    def has_any(self, at: int, facts: Sequence[Fact]) -> bool:
        """Whether one of the facts is in a span; each is looked for once."""
        return any(self._has(at, fact) for fact in facts)

    def _has(self, at: int, fact: Fact) -> bool:
        known = self._facts.get((at, fact))
        if known is None:
            start, end = self.spans[at]
            named = fact == "name"
            known = any(self._names[start:end]) if named else has_fact(self.text(at), fact)
            self._facts[at, fact] = known
        return known


def margins(answer: _Spans, compiled: CompiledPart) -> Floats:
    """For each span how much closer it is to the part than to emptiness, shape (n,).

    Minus infinity where the span cannot say the part: no fact that it needs, the wrong place, or
    too far off for a cue to help.
    """
    part = compiled.part
    says = answer.closeness[:, compiled.says].max(axis=1)
    empty = answer.closeness[:, compiled.not_].max(axis=1, initial=-1.0)
    closer = says - np.maximum(empty, answer.emptiness)
    able = closer >= part.bar - CUE_WORTH
    if part.where == "opening":
        able &= answer.position <= OPENING_ENDS
    elif part.where == "end":
        able &= answer.position >= END_BEGINS
    found = np.full(len(closer), -np.inf)
    for at in map(int, np.flatnonzero(able)):
        if part.needs and not answer.has_any(at, part.needs):
            continue
        cued = compiled.cues is not None and compiled.cues.search(answer.text(at))
        found[at] = closer[at] + (CUE_WORTH if cued else 0.0)
    return found


def best_apart(spans: Sequence[Span], values: Floats, count: int, bar: float) -> list[int]:
    """The spans with the highest values that share no word and reach the bar, best first."""
    chosen: list[int] = []
    for at in np.argsort(-values, kind="stable"):
        if values[at] < bar or len(chosen) == count:
            break
        start, end = spans[at]
        if all(end <= spans[other][0] or start >= spans[other][1] for other in chosen):
            chosen.append(int(at))
    return chosen
