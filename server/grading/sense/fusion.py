"""The verdict of the sense layer: how likely an answer says each key phrase in other words.

Two logistic regressions: one over the features of a span, whether the span says the phrase; one
over the spans' scores and the rest of the answer, whether the answer does. Both are fitted by
``scripts/train_sense.py``, cross-validated by question; ``docs/grading.md`` has the figures.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Final

import numpy as np

from question_bank.models import Question
from server.grading.sense.clauses import Span
from server.grading.sense.features import (
    SPAN_FEATURES,
    Floats,
    question_sense,
    shipped_metric,
    span_features,
)
from server.grading.sense.vectors import AnswerSense

WORD_FOR_WORD: Final = 0.9
"""Cosine from which a span is a way of the bank itself, but for a filler or an ending. Of the
development answers no span that does not say a phrase comes closer to one of its ways than 0.84."""
NEAR_MISS: Final = 0.8
"""Cosine from which a span is one of the bank's near misses, where no way is closer."""

PHRASE_FEATURES: Final = (
    "best", "second", "mean5", "others_mean", "others_best", "half_said", "prompt", "prompt_mean",
    "overlap", "way_less_other_metric", "ask",
)  # fmt: skip
"""The best span's score; the best beside it; the five best; the other phrases' best; whether the
words say half of the phrase; and of the best span's features four."""


@dataclass(frozen=True, eq=False)
class Logistic:
    """A logistic regression on standardized features."""

    mean: Floats
    deviation: Floats
    weights: Floats
    bias: float

    def logits(self, features: Floats) -> Floats:
        """Of each row."""
        found: Floats = ((features - self.mean) / self.deviation) @ self.weights + self.bias
        return found

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> "Logistic":
        """What ``to_json`` made."""
        mean, deviation, weights = (
            np.array(stored[name], np.float64) for name in ("mean", "deviation", "weights")
        )
        return cls(mean, deviation, weights, float(stored["bias"]))

    def to_json(self) -> dict[str, Any]:
        """Rounded: six digits are far beyond what the data tells."""
        rows = {"mean": self.mean, "deviation": self.deviation, "weights": self.weights}
        return {
            **{name: [round(float(each), 6) for each in row] for name, row in rows.items()},
            "bias": round(self.bias, 6),
        }


@dataclass(frozen=True, eq=False)
class Fusion:
    """Both regressions, and the probabilities that make a phrase covered or worth asking about."""

    span: Logistic
    phrase: Logistic
    covered_from: float
    possible_from: float


@dataclass(frozen=True)
class Sensed:
    """A span that may say a phrase in other words, and how likely it does.

    ``score``: of the span alone, in logits; the probability also goes by the rest of the answer,
    whose good company must not carry a phrase that no span says. ``lead``: by how much the span's
    score is above that for any other phrase of the question. One stretch of words earns credit for
    one phrase. ``word_for_word``: the span is one of the phrase's ways. ``near_misses``: spans that
    look like the phrase and are something else, as the bank says.
    """

    span: Span
    probability: float
    score: float
    lead: float
    word_for_word: bool
    near_misses: tuple[Span, ...]


@cache
def shipped_fusion() -> Fusion:
    """The fusion that ``scripts/train_sense.py`` wrote."""
    file = resources.files("server.grading.sense").joinpath("data/fusion.json")
    stored = json.loads(file.read_text("utf-8"))
    if tuple(stored["span_features"]) != SPAN_FEATURES:
        raise ValueError("data/fusion.json was trained on other features: train it again")
    return Fusion(
        Logistic.from_json(stored["span"]),
        Logistic.from_json(stored["phrase"]),
        float(stored["covered_from"]),
        float(stored["possible_from"]),
    )


def sense_phrases(
    question: Question, answer: AnswerSense, words: Sequence[str], half_said: Sequence[bool]
) -> list[Sensed | None]:
    """For each key phrase of a question the span that most likely says it; ``None`` without words.

    Args:
        question: the question.
        answer: the answer's spans and vectors.
        words: the answer's words.
        half_said: for each phrase whether the answer's words say half of it.
    """
    if not answer.spans:
        return [None] * len(question.key_phrases)
    fusion = shipped_fusion()
    features = span_features(question_sense(question), answer, words, shipped_metric())
    logits = [fusion.span.logits(each) for each in features]
    rows = phrase_features(logits, features, answer.spans, half_said)
    chances = 1.0 / (1.0 + np.exp(-fusion.phrase.logits(rows)))
    scores = np.array(logits)
    ways, misses = (
        np.array([each[:, SPAN_FEATURES.index(name)] for each in features])
        for name in ("way", "near_miss")
    )
    found: list[Sensed | None] = []
    for at, chance in enumerate(chances):
        top = int(ways[at].argmax())
        rival_way = np.delete(ways[:, top], at).max(initial=-1.0)
        word_for_word = bool(ways[at, top] >= WORD_FOR_WORD and ways[at, top] > rival_way)
        if not word_for_word:
            top = int(scores[at].argmax())
        rivals = np.delete(scores[:, top], at)
        score = float(scores[at, top])
        lead = score - float(rivals.max()) if len(rivals) else np.inf
        probability = round(float(ways[at, top] if word_for_word else chance), 3)
        missed = (misses[at] >= NEAR_MISS) & (misses[at] > ways[at])
        near_misses = tuple(answer.spans[number] for number in np.flatnonzero(missed))
        found.append(
            Sensed(answer.spans[top], probability, score, lead, word_for_word, near_misses)
        )
    return found


def phrase_features(
    logits: Sequence[Floats],
    features: Sequence[Floats],
    spans: Sequence[Span],
    half_said: Sequence[bool],
) -> Floats:
    """The features of each phrase over the whole answer, shape (phrases, features)."""
    best = np.array([each.max() for each in logits])
    starts, ends = np.array(spans).T
    named = {name: SPAN_FEATURES.index(name) for name in SPAN_FEATURES}
    rows = []
    for at, (own, columns) in enumerate(zip(logits, features, strict=True)):
        top = int(own.argmax())
        apart = own[(ends <= starts[top]) | (starts >= ends[top])]
        others = np.delete(best, at)
        rows.append(
            (
                best[at],
                apart.max() if len(apart) else own.min(),
                np.sort(own)[-5:].mean(),
                others.mean() if len(others) else best[at],
                others.max() if len(others) else best[at],
                float(half_said[at]),
                columns[top, named["prompt"]],
                columns[:, named["prompt"]].mean(),
                columns[top, named["overlap"]],
                columns[top, named["way_less_other_metric"]],
                columns[top, named["ask"]],
            )
        )
    return np.array(rows, np.float64)
