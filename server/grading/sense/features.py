"""Features for and against a span of an answer saying a key phrase."""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from question_bank.models import KeyPhrase, Question
from server.grading.lexis.words import by_word
from server.grading.sense.caching import by_identity
from server.grading.sense.encoder import Vectors, cosines
from server.grading.sense.logistic import Floats
from server.grading.sense.vectors import AnswerSense, background, vectors_of

SPAN_FEATURES: Final = (
    "way", "ways3", "name", "why", "ask", "model", "near_miss", "other", "prompt",
    "way_metric", "ways3_metric", "name_metric", "why_metric", "near_miss_metric",
    "other_metric", "center_metric", "way_z", "overlap", "length",
    "way_less_other", "way_less_near_miss", "way_less_prompt", "way_less_other_metric",
)  # fmt: skip
"""Mostly cosines with what the bank says, as such and in the metric; see ``span_features``."""

_KINDS: Final = ("names", "ways", "why", "ask", "near_misses", "model")
"""The sentences of a phrase, in the order of a question's vectors."""
_CLOSEST: Final = 240
"""A phrase is normalized by this many of the background's spans, the closest ones."""


@dataclass(frozen=True, eq=False)
class Metric:
    """A projection in which the ways of one phrase are close together and far from those of others.

    Linear discriminant analysis over the ways of the built-in bank, as PLDA does for speakers
    (Ioffe 2006): ``center`` (384,), ``projection`` (384, n).
    """

    center: Vectors
    projection: Vectors

    def of(self, vectors: Vectors) -> Vectors:
        """Unit vectors in the metric."""
        moved = cosines(vectors - self.center, self.projection.T)
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
    """What the bank says about a phrase, as rows of its question's vectors.

    ``way_norm``: mean and deviation of the closest background spans. It corrects for general
        sentences, which are close to everything, and special ones, which are close to nothing, like
        z-norm in speaker verification (Auckenthaler et al. 2000).
    """

    names: slice
    ways: slice
    why: slice
    ask: slice
    near_misses: slice
    model: slice
    way_norm: tuple[float, float]


@dataclass(frozen=True, eq=False)
class QuestionSense:
    """All phrases of a question, and the words of its ways by number.

    Each kind of data is one array, so that an answer is compared with all of it at once.

    Attributes:
        phrases: in the question's order.
        vectors: (n, 384), every sentence of the question; the last one is the prompt.
        words: the number of each word in the ways.
        way_words: (ways, words), float32, each row of length 1.
        way_starts: the first of each phrase's ways among ``way_words``.
        way_rows: (phrases, most ways of a phrase), the ways among ``vectors``; -1 where a phrase
            has fewer.
        way_norms: (phrases, 2), all ``way_norm``.
        kind_starts: where the sentences of each phrase and kind begin among ``vectors``, and the
            prompt.
        kind_empty: which of these are empty.
    """

    phrases: tuple[PhraseSense, ...]
    vectors: Vectors
    words: dict[str, int]
    way_words: Vectors
    way_starts: list[int]
    way_rows: npt.NDArray[np.int64]
    way_norms: Floats
    kind_starts: npt.NDArray[np.int64]
    kind_empty: npt.NDArray[np.bool_]


@by_identity
@lru_cache(maxsize=1024)
def question_sense(question: Question) -> QuestionSense:
    """The vectors of a question, computed once."""
    stems = [
        [_content(map(stem, way.split())) for way in _ways(phrase)]
        for phrase in question.key_phrases
    ]
    words = {
        word: number
        for number, word in enumerate(sorted({w for ways in stems for way in ways for w in way}))
    }
    sentences: list[str] = []
    groups = [_groups(phrase, question.model_answer, sentences) for phrase in question.key_phrases]
    vectors = vectors_of([*sentences, question.prompt])
    phrases = tuple(
        PhraseSense(**group, way_norm=_norm(vectors[group["ways"]])) for group in groups
    )
    counts = [len(own) for own in stems]
    rows = np.full((len(phrases), max(counts)), -1)
    for row, phrase, count in zip(rows, phrases, counts, strict=True):
        row[:count] = np.arange(phrase.ways.start, phrase.ways.stop)
    kinds = [getattr(each, kind) for each in phrases for kind in _KINDS]
    return QuestionSense(
        phrases,
        vectors,
        words,
        way_words=_word_rows([way for own in stems for way in own], words),
        way_starts=[sum(counts[:at]) for at in range(len(counts))],
        way_rows=rows,
        way_norms=np.array([phrase.way_norm for phrase in phrases]),
        kind_starts=np.array([*(kind.start for kind in kinds), len(vectors) - 1]),
        kind_empty=np.array([kind.start == kind.stop for kind in kinds]),
    )


@lru_cache(maxsize=1024)
def _in_metric(question: QuestionSense, metric: Metric) -> tuple[Vectors, Vectors]:
    """A question's vectors in the metric, and the center of each phrase's ways (phrases, n)."""
    vectors = metric.of(question.vectors)
    centers = np.stack([vectors[phrase.ways].mean(axis=0) for phrase in question.phrases])
    centers /= np.maximum(np.linalg.norm(centers, axis=1, keepdims=True), 1e-9)
    return vectors, centers


def sentences_of(question: Question) -> list[str]:
    """Every sentence of a question that needs a vector."""
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
    question: QuestionSense,
    answer: AnswerSense,
    words: Sequence[str],
    metric: Metric,
    near: Vectors | None = None,
) -> Floats:
    """The features of every span for each phrase, shape (phrases, spans, features).

    Args:
        question: what the bank says.
        answer: the answer's spans and vectors.
        words: those of the answer.
        metric: of ``shipped_metric``.
        near: the cosine of each of the question's sentences with each span, if it is known.
    """
    question_in_metric, centers = _in_metric(question, metric)
    in_metric = metric.of(answer.vectors)
    if near is None:
        near = cosines(question.vectors, answer.vectors)
    near_in_metric = cosines(question_in_metric, in_metric)
    # side by side, because each step takes hardly longer for both
    both = np.concatenate((near, near_in_metric), axis=1)
    count = len(answer.spans)
    best_of_both = best_of_kinds(both, question)
    best = {kind: each[:, :count] for kind, each in best_of_both.items()}
    best_metric = {kind: each[:, count:] for kind, each in best_of_both.items()}
    ways3 = best_three(both, question.way_rows)
    way, way_metric = best["ways"], best_metric["ways"]
    other, other_metric = (best_of_others(each, alone=0.0) for each in (way, way_metric))
    mean, deviation = question.way_norms.T[:, :, None]
    prompt = near[-1]
    starts, ends = answer.edges
    columns = (
        way,
        ways3[:, :count],
        best["names"],
        best["why"],
        best["ask"],
        best["model"],
        best["near_misses"],
        other,
        prompt,
        way_metric,
        ways3[:, count:],
        best_metric["names"],
        best_metric["why"],
        best_metric["near_misses"],
        other_metric,
        cosines(centers, in_metric),
        (way - mean) / deviation,
        _overlap(question, answer, words),
        np.log(ends - starts),
        way - other,
        way - best["near_misses"],
        way - prompt,
        way_metric - other_metric,
    )
    return table_of(columns, way.shape)


def table_of(columns: Sequence[npt.ArrayLike], shape: tuple[int, ...]) -> Floats:
    """The columns as the last axis of one array; each is broadcast to ``shape``.

    Each column is in one piece of memory, which is several times faster to write and to read.
    """
    found = np.empty((len(columns), *shape))
    for at, column in enumerate(columns):
        found[at] = column
    return np.moveaxis(found, 0, -1)


def _groups(phrase: KeyPhrase, model_answer: str, sentences: list[str]) -> dict[str, slice]:
    """Adds the sentences of a phrase to its question's; returns the rows of each kind."""
    groups = {}
    kinds = (
        _names(phrase),
        _ways(phrase),
        _texts(phrase.why),
        _texts(phrase.follow_up),
        phrase.not_,
        _model_sentences(phrase, model_answer),
    )
    for name, added in zip(_KINDS, kinds, strict=True):
        groups[name] = slice(len(sentences), len(sentences) + len(added))
        sentences += added
    return groups


def _norm(ways: Vectors) -> tuple[float, float]:
    closest = np.sort(cosines(background(), ways).max(axis=1))[-_CLOSEST:]
    return float(closest.mean()), max(float(closest.std()), 0.02)


def best_of_kinds(near: Vectors, question: QuestionSense) -> dict[str, Vectors]:
    """By kind of sentence: the cosine of each phrase's closest one with each span; 0 without any.

    The sentences of a question are in the order of its phrases and ``_KINDS``, then the prompt, so
    that one pass over all of them is enough.
    """
    best = np.maximum.reduceat(near, question.kind_starts, axis=0)[:-1]
    best[question.kind_empty] = 0.0
    return {kind: best[at :: len(_KINDS)] for at, kind in enumerate(_KINDS)}


def best_three(near: Vectors, rows: npt.NDArray[np.int64]) -> Vectors:
    """The mean cosine with the three closest sentences of each group, shape (groups, spans).

    Args:
        near: cosines of each sentence with each span, shape (sentences, spans).
        rows: the sentences of each group, shape (groups, largest group); -1 where a group has
            fewer.
    """
    none = rows < 0
    groups = near[rows]
    groups[none] = -np.inf
    groups.sort(axis=1)
    best = groups[:, -3:]
    best[best == -np.inf] = 0.0
    counts = np.minimum((~none).sum(axis=1), 3)
    mean: Vectors = best.sum(axis=1) / counts[:, None].astype(np.float32)
    return mean


def best_of_others(values: npt.NDArray[Any], *, alone: float) -> npt.NDArray[Any]:
    """For each row and column, the highest value in the other rows; ``alone`` without others."""
    if len(values) < 2:
        return np.full_like(values, alone)
    second, first = np.sort(values, axis=0)[-2:]
    best: npt.NDArray[Any] = np.where(values == first, second, first)
    return best


def _overlap(question: QuestionSense, answer: AnswerSense, words: Sequence[str]) -> Vectors:
    """For each phrase and span, the largest share of words that the span shares with a way.

    The cosine of both as sets of stems, shape (phrases, spans).
    """
    places: list[int] = []  # of content words
    before: list[int] = []  # where each was last said
    known: list[int] = []  # its number among the words of the ways, and -1 for others
    last: dict[str, int] = {}
    for place, stemmed in enumerate(map(stem, words)):
        if stemmed not in COMMON_WORDS:
            places.append(place)
            before.append(last.get(stemmed, -1))
            known.append(question.words.get(stemmed, -1))
            last[stemmed] = place
    starts, ends = answer.edges[:, :, None]
    at = np.array(places, np.int64)
    new = (at >= starts) & (at < ends) & (np.array(before, np.int64) < starts)
    numbers = np.array(known, np.int64)
    shared = cosines(
        question.way_words[:, numbers[numbers >= 0]], new[:, numbers >= 0].astype(np.float32)
    )
    best = np.maximum.reduceat(shared, question.way_starts, axis=0)
    share: Vectors = best / np.sqrt(np.maximum(new.sum(axis=1), 1)).astype(np.float32)
    return share


def _names(phrase: KeyPhrase) -> list[str]:
    return [phrase.phrase, *phrase.aliases, *phrase.any_of]


def _ways(phrase: KeyPhrase) -> list[str]:
    """The ways; in a bank without ways, the reason or else the phrase itself."""
    return list(phrase.ways) or _texts(phrase.why) or [phrase.phrase]


def _texts(text: str) -> list[str]:
    return [text] if text.strip() else []


def _model_sentences(phrase: KeyPhrase, model_answer: str) -> list[str]:
    names = [name.casefold() for name in _names(phrase)]
    sentences = re.split(r"(?<=[.?!])\s+", model_answer)
    return [each for each in sentences if any(name in each.casefold() for name in names)][:2]


_SUFFIX: Final = re.compile(r"(ing|ed|es|s|ly|er|ers|ion|ions)$")
COMMON_WORDS: Final = frozenset(
    re.findall(
        r"\S+",
        """a an the and or but so if then than that this these those it its is are was were be been
        to of in on at by for with from as i we you they he she my our your their me us them do does
        did not no don't have has had will would can could should just also very really um uh like
        what when which who how there here up out about into over one two get got""",
    )
) | {""}


def _content(stems: Iterable[str]) -> frozenset[str]:
    return frozenset(stems) - COMMON_WORDS


@by_word
def stem(word: str) -> str:
    """A word without the most common endings, so that its forms are equal."""
    bare = re.sub(r"[^a-z0-9]", "", word.casefold())
    return _SUFFIX.sub("", bare) if len(bare) > 5 else bare


def _word_rows(texts: Sequence[frozenset[str]], numbers: dict[str, int]) -> Vectors:
    """Each text as a row over the numbered words, of length 1 over all its words."""
    rows = np.zeros((len(texts), len(numbers)), np.float32)
    places: list[int] = []
    values: list[float] = []
    known = numbers.keys()
    for row, text in enumerate(texts):
        own = text & known
        places += [row * len(numbers) + numbers[word] for word in own]
        values += [1.0 / math.sqrt(max(len(text), 1))] * len(own)
    rows.ravel()[places] = values
    return rows
