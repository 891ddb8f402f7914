"""How an answer is built: which parts of its kind's rubric it says, and where."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

import numpy as np

from question_bank.models import Kind, Question
from server.contract import Structure, StructurePart, Word, evidence_of
from server.grading.sense.caching import by_identity
from server.grading.sense.clauses import MAX_WORDS, Span
from server.grading.sense.encoder import cosines
from server.grading.sense.features import Floats
from server.grading.sense.thresholds import BEAT_BAR
from server.grading.sense.vectors import AnswerSense
from server.grading.structure.features import SpanFacts, part_features
from server.grading.structure.rubrics import KINDS, Rubric, rubric_of


@dataclass(frozen=True, eq=False)
class PartWeights:
    """A logistic regression for each part of a kind, cut off at a logit of 0.

    Attributes:
        weights: shape (parts, features), of features as they are.
        biases: shape (parts,).
    """

    weights: Floats
    biases: Floats


@cache
def shipped_weights() -> dict[Kind, PartWeights]:
    """The regressions that ``scripts/train_structure.py`` wrote."""
    file = resources.files("server.grading.structure").joinpath("data/weights.npz")
    with file.open("rb") as opened, np.load(opened) as loaded:
        return {
            kind: PartWeights(
                loaded[f"{kind}_weights"].astype(np.float64),
                loaded[f"{kind}_biases"].astype(np.float64),
            )
            for kind in KINDS
        }


def judge_structure(
    question: Question, texts: Sequence[str], words: Sequence[Word], sense: AnswerSense
) -> Structure:
    """Which parts of the rubric of the question's kind an answer says.

    A part is said where a stretch of speech holds a fact that the part needs and a regression over
    its sense, its facts and its place says so; a beat of the question where the stretch is closer
    to one of its ways than to any empty sentence. Where fewer stretches say a part than make up
    all of it ("own actions": two), it counts in proportion.

    Args:
        question: what was asked; its beats are parts as well.
        texts: the answer's words as written.
        words: the same with their times; empty for a typed answer.
        sense: the spans of these words, and their vectors.
    """
    rubric = _rubric(question)
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
            parts.append(StructurePart(name=part.name, status="said", evidence=evidence))
        else:
            parts.append(StructurePart(name=part.name, status="missing", ask=part.ask))
    return Structure(kind=question.kind, parts=tuple(parts), score=min(1.0, gained / total))


@by_identity
def _rubric(question: Question) -> Rubric:
    return rubric_of(question.kind, question.beats)


def part_logits(kind: Kind, rubric: Rubric, texts: Sequence[str], sense: AnswerSense) -> Floats:
    """For each part how surely each span says it, shape (parts, spans); it does from 0 on.

    Minus infinity where the span has no fact that the part needs. For a beat the cosine above its
    bar.
    """
    found = np.full((len(rubric.parts), len(sense.spans)), -np.inf)
    if not sense.spans:
        return found
    # This way round in a third of the time: fewer and larger blocks.
    near = cosines(rubric.vectors, sense.vectors)
    facts = SpanFacts(texts, sense, rubric)
    features = part_features(texts, sense, rubric, near, facts)
    fitted = shipped_weights()[kind]
    found[: rubric.own_from] = features.logits(fitted.weights) + fitted.biases[:, None]
    if len(rubric.parts) > rubric.own_from:
        closest = rubric.closest(near)
        found[rubric.own_from :] = (
            closest[rubric.says_at[rubric.own_from :]] - closest[0] - BEAT_BAR
        )
    found[~facts.may_say(rubric)] = -np.inf
    return found


def passages(spans: Sequence[Span], values: Floats) -> int:
    """How many spans with a value from 0 on share no word, at most.

    One that is longer than a clause may be is two: people say several things in one sentence.
    """
    count = reached = 0
    good = [spans[at] for at in np.flatnonzero(values >= 0.0).tolist()]
    for start, end in sorted(good, key=lambda span: span[1]):
        if start >= reached:
            count, reached = count + 1, end
    return max(count, 2) if any(end - start > MAX_WORDS for start, end in good) else count
