"""What speaks for and against a span of an answer saying a key phrase, as numbers."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import Final

import numpy as np
import numpy.typing as npt

from question_bank.models import KeyPhrase, Question
from server.grading.sense.encoder import Vectors
from server.grading.sense.vectors import AnswerSense, background, vectors_of

Floats = npt.NDArray[np.float64]

SPAN_FEATURES: Final = (
    "way", "ways3", "name", "why", "ask", "model", "near_miss", "other", "prompt",
    "way_metric", "ways3_metric", "name_metric", "why_metric", "near_miss_metric",
    "other_metric", "center_metric", "way_z", "overlap", "length",
    "way_less_other", "way_less_near_miss", "way_less_prompt", "way_less_other_metric",
)  # fmt: skip
"""Cosines with what the bank says, as they are and in the metric; see ``span_features``."""

_CLOSEST: Final = 240
"""Of the background's spans so many, the closest, are what a phrase is normalized by."""


@dataclass(frozen=True, eq=False)
class Metric:
    """A projection in which ways of one phrase lie close together and those of others far apart.

    Linear discriminant analysis over the ways of the built-in bank, as PLDA does for speakers
    (Ioffe 2006): ``center`` (384,), ``projection`` (384, n).
    """

    center: Vectors
    projection: Vectors

    def of(self, vectors: Vectors) -> Vectors:
        """Unit vectors in the metric."""
        moved = (vectors - self.center) @ self.projection
        unit: Vectors = moved / np.maximum(np.linalg.norm(moved, axis=1, keepdims=True), 1e-9)
        return unit


@cache
def shipped_metric() -> Metric:
    """The metric that ``scripts/train_sense.py`` wrote."""
    file = resources.files("server.grading.sense").joinpath("data/metric.npz")
    with file.open("rb") as opened, np.load(opened) as loaded:
        return Metric(loaded["center"].astype(np.float32), loaded["projection"].astype(np.float32))


@dataclass(frozen=True, eq=False)
class PhraseSense:
    """What the bank says about a phrase, as vectors.

    ``way_norm``: mean and deviation of the closest background spans. A general sentence is close to
    everything, a special one to nothing; z-norm in speaker verification does the same
    (Auckenthaler et al. 2000).
    """

    names: Vectors
    ways: Vectors
    why: Vectors
    ask: Vectors
    near_misses: Vectors
    model: Vectors
    way_norm: tuple[float, float]
    way_words: Floats
    """(ways, words of the question's ways), each row of length 1."""


@dataclass(frozen=True, eq=False)
class QuestionSense:
    """All phrases of a question, its prompt, and the words of its ways by number."""

    phrases: tuple[PhraseSense, ...]
    prompt: Vectors
    words: dict[str, int]


@lru_cache(maxsize=1024)
def question_sense(question: Question) -> QuestionSense:
    """The vectors of a question; made once."""
    stems = [[_stems(way.split()) for way in _ways(phrase)] for phrase in question.key_phrases]
    words = {
        word: number
        for number, word in enumerate(sorted({w for ways in stems for way in ways for w in way}))
    }
    phrases = tuple(
        _phrase_sense(phrase, question.model_answer, _word_rows(own, words))
        for phrase, own in zip(question.key_phrases, stems, strict=True)
    )
    return QuestionSense(phrases, vectors_of([question.prompt]), words)


def sentences_of(question: Question) -> list[str]:
    """Every sentence of a question whose vector is needed."""
    found = [question.prompt]
    for phrase in question.key_phrases:
        found += [
            *_names(phrase),
            *_ways(phrase),
            *_texts(phrase.why),
            *_texts(phrase.follow_up),
            *phrase.not_,
            *_model_sentences(phrase, question.model_answer),
        ]
    for beat in question.beats:
        found += [*beat.ways, beat.ask]
    return found


def span_features(
    question: QuestionSense, answer: AnswerSense, words: Sequence[str], metric: Metric
) -> list[Floats]:
    """For each phrase of the question the features of every span, shape (spans, features)."""
    spans = answer.vectors
    in_metric = metric.of(spans)
    prompt = _best(spans, question.prompt)
    said = _word_rows([_stems(words[start:end]) for start, end in answer.spans], question.words)
    length = np.log([end - start for start, end in answer.spans])
    ways_metric = [metric.of(phrase.ways) for phrase in question.phrases]
    way = np.stack([_best(spans, phrase.ways) for phrase in question.phrases], axis=1)
    way_metric = np.stack([_best(in_metric, ways) for ways in ways_metric], axis=1)
    found = []
    for at, phrase in enumerate(question.phrases):
        own, own_metric = way[:, at], way_metric[:, at]
        other, other_metric = _closest_other(way, at), _closest_other(way_metric, at)
        near_miss = _best(spans, phrase.near_misses)
        center = ways_metric[at].mean(axis=0, keepdims=True)
        center /= np.maximum(np.linalg.norm(center), 1e-9)
        mean, deviation = phrase.way_norm
        columns = (
            own,
            _best(spans, phrase.ways, 3),
            _best(spans, phrase.names),
            _best(spans, phrase.why),
            _best(spans, phrase.ask),
            _best(spans, phrase.model),
            near_miss,
            other,
            prompt,
            own_metric,
            _best(in_metric, ways_metric[at], 3),
            _best(in_metric, metric.of(phrase.names)),
            _best(in_metric, metric.of(phrase.why)),
            _best(in_metric, metric.of(phrase.near_misses)),
            other_metric,
            _best(in_metric, center),
            (own - mean) / deviation,
            (said @ phrase.way_words.T).max(axis=1, initial=0.0),
            length,
            own - other,
            own - near_miss,
            own - prompt,
            own_metric - other_metric,
        )
        found.append(np.stack(columns, axis=1))
    return found


def _phrase_sense(phrase: KeyPhrase, model_answer: str, way_words: Floats) -> PhraseSense:
    ways = vectors_of(_ways(phrase))
    return PhraseSense(
        names=vectors_of(_names(phrase)),
        ways=ways,
        why=vectors_of(_texts(phrase.why)),
        ask=vectors_of(_texts(phrase.follow_up)),
        near_misses=vectors_of(phrase.not_),
        model=vectors_of(_model_sentences(phrase, model_answer)),
        way_norm=_norm(ways),
        way_words=way_words,
    )


def _norm(ways: Vectors) -> tuple[float, float]:
    closest = np.sort((background() @ ways.T).max(axis=1))[-_CLOSEST:]
    return float(closest.mean()), max(float(closest.std()), 0.02)


def _best(spans: Vectors, sentences: Vectors, of: int = 1) -> Floats:
    """For each span the mean cosine with its ``of`` closest sentences; 0 without sentences."""
    if not len(sentences):
        return np.zeros(len(spans))
    cosines = spans @ sentences.T
    best: Floats
    if of == 1:
        best = cosines.max(axis=1).astype(np.float64)
    else:
        best = np.sort(cosines, axis=1)[:, -of:].mean(axis=1, dtype=np.float64)
    return best


def _closest_other(ways: Floats, at: int) -> Floats:
    others = np.delete(ways, at, axis=1)
    closest: Floats = others.max(axis=1) if others.shape[1] else np.zeros(len(ways))
    return closest


def _names(phrase: KeyPhrase) -> list[str]:
    return [phrase.phrase, *phrase.aliases, *phrase.any_of]


def _ways(phrase: KeyPhrase) -> list[str]:
    """The ways; for a bank without them the reason, or the phrase itself, stands in."""
    return list(phrase.ways) or _texts(phrase.why) or [phrase.phrase]


def _texts(text: str) -> list[str]:
    return [text] if text.strip() else []


def _model_sentences(phrase: KeyPhrase, model_answer: str) -> list[str]:
    names = [name.casefold() for name in _names(phrase)]
    sentences = re.split(r"(?<=[.?!])\s+", model_answer)
    return [each for each in sentences if any(name in each.casefold() for name in names)][:2]


_SUFFIX: Final = re.compile(r"(ing|ed|es|s|ly|er|ers|ion|ions)$")
_COMMON: Final = frozenset(
    re.findall(
        r"\S+",
        """a an the and or but so if then than that this these those it its is are was were be been
        to of in on at by for with from as i we you they he she my our your their me us them do does
        did not no don't have has had will would can could should just also very really um uh like
        what when which who how there here up out about into over one two get got""",
    )
) | {""}


def _stems(words: Sequence[str]) -> frozenset[str]:
    return frozenset(map(_stem, words)) - _COMMON


@lru_cache(maxsize=65536)
def _stem(word: str) -> str:
    bare = re.sub(r"[^a-z0-9]", "", word.casefold())
    return _SUFFIX.sub("", bare) if len(bare) > 5 else bare


def _word_rows(texts: Sequence[frozenset[str]], numbers: dict[str, int]) -> Floats:
    """Each text as a row over the numbered words, of length 1 over all its words."""
    rows = np.zeros((len(texts), len(numbers)))
    for row, text in zip(rows, texts, strict=True):
        known = [numbers[word] for word in text if word in numbers]
        row[known] = 1.0 / np.sqrt(max(len(text), 1))
    return rows
