"""What speaks for and against an answer saying a key phrase in other words, as numbers."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from question_bank.models import KeyPhrase, Question
from server.grading.sense.clauses import Span
from server.grading.sense.encoder import Vectors
from server.grading.sense.vectors import AnswerSense, background, vectors_of

Floats = npt.NDArray[np.float64]

NAMES: Final = (
    "way", "ways3", "name", "why", "ask", "model", "near_miss", "other", "prompt",
    "margin_near_miss", "margin_other", "margin_prompt", "way_z", "name_z", "why_z",
    "second", "mean_top5", "rank_gap", "answer_t", "words", "overlap",
)  # fmt: skip
"""The features, in the order of the fusion's weights."""

_BACKGROUND_TOP: Final = 12


@dataclass(frozen=True, eq=False)
class PhraseSense:
    """What the bank says about a phrase, as vectors; ``*_mean`` and ``*_std`` of the background.

    The background normalizes as z-norm does in speaker verification (Auckenthaler et al. 2000):
    a general sentence is close to everything, a special one to nothing.
    """

    names: Vectors
    ways: Vectors
    why: Vectors
    ask: Vectors
    near_misses: Vectors
    model: Vectors
    way_words: tuple[frozenset[str], ...]
    way_norm: tuple[float, float]
    name_norm: tuple[float, float]
    why_norm: tuple[float, float]


@dataclass(frozen=True, eq=False)
class QuestionSense:
    """All phrases of a question, and its prompt."""

    phrases: tuple[PhraseSense, ...]
    prompt: Vectors


@dataclass(frozen=True)
class Candidate:
    """The span that is most likely to say a phrase, with the features of the case."""

    span: Span
    features: tuple[float, ...]


@lru_cache(maxsize=1024)
def question_sense(question: Question) -> QuestionSense:
    """The vectors of a question; made once."""
    return QuestionSense(
        tuple(_phrase_sense(phrase, question.model_answer) for phrase in question.key_phrases),
        vectors_of([question.prompt]),
    )


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


def candidates(
    question: QuestionSense, answer: AnswerSense, words: Sequence[str]
) -> list[Candidate | None]:
    """For each phrase of the question its best candidate; ``None`` without any span."""
    if not answer.spans:
        return [None] * len(question.phrases)
    v = answer.vectors
    way = np.stack([_best(v, phrase.ways) for phrase in question.phrases], axis=1)
    ways3 = np.stack([_best(v, phrase.ways, 3) for phrase in question.phrases], axis=1)
    z_of_all = np.stack(
        [(way[:, at] - p.way_norm[0]) / p.way_norm[1] for at, p in enumerate(question.phrases)],
        axis=1,
    )
    prompt = _best(v, question.prompt)
    found: list[Candidate | None] = []
    span_words = [
        frozenset(_stem(word) for word in words[start:end]) - _COMMON for start, end in answer.spans
    ]
    for at, phrase in enumerate(question.phrases):
        near_miss = _best(v, phrase.near_misses)
        name, why, ask, model = (
            _best(v, each) for each in (phrase.names, phrase.why, phrase.ask, phrase.model)
        )
        others = np.delete(z_of_all, at, axis=1)
        other = others.max(axis=1) if others.shape[1] else np.zeros(len(v))
        way_z, name_z, why_z = (
            (values - mean) / std
            for values, (mean, std) in (
                (way[:, at], phrase.way_norm),
                (name, phrase.name_norm),
                (why, phrase.why_norm),
            )
        )
        overlap = np.array(
            [
                max((_share(own, each) for own in phrase.way_words), default=0.0)
                for each in span_words
            ]
        )
        choice = way_z + 0.5 * why_z + 0.5 * name_z + 0.5 * (way_z - other) + 2.0 * overlap
        best = int(choice.argmax())
        start, end = answer.spans[best]
        apart = [index for index, (a, b) in enumerate(answer.spans) if b <= start or a >= end]
        second = float(way_z[apart].max()) if apart else 0.0
        top5 = float(np.sort(way_z)[-5:].mean())
        found.append(
            Candidate(
                (start, end),
                (
                    float(way[best, at]), float(ways3[best, at]), float(name[best]),
                    float(why[best]), float(ask[best]), float(model[best]),
                    float(near_miss[best]), float(other[best]), float(prompt[best]),
                    float(way[best, at] - near_miss[best]), float(way_z[best] - other[best]),
                    float(way[best, at] - prompt[best]),
                    float(way_z[best]), float(name_z[best]), float(why_z[best]),
                    second, top5, float(way_z[best] - second),
                    float(np.mean(z_of_all.max(axis=0))),
                    float(np.log(end - start)), float(overlap[best]),
                ),
            )
        )  # fmt: skip
    return found


def _phrase_sense(phrase: KeyPhrase, model_answer: str) -> PhraseSense:
    names, ways, why = (
        vectors_of(each) for each in (_names(phrase), _ways(phrase), _texts(phrase.why))
    )
    return PhraseSense(
        names=names,
        ways=ways,
        why=why,
        ask=vectors_of(_texts(phrase.follow_up)),
        near_misses=vectors_of(phrase.not_),
        model=vectors_of(_model_sentences(phrase, model_answer)),
        way_words=tuple(
            frozenset(_stem(word) for word in each.split()) - _COMMON for each in _ways(phrase)
        ),
        way_norm=_norm(ways),
        name_norm=_norm(names),
        why_norm=_norm(why),
    )


def _norm(vectors: Vectors) -> tuple[float, float]:
    """Mean and deviation of the closest background spans: the impostors that count."""
    if not len(vectors):
        return 0.0, 1.0
    closest = np.sort((background() @ vectors.T).max(axis=1))[-_BACKGROUND_TOP * 20 :]
    return float(closest.mean()), max(float(closest.std()), 0.02)


def _best(spans: Vectors, sentences: Vectors, of: int = 1) -> Floats:
    """For each span the mean cosine with its ``of`` closest sentences; 0 without sentences."""
    if not len(sentences):
        return np.zeros(len(spans))
    closest = np.sort(spans @ sentences.T, axis=1)[:, -of:]
    mean: Floats = closest.mean(axis=1, dtype=np.float64)
    return mean


def _names(phrase: KeyPhrase) -> list[str]:
    return [phrase.phrase, *phrase.aliases, *phrase.any_of]


def _ways(phrase: KeyPhrase) -> list[str]:
    return list(phrase.ways) or _texts(phrase.why)


def _texts(text: str) -> list[str]:
    return [text] if text.strip() else []


def _model_sentences(phrase: KeyPhrase, model_answer: str) -> list[str]:
    names = [name.casefold() for name in _names(phrase)]
    sentences = re.split(r"(?<=[.?!])\s+", model_answer)
    return [each for each in sentences if any(name in each.casefold() for name in names)][:2]


_SUFFIX: Final = re.compile(r"(ing|ed|es|s|ly|er|ers|ion|ions)$")


@lru_cache(maxsize=65536)
def _stem(word: str) -> str:
    bare = re.sub(r"[^a-z0-9]", "", word.casefold())
    return _SUFFIX.sub("", bare) if len(bare) > 5 else bare


_COMMON: Final = frozenset(
    [
        "a",
        "an",
        "the",
        "and",
        "or",
        "but",
        "so",
        "if",
        "then",
        "than",
        "that",
        "this",
        "these",
        "those",
        "it",
        "its",
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "to",
        "of",
        "in",
        "on",
        "at",
        "by",
        "for",
        "with",
        "from",
        "as",
        "i",
        "we",
        "you",
        "they",
        "he",
        "she",
        "my",
        "our",
        "your",
        "their",
        "me",
        "us",
        "them",
        "do",
        "does",
        "did",
        "not",
        "no",
        "don't",
        "have",
        "has",
        "had",
        "will",
        "would",
        "can",
        "could",
        "should",
        "just",
        "also",
        "very",
        "really",
        "um",
        "uh",
        "like",
        "what",
        "when",
        "which",
        "who",
        "how",
        "there",
        "here",
        "up",
        "out",
        "about",
        "into",
        "over",
        "one",
        "two",
        "get",
        "got",
    ]
) | {""}


def _share(own: frozenset[str], said: frozenset[str]) -> float:
    """How many of a way's words were said, over the geometric mean of both lengths."""
    if not own or not said:
        return 0.0
    return len(own & said) / float(np.sqrt(len(own) * len(said)))
