"""What speaks for and against a span of an answer saying a key phrase, as numbers."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import Final

import numpy as np
import numpy.typing as npt

from question_bank.models import KeyPhrase, Question
from server.grading.sense.encoder import Vectors, cosines
from server.grading.sense.vectors import AnswerSense, background, vectors_of

Floats = npt.NDArray[np.float64]

SPAN_FEATURES: Final = (
    "way", "ways3", "name", "why", "ask", "model", "near_miss", "other", "prompt",
    "way_metric", "ways3_metric", "name_metric", "why_metric", "near_miss_metric",
    "other_metric", "center_metric", "way_z", "overlap", "length",
    "way_less_other", "way_less_near_miss", "way_less_prompt", "way_less_other_metric",
)  # fmt: skip
"""Cosines with what the bank says, as they are and in the metric; see ``span_features``."""

_KINDS: Final = ("names", "ways", "why", "ask", "near_misses", "model")
"""The sentences of a phrase, in the order of a question's vectors."""
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

    ``way_norm``: mean and deviation of the closest background spans. A general sentence is close to
    everything, a special one to nothing; z-norm in speaker verification does the same
    (Auckenthaler et al. 2000).
    """

    names: slice
    ways: slice
    why: slice
    ask: slice
    near_misses: slice
    model: slice
    way_norm: tuple[float, float]
    way_words: Floats
    """(ways, words of the question's ways), each row of length 1."""


@dataclass(frozen=True, eq=False)
class QuestionSense:
    """All phrases of a question, and the words of its ways by number.

    ``vectors`` (n, 384): every sentence of the question, so that an answer is compared with all of
    them at once; the last one is the prompt.
    """

    phrases: tuple[PhraseSense, ...]
    vectors: Vectors
    words: dict[str, int]


@lru_cache(maxsize=1024)
def question_sense(question: Question) -> QuestionSense:
    """The vectors of a question; made once."""
    stems = [
        [_content(map(_stem, way.split())) for way in _ways(phrase)]
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
        PhraseSense(
            **group, way_norm=_norm(vectors[group["ways"]]), way_words=_word_rows(own, words)
        )
        for group, own in zip(groups, stems, strict=True)
    )
    return QuestionSense(phrases, vectors, words)


@lru_cache(maxsize=1024)
def _in_metric(question: QuestionSense, metric: Metric) -> tuple[Vectors, Vectors]:
    """A question's vectors in the metric, and the center of each phrase's ways (phrases, n)."""
    vectors = metric.of(question.vectors)
    centers = np.stack([vectors[phrase.ways].mean(axis=0) for phrase in question.phrases])
    centers /= np.maximum(np.linalg.norm(centers, axis=1, keepdims=True), 1e-9)
    return vectors, centers


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
    near = cosines(question.vectors, answer.vectors)
    in_metric = metric.of(answer.vectors)
    question_in_metric, centers = _in_metric(question, metric)
    near_in_metric = cosines(question_in_metric, in_metric)
    to_centers = cosines(centers, in_metric)
    prompt = near[-1]
    stems = [_stem(word) for word in words]
    said = _word_rows([_content(stems[start:end]) for start, end in answer.spans], question.words)
    length = np.log([end - start for start, end in answer.spans])
    best, best_metric = _best_of_kinds(near, question), _best_of_kinds(near_in_metric, question)
    way, way_metric = best["ways"], best_metric["ways"]
    others, others_metric = _closest_others(way), _closest_others(way_metric)
    found = []
    for at, phrase in enumerate(question.phrases):
        own, own_metric = way[at], way_metric[at]
        other, other_metric = others[at], others_metric[at]
        near_miss = best["near_misses"][at]
        mean, deviation = phrase.way_norm
        columns = (
            own,
            _best_three(near[phrase.ways]),
            best["names"][at],
            best["why"][at],
            best["ask"][at],
            best["model"][at],
            near_miss,
            other,
            prompt,
            own_metric,
            _best_three(near_in_metric[phrase.ways]),
            best_metric["names"][at],
            best_metric["why"][at],
            best_metric["near_misses"][at],
            other_metric,
            to_centers[at],
            (own - mean) / deviation,
            (said @ phrase.way_words.T).max(axis=1, initial=0.0),
            length,
            own - other,
            own - near_miss,
            own - prompt,
            own_metric - other_metric,
        )
        found.append(np.stack(columns, axis=1, dtype=np.float64))
    return found


def _groups(phrase: KeyPhrase, model_answer: str, sentences: list[str]) -> dict[str, slice]:
    """Adds the sentences of a phrase to its question's; where each kind of them stands."""
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
    closest = np.sort((background() @ ways.T).max(axis=1))[-_CLOSEST:]
    return float(closest.mean()), max(float(closest.std()), 0.02)


def _best_of_kinds(near: Vectors, question: QuestionSense) -> dict[str, Vectors]:
    """By kind of sentence: for each phrase and span the closest of its sentences; 0 without any.

    The sentences of a question stand in the order of its phrases and of ``_KINDS``, then the
    prompt, so that one pass over all of them does.
    """
    groups: list[slice] = [getattr(each, kind) for each in question.phrases for kind in _KINDS]
    starts = [*(group.start for group in groups), len(near) - 1]
    best = np.maximum.reduceat(near, starts, axis=0)[:-1]
    best[[group.start == group.stop for group in groups]] = 0.0
    return {kind: best[at :: len(_KINDS)] for at, kind in enumerate(_KINDS)}


def _best_three(near: Vectors) -> Vectors:
    """For each span the mean cosine with the three closest sentences."""
    best: Vectors = np.sort(near, axis=0)[-3:].mean(axis=0)
    return best


def _closest_others(ways: Vectors) -> Vectors:
    """For each phrase and span the closest of the other phrases; 0 without others."""
    if len(ways) < 2:
        return np.zeros_like(ways)
    second, first = np.sort(ways, axis=0)[-2:]
    closest: Vectors = np.where(ways == first, second, first)
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
