"""How an answer is built: which parts of its kind's rubric it says, and where."""

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from question_bank.models import Question
from server.contract import Structure, StructurePart, Word, evidence_of
from server.grading.sense.clauses import Span
from server.grading.sense.vectors import AnswerSense
from server.grading.structure.facts import Fact, facts_of, names_in, plain_words, text_of
from server.grading.structure.rubrics import CompiledPart, Rubric, rubric_of

Floats = npt.NDArray[np.float64]

CUE_WORTH: Final = 0.04
"""What a cue adds to the margin; more makes general talk with the right connectives pass."""
OPENING_ENDS: Final = 0.5
END_BEGINS: Final = 0.4
"""Where the middle of a stretch may lie, as a share of the answer: lessons often come before the
last result, and people open with the result, too, but say it again."""


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
    rubric = rubric_of(question.kind, question.beats)
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


class _Spans:
    """An answer's spans with all that a part is judged by."""

    def __init__(self, texts: Sequence[str], sense: AnswerSense, rubric: Rubric) -> None:
        plain, names = plain_words(texts), names_in(texts)
        self.spans = sense.spans
        self.closeness = sense.vectors @ rubric.vectors.T
        self.emptiness = self.closeness[:, rubric.empty].max(axis=1)
        self.texts = [text_of(plain, span) for span in self.spans]
        self.facts: list[frozenset[Fact]] = [
            facts_of(text, has_name=any(names[start:end]))
            for text, (start, end) in zip(self.texts, self.spans, strict=True)
        ]
        middles = np.array([(start + end) / 2 for start, end in self.spans])
        self.position: Floats = middles / max(len(texts), 1)


def margins(answer: _Spans, compiled: CompiledPart) -> Floats:
    """For each span how much closer it is to the part than to emptiness, shape (n,).

    Minus infinity where the span cannot say the part: no fact that it needs, or the wrong place.
    """
    part = compiled.part
    says = answer.closeness[:, compiled.says].max(axis=1)
    empty = answer.closeness[:, compiled.not_].max(axis=1, initial=-1.0)
    empty = np.maximum(empty, answer.emptiness)
    cued = [bool(compiled.cues and compiled.cues.search(text)) for text in answer.texts]
    found: Floats = (says - empty).astype(np.float64) + CUE_WORTH * np.array(cued, np.float64)
    able = np.ones(len(found), bool)
    if part.needs:
        able &= np.array([not facts.isdisjoint(part.needs) for facts in answer.facts], bool)
    if part.where == "opening":
        able &= answer.position <= OPENING_ENDS
    elif part.where == "end":
        able &= answer.position >= END_BEGINS
    found[~able] = -np.inf
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
