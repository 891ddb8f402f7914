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
from server.grading.structure.rubrics import Rubric, rubric_of

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
    for compiled, own in zip(rubric.parts, margins(answer, rubric), strict=True):
        part = compiled.part
        said = best_apart(answer.spans, own, part.count, part.bar)
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
    """An answer's spans with all that a part is judged by.

    ``closer``: how much closer each span is to each part than to what is empty, shape
    (parts, spans).
    """

    def __init__(self, texts: Sequence[str], sense: AnswerSense, rubric: Rubric) -> None:
        self.spans = sense.spans
        # This way round in a third of the time: fewer and larger blocks.
        near = cosines(rubric.vectors, sense.vectors)
        best = np.full((2 * len(rubric.parts) + 1, len(self.spans)), -1.0, np.float32)
        best[rubric.groups] = np.maximum.reduceat(near, rubric.starts, axis=0)
        empty, says, alike = best[0], best[1::2], best[2::2]
        self.closer = says - np.maximum(alike, empty)
        self._plain, self._names = plain_words(texts), names_in(texts)
        self._facts: dict[tuple[int, Fact], bool] = {}
        middles = np.array([(start + end) / 2 for start, end in self.spans])
        self.position: Floats = middles / max(len(texts), 1)
        self._texts: dict[int, str] = {}

    def text(self, at: int) -> str:
        """The plain words of a span; joined once, however many parts ask for them."""
        text = self._texts.get(at)
        if text is None:
            text = self._texts[at] = text_of(self._plain, self.spans[at])
        return text

    def has_any(self, at: int, facts: Sequence[Fact]) -> bool:
        """Whether one of the facts is in a span; each is looked for once."""
        known = self._facts
        for fact in facts:
            has = known.get((at, fact))
            if has is None:
                has = known[at, fact] = self._has(at, fact)
            if has:
                return True
        return False

    def _has(self, at: int, fact: Fact) -> bool:
        start, end = self.spans[at]
        return any(self._names[start:end]) if fact == "name" else has_fact(self.text(at), fact)


def margins(answer: _Spans, rubric: Rubric) -> Floats:
    """For each part and span how much closer it is to the part than to emptiness.

    Minus infinity where the span cannot say the part: no fact that it needs, the wrong place, or
    too far off for a cue to help. Shape (parts, spans).
    """
    able = answer.closer >= rubric.bars[:, None]
    for compiled, own in zip(rubric.parts, able, strict=True):
        if compiled.part.where == "opening":
            own &= answer.position <= OPENING_ENDS
        elif compiled.part.where == "end":
            own &= answer.position >= END_BEGINS
    found = np.full(able.shape, -np.inf)
    cued = answer.closer + CUE_WORTH
    for number, at in np.argwhere(able).tolist():
        compiled = rubric.parts[number]
        if compiled.part.needs and not answer.has_any(at, compiled.part.needs):
            continue
        has_cue = compiled.cues is not None and compiled.cues.search(answer.text(at))
        found[number, at] = (cued if has_cue else answer.closer)[number, at]
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
