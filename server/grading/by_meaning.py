"""Candidates by meaning: how close each span of an answer is to what the bank says of a phrase.

A phrase has names, ways of saying it, a reason, a follow-up question, near misses, and the
sentences of the model answer that name it. A bank without ways has the rest. Nothing is decided
here: closeness, and how a span says things, are features.
"""

import math
import re
from base64 import b64decode, b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import sha256
from importlib import resources
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from question_bank.models import KeyPhrase, Question
from server.grading.answer import Span
from server.grading.encoder import DIMENSIONS, MODEL, Vectors, shared_encoder
from server.grading.english import FUNCTION_WORDS, by_word, word_class, word_set
from server.grading.model import shipped_arrays

Floats = npt.NDArray[np.float64]

MAX_SPANS: Final = 400
_SCALE: Final = 127.0
_CLOSEST: Final = 240
"""A phrase is normalized by this many of the background's spans, the closest ones."""
KINDS: Final = ("names", "ways", "why", "ask", "near_misses", "model")
"""The sentences of a phrase, in the order of a question's vectors."""

SPAN_FEATURES: Final = (
    "way", "ways3", "name", "why", "ask", "model", "near_miss", "other", "prompt",
    "way_metric", "ways3_metric", "name_metric", "why_metric", "near_miss_metric",
    "other_metric", "center_metric", "way_z", "overlap", "model_overlap", "length",
    "way_less_other", "way_less_near_miss", "way_less_prompt", "model_less_other",
)  # fmt: skip
"""Mostly cosines with what the bank says, as such and in the metric; see ``span_features``."""
RATES: Final = (
    "absolute", "negation", "reason", "speaker", "contrast", "hedge", "figure", "function",
)  # fmt: skip
"""Classes of words whose shares in a span are features: confidently wrong speech has more reasons
and function words and fewer figures."""
CLAIMS: Final = (
    *RATES,
    "prompt_share", "beyond", "content", "polarity", "denies", "against_ways", "against_why",
)  # fmt: skip
"""The rates; the share of content words that are in the prompt; the logarithms of how many are in
neither the prompt nor the phrase, and of how many there are; whether only one of the span and the
ways has a negation, and whether that is the span; how many words are opposites of words in the
ways, and in the reason."""
BESIDE: Final = (
    "beside_way", "beside_why", "beside_prompt", "beside_others", "beside_anything", "alike",
    "around", "around_shared", "opens", "of_a_name", "defining",
)  # fmt: skip
"""What the sentence that names a phrase is close to besides the name; see ``beside_name``."""


class Credit(NamedTuple):
    """The chances that a sentence is worth credit, and that it is wrong."""

    span: Span
    worth: float
    wrong: float


@dataclass(frozen=True, eq=False)
class AnswerVectors:
    """The vectors of an answer's spans, made once and kept with the attempt.

    Attributes:
        spans: word ranges of the transcript, in order.
        vectors: unit vectors, float32 (n, 384), as they come out of storage, so that a first
            grading and a later one use the same numbers.
    """

    spans: tuple[Span, ...]
    vectors: Vectors

    @classmethod
    def of(cls, words: Sequence[str], spans: Sequence[Span]) -> "AnswerVectors":
        """Computes them; takes about 5 ms a span.

        Raises:
            GraderFailedError: there is no encoder.
        """
        kept = tuple(spans[:MAX_SPANS])
        return cls(kept, vectors_of([" ".join(words[start:end]) for start, end in kept]))

    def to_json(self) -> dict[str, object]:
        """For storage: JSON with the vectors as base64 of int8."""
        return {
            "model": MODEL,
            "spans": [list(span) for span in self.spans],
            "vectors": b64encode(_small(self.vectors).tobytes()).decode("ascii"),
        }

    @classmethod
    def from_json(
        cls, stored: dict[str, object] | None, spans: Sequence[Span]
    ) -> "AnswerVectors | None":
        """What ``to_json`` made of these spans; ``None`` if there is none or it is damaged."""
        if stored is None or stored.get("model") != MODEL:
            return None
        try:
            own = tuple((int(start), int(end)) for start, end in stored["spans"])  # type: ignore[attr-defined]
            raw = np.frombuffer(b64decode(str(stored["vectors"])), np.int8)
            vectors = _large(raw.reshape(len(own), DIMENSIONS))
        except (KeyError, TypeError, ValueError):
            return None
        return cls(own, vectors) if own == tuple(spans[:MAX_SPANS]) else None


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
        moved = (vectors - self.center) @ self.projection
        unit: Vectors = moved / np.maximum(np.linalg.norm(moved, axis=1, keepdims=True), 1e-9)
        return unit


@cache
def shipped_metric() -> Metric:
    """The metric that ``scripts/train_grader.py`` wrote."""
    own = shipped_arrays("metric")
    return Metric(own["center"].astype(np.float32), own["projection"].astype(np.float32))


@dataclass(frozen=True, eq=False)
class QuestionVectors:
    """What the bank says about the phrases of a question.

    Attributes:
        vectors: (n, 384), every sentence; the last one is the prompt.
        in_metric: the same in the metric, and ``centers``, the mean way of each phrase.
        groups: for each phrase the rows of each of ``KINDS``.
        starts: where each of these begins, and the prompt; ``empty``, which have no row.
        way_norms: (phrases, 2), mean and deviation of the closest background spans. They correct
            for general sentences, which are close to everything, and special ones, which are close
            to nothing, like z-norm in speaker verification (Auckenthaler et al. 2000).
        way_words: for each phrase its ways, as sets of stems; ``model_words`` likewise.
        names: for each phrase the stems of its names.
        known: the stems of everything the bank says about the question.
        prompt: the stems of the prompt.
        told: for each phrase, what claims about it are held against.
    """

    vectors: Vectors
    in_metric: Vectors
    centers: Vectors
    groups: tuple[dict[str, slice], ...]
    starts: list[int]
    empty: npt.NDArray[np.bool_]
    way_norms: Floats
    way_words: tuple[tuple[frozenset[str], ...], ...]
    model_words: tuple[tuple[frozenset[str], ...], ...]
    names: tuple[frozenset[str], ...]
    known: frozenset[str]
    prompt: frozenset[str]
    told: tuple["_Told", ...]


class _Told(NamedTuple):
    """Of a phrase: the stems of its names and ways, whether these deny, and opposites of words."""

    stems: frozenset[str]
    denies: bool
    against_ways: dict[str, frozenset[str]]
    against_why: dict[str, frozenset[str]]


@lru_cache(maxsize=1024)
def question_vectors(question: Question) -> QuestionVectors:
    """The vectors of a question, computed once."""
    sentences: list[str] = []
    groups: list[dict[str, slice]] = []
    for phrase in question.key_phrases:
        group = {}
        for kind, texts in zip(KINDS, _texts_of(phrase, question.model_answer), strict=True):
            group[kind] = slice(len(sentences), len(sentences) + len(texts))
            sentences += texts
        groups.append(group)
    vectors = vectors_of([*sentences, question.prompt])
    in_metric = shipped_metric().of(vectors)
    centers = np.stack([in_metric[group["ways"]].mean(axis=0) for group in groups])
    centers /= np.maximum(np.linalg.norm(centers, axis=1, keepdims=True), 1e-9)
    stems = [content_stems(text) for text in sentences]
    slices = [group[kind] for group in groups for kind in KINDS]
    model = sentences_in(question.model_answer)
    return QuestionVectors(
        vectors,
        in_metric,
        centers,
        tuple(groups),
        [*(rows.start for rows in slices), len(sentences)],
        np.array([rows.start == rows.stop for rows in slices]),
        np.array([_norm(vectors[group["ways"]]) for group in groups]),
        tuple(tuple(stems[group["ways"]]) for group in groups),
        tuple(tuple(stems[group["model"]]) for group in groups),
        tuple(_stems(_names(phrase)) for phrase in question.key_phrases),
        _stems([*sentences, question.prompt, *model]),
        _stems([question.prompt]),
        tuple(_told_of(phrase) for phrase in question.key_phrases),
    )


def sentences_of(question: Question) -> list[str]:
    """Every sentence of a question that needs a vector."""
    found = [question.prompt, *sentences_in(question.model_answer)]
    for phrase in question.key_phrases:
        found += [text for texts in _texts_of(phrase, question.model_answer) for text in texts]
    for beat in question.beats:
        found += [*beat.ways, beat.ask]
    return [*found, *(probe.expects for probe in question.probes)]


def span_features(question: QuestionVectors, answer: AnswerVectors, words: "Stems") -> Floats:
    """The features of every span for each phrase, shape (phrases, spans, features)."""
    near = question.vectors @ answer.vectors.T
    in_metric = shipped_metric().of(answer.vectors)
    near_in_metric = question.in_metric @ in_metric.T
    best, metric = _best_of_kinds(near, question), _best_of_kinds(near_in_metric, question)
    way, way_metric, model = best["ways"], metric["ways"], best["model"]
    other, other_metric = best_of_others(way), best_of_others(way_metric)
    prompt = near[-1]
    mean, deviation = question.way_norms.T[:, :, None]
    lengths = np.array([end - start for start, end in answer.spans])
    spoken = [words.content(span) for span in answer.spans]
    columns = (
        way, _best_three(near, question), best["names"], best["why"], best["ask"], model,
        best["near_misses"], other, prompt, way_metric, _best_three(near_in_metric, question),
        metric["names"], metric["why"], metric["near_misses"], other_metric,
        question.centers @ in_metric.T, (way - mean) / deviation,
        _overlap(question.way_words, spoken), _overlap(question.model_words, spoken),
        np.log(lengths), way - other, way - best["near_misses"], way - prompt,
        model - best_of_others(model),
    )  # fmt: skip
    found = np.empty((*way.shape, len(columns)))
    for at, column in enumerate(columns):
        found[..., at] = column
    return found


def best_of_others(values: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """For each row and column, the highest value in the other rows; 0 without others."""
    if len(values) < 2:
        return np.zeros_like(values)
    second, first = np.sort(values, axis=0)[-2:]
    best: npt.NDArray[np.float32] = np.where(values == first, second, first)
    return best


def _best_of_kinds(near: Vectors, question: QuestionVectors) -> dict[str, Vectors]:
    """By kind of sentence: the cosine of each phrase's closest one with each span; 0 without any.

    The sentences are in the order of the phrases and ``KINDS``, then the prompt, so that one pass
    over all of them is enough.
    """
    best: Vectors = np.maximum.reduceat(near, question.starts, axis=0)[:-1]
    best[question.empty] = 0.0
    return {kind: best[at :: len(KINDS)] for at, kind in enumerate(KINDS)}


def _best_three(near: Vectors, question: QuestionVectors) -> Vectors:
    """The mean cosine of each phrase's three closest ways with each span."""
    return np.stack(
        [np.sort(near[group["ways"]], axis=0)[-3:].mean(axis=0) for group in question.groups]
    )


def _overlap(texts: Sequence[Sequence[frozenset[str]]], spoken: Sequence[frozenset[str]]) -> Floats:
    """For each phrase and span, the cosine of the span's stems with those of the closest text."""
    found = np.zeros((len(texts), len(spoken)))
    for row, own in zip(found, texts, strict=True):
        for text in own:
            for at, said in enumerate(spoken):
                shared = len(text & said)
                if shared:
                    row[at] = max(row[at], shared / math.sqrt(len(text) * len(said)))
    return found


class Stems:
    """The words of an answer, marked once for all of its spans.

    Attributes:
        bare: each word in lower case, without punctuation.
    """

    def __init__(self, words: Sequence[str]) -> None:
        marks = [_mark(word) for word in words]
        self.bare = [bare for bare, _, _ in marks]
        self._stems = [content for _, content, _ in marks]
        self._sums = np.zeros((len(marks) + 1, len(RATES)))
        if marks:
            self._sums[1:] = np.cumsum([each for _, _, each in marks], axis=0)

    def content(self, span: Span) -> frozenset[str]:
        """The stems of a span's content words."""
        return frozenset(each for each in self._stems[slice(*span)] if each is not None)

    def claims(self, span: Span, question: QuestionVectors, phrase: int) -> list[float]:
        """``CLAIMS`` of a span."""
        start, end = span
        rates = (self._sums[end] - self._sums[start]) / max(1, end - start)
        content = [each for each in self._stems[start:end] if each is not None]
        beyond = [each for each in content if each not in question.prompt]
        told = question.told[phrase]
        said = frozenset(self.bare[start:end])
        denies = not said.isdisjoint(_NEGATION)
        return [
            *rates,
            (len(content) - len(beyond)) / max(1, len(content)),
            math.log1p(sum(each not in told.stems for each in beyond)),
            math.log1p(len(content)),
            float(denies != told.denies),
            float(denies and not told.denies),
            min(2, _opposites(said, told.against_ways)),
            min(3, _opposites(said, told.against_why)),
        ]

    def around(
        self, question: QuestionVectors, phrase: int, said: Sequence[int], stretch: Span
    ) -> list[float]:
        """The last five of ``BESIDE``: the content words around a name, and how it is used."""
        start, end = stretch
        names = question.names[phrase]
        around = [
            stem
            for place, stem in enumerate(self._stems[start:end], start)
            if stem is not None and place not in said and stem not in names
        ]
        shared = sum(stem in question.known for stem in around) + 1.0
        behind = self.bare[said[-1] + 1 : said[-1] + 2]
        return [
            math.log1p(len(around)),
            shared / (len(around) + 2),
            float(said[0] - start <= 1),
            float(not _OF_A_NAME.isdisjoint(self.bare[start:end])),
            float(not _DEFINING.isdisjoint(behind)),
        ]


_MOST_ALIKE: Final = 0.98
"""A span that is hardly more than the name says nothing else."""
_OF_A_NAME: Final = word_set("means mean called term word")
_DEFINING: Final = word_set("is are means")


def beside_name(
    question: QuestionVectors,
    phrase: int,
    answer: AnswerVectors,
    holding: Sequence[int],
) -> list[float]:
    """The first six of ``BESIDE``, for the spans that hold a name of the phrase.

    Partial cosines given the closest name: with ways, reason and prompt, with the other phrases'
    ways, and with everything the bank says. A claim about something else is close to the name
    alone. Then how close the shortest span is to the name.
    """
    names = question.groups[phrase]["names"]
    near = question.vectors @ answer.vectors[list(holding)].T
    name = names.start + int(near[names].max(axis=1).argmax())
    of_name = (question.vectors @ question.vectors[name]).clip(-_MOST_ALIKE, _MOST_ALIKE)[:, None]
    with_name = near[name].clip(-_MOST_ALIKE, _MOST_ALIKE)
    beside = near - of_name * with_name
    beside /= np.sqrt(1 - of_name**2) * np.sqrt(1 - with_name**2)
    closest = np.maximum(beside.max(axis=1, keepdims=True), -1.0)
    best = {kind: own[:, 0] for kind, own in _best_of_kinds(closest, question).items()}
    prompt = float(closest[-1, 0])
    ways = best["ways"].tolist()
    way, why, ask, model = (float(best[kind][phrase]) for kind in ("ways", "why", "ask", "model"))
    others = max([*ways[:phrase], *ways[phrase + 1 :]], default=0.0)
    lengths = [answer.spans[at][1] - answer.spans[at][0] for at in holding]
    alike = min(float(near[name, int(np.argmin(lengths))]), _MOST_ALIKE)
    return [way, why, prompt, others, max(way, why, others, prompt, ask, model), alike]


def vectors_of(sentences: Sequence[str]) -> Vectors:
    """The vectors of sentences; those of the built-in bank are shipped."""
    rows = _shipped_rows()
    keys = [_key(each) for each in sentences]
    made = {key: each for key, each in zip(keys, sentences, strict=True) if key not in rows}
    known = [key for key in dict.fromkeys(keys) if key in rows]
    # only those asked for, because one question's are a small part of the bank's
    shipped = _large(_mapped("bank_vectors")[[rows[key] for key in known]])
    vectors = dict(zip(known, shipped, strict=True))
    if made:
        encoded = _large(_small(shared_encoder().encode(list(made.values()))))
        vectors |= zip(made, encoded, strict=True)
    found = [vectors[key] for key in keys]
    return np.stack(found) if found else np.zeros((0, DIMENSIONS), np.float32)


@cache
def background() -> Vectors:
    """Spans of model answers to all kinds of questions, in which a phrase is not expected."""
    return _large(_mapped("background"))


def pack(sentences: Iterable[str], spans: Sequence[str]) -> dict[str, np.ndarray]:
    """What ``scripts/sense_vectors.py`` writes by file; what is known is kept."""
    wanted = sorted(set(sentences))
    return {
        "bank_keys": np.array([_key(each) for each in wanted], np.uint64),
        "bank_vectors": _small(vectors_of(wanted)),
        "background": _small(shared_encoder().encode(spans)),
    }


def _data(name: str) -> Path:
    return Path(__file__).with_name("data") / name


@cache
def _mapped(name: str) -> np.ndarray:
    """What ``scripts/sense_vectors.py`` wrote, mapped: one question needs little of 7 MB."""
    if not _data(f"{name}.npy").is_file():  # while it is being made
        return np.zeros(0, np.uint64) if name == "bank_keys" else np.zeros((0, DIMENSIONS), np.int8)
    mapped: np.ndarray = np.asarray(np.load(_data(f"{name}.npy"), mmap_mode="r"))
    return mapped


@cache
def _shipped_rows() -> dict[int, int]:
    """The row of each sentence that is shipped, by its key."""
    return {key: row for row, key in enumerate(_mapped("bank_keys").tolist())}


def _key(sentence: str) -> int:
    return int.from_bytes(sha256(sentence.encode()).digest()[:8], "big")


def _small(vectors: Vectors) -> np.ndarray:
    """Scales each row to int8 by its largest component, because only the direction counts."""
    largest = np.maximum(np.abs(vectors).max(axis=1, keepdims=True, initial=1e-9), 1e-9)
    small: np.ndarray = np.rint(vectors / largest * _SCALE).astype(np.int8)
    return small


def _large(small: np.ndarray) -> Vectors:
    large = small.astype(np.float32)
    unit: Vectors = large / np.maximum(np.linalg.norm(large, axis=1, keepdims=True), 1e-9)
    return unit


def _norm(ways: Vectors) -> tuple[float, float]:
    closest = np.sort((background() @ ways.T).max(axis=1))[-_CLOSEST:]
    return float(closest.mean()), max(float(closest.std()), 0.02)


def _texts_of(phrase: KeyPhrase, model_answer: str) -> tuple[list[str], ...]:
    """The sentences of a phrase, in the order of ``KINDS``; in a bank without ways, the reason."""
    why = [phrase.why] if phrase.why.strip() else []
    ask = [phrase.follow_up] if phrase.follow_up.strip() else []
    names = [name.casefold() for name in _names(phrase)]
    model = [
        each
        for each in sentences_in(model_answer)
        if any(name in each.casefold() for name in names)
    ]
    ways = list(phrase.ways) or model[:2] or why or [phrase.phrase]
    return _names(phrase), ways, why, ask, list(phrase.not_), model[:2]


def _names(phrase: KeyPhrase) -> list[str]:
    return [phrase.phrase, *phrase.aliases, *phrase.any_of]


def sentences_in(text: str) -> list[str]:
    """The sentences of a written text."""
    return re.split(r"(?<=[.?!])\s+", text)


_ABSOLUTE: Final = word_class("absolute_words")
_NEGATION: Final = word_class("denying_words")
_REASON: Final = word_set("because since as so that's why therefore thus means")
_SPEAKER: Final = word_set("i i'd i'm i've we we'd we've my our me us")
_CONTRAST: Final = word_class("contrasting_words")
_HEDGE: Final = word_class("hedging_words")
COMMON_WORDS: Final = FUNCTION_WORDS | word_class("common_words")
_CLASSES: Final = (_ABSOLUTE, _NEGATION, _REASON, _SPEAKER, _CONTRAST, _HEDGE)
_NOT_LETTERS: Final = re.compile(r"[^a-z0-9']")
_SUFFIX: Final = re.compile(r"(ing|ed|es|s|ly|er|ers|ion|ions)$")


@by_word
def _mark(word: str) -> tuple[str, str | None, tuple[float, ...]]:
    """A word bare, its stem if it is a content word, and 1 or 0 for each of ``RATES``."""
    bare = _NOT_LETTERS.sub("", word.casefold().replace("’", "'"))
    common = bare in COMMON_WORDS
    classes = (*(bare in each for each in _CLASSES), any(map(str.isdigit, bare)), common)
    return bare, None if common or not bare else stem(bare), tuple(map(float, classes))


@by_word
def stem(word: str) -> str:
    """A word without the most common endings, so that its forms are equal."""
    bare = re.sub(r"[^a-z0-9]", "", word.casefold())
    return _SUFFIX.sub("", bare) if len(bare) > 5 else bare


def content_stems(text: str) -> frozenset[str]:
    """The stems of a text's content words."""
    return frozenset(stem for _, stem, _ in map(_mark, text.split()) if stem is not None)


def _stems(texts: Iterable[str]) -> frozenset[str]:
    return frozenset().union(*map(content_stems, texts))


def _told_of(phrase: KeyPhrase) -> _Told:
    ways = _bare_words(phrase.ways or (phrase.phrase,))
    return _Told(
        stems=_stems((*_names(phrase), *phrase.ways)),
        denies=not ways.isdisjoint(_NEGATION),
        against_ways=_opposed(ways),
        against_why=_opposed(_bare_words((phrase.why,))),
    )


def _bare_words(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(_mark(word)[0] for text in texts for word in text.split())


def _opposites(said: frozenset[str], opposed: dict[str, frozenset[str]]) -> int:
    """How many words are the opposite of one in the other text, not counting pairs in one text."""
    return sum(opposed[word].isdisjoint(said) for word in said if word in opposed)


def _opposed(told: frozenset[str]) -> dict[str, frozenset[str]]:
    """The words that are not in a text and oppose one that is, with all words they oppose."""
    return {
        word: others
        for word, others in _known_opposites().items()
        if word not in told and not others.isdisjoint(told)
    }


@cache
def _known_opposites() -> dict[str, frozenset[str]]:
    """Symmetric: "more" opposes "less", and "less" opposes "more"."""
    text = resources.files("server.grading").joinpath("data/opposites.txt").read_text("utf-8")
    found: dict[str, set[str]] = {}
    for line in (line for line in text.splitlines() if line and not line.startswith("#")):
        word, others = line.split(":")
        for other in others.split():
            found.setdefault(_mark(word)[0], set()).add(_mark(other)[0])
            found.setdefault(_mark(other)[0], set()).add(_mark(word)[0])
    return {word: frozenset(others) for word, others in found.items()}
