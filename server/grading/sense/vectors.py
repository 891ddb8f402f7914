"""The vectors that are compared: of an answer's spans, and of what the bank says about a phrase."""

from base64 import b64decode, b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from server.contract.transcript import MAX_SPANS
from server.grading.sense.clauses import Span, spans_of
from server.grading.sense.encoder import MODEL, Encoder, Vectors, shared_encoder
from server.grading.sense.transformer import DIMENSIONS

_SCALE: Final = 127.0
_EMPTY: Final[dict[str, np.ndarray]] = {
    "bank_keys": np.zeros(0, np.uint64),
    "bank_vectors": np.zeros((0, DIMENSIONS), np.int8),
    "background": np.zeros((0, DIMENSIONS), np.int8),
}


@dataclass(frozen=True, eq=False)
class AnswerSense:
    """An answer's spans and their vectors, made once and kept with the attempt.

    Attributes:
        spans: word ranges of the transcript, in order.
        vectors: unit vectors, float32 (n, 384), as they come out of storage, so that a first
            grading and a later one use the same numbers.
        model: what made them.
    """

    spans: tuple[Span, ...]
    vectors: Vectors
    model: str = MODEL

    @cached_property
    def edges(self) -> np.ndarray:
        """The first word of each span and the word after its last, shape (2, n)."""
        return np.array(self.spans, np.int64).reshape(-1, 2).T

    def to_json(self) -> dict[str, object]:
        """For storage: JSON with the vectors as base64 of int8."""
        return {
            "model": self.model,
            "spans": [list(span) for span in self.spans],
            "vectors": b64encode(_small(self.vectors).tobytes()).decode("ascii"),
        }

    @classmethod
    def from_json(cls, stored: dict[str, object]) -> "AnswerSense | None":
        """What ``to_json`` made; ``None`` if another model made it or it is damaged."""
        try:
            spans = tuple((int(start), int(end)) for start, end in stored["spans"])  # type: ignore[attr-defined]
            raw = np.frombuffer(b64decode(str(stored["vectors"])), np.int8)
            vectors = _large(raw.reshape(len(spans), DIMENSIONS))
        except (KeyError, TypeError, ValueError):
            return None
        return cls(spans, vectors) if stored.get("model") == MODEL else None

    def followed_by(self, other: "AnswerSense", start: int) -> "AnswerSense":
        """The sense of two texts in a row, without the spans that contain words of both.

        Args:
            other: of the second text.
            start: words of the first one.
        """
        moved = tuple((first + start, end + start) for first, end in other.spans)
        return AnswerSense((*self.spans, *moved), np.concatenate((self.vectors, other.vectors)))

    def fits(self, words: Sequence[str]) -> bool:
        """Whether these are the spans of this answer."""
        return self.spans == tuple(spans_of(words)[:MAX_SPANS])


def sense_of(words: Sequence[str], encoder: Encoder | None = None) -> AnswerSense:
    """The spans of an answer with their vectors; takes about 4 ms a span."""
    spans, texts = _spans(words)
    return AnswerSense(spans, _large(_small((encoder or shared_encoder()).encode(texts))))


def like_sense_of(words: Sequence[str]) -> AnswerSense:
    """The spans of an answer with vectors of other sentences, which take as long to judge."""
    spans, _ = _spans(words)
    return AnswerSense(spans, np.resize(background(), (len(spans), DIMENSIONS)))


def senses_of(answers: Sequence[Sequence[str]]) -> list[AnswerSense]:
    """The same for many short answers; text that several share is encoded once.

    Sentences of the built-in bank need not be encoded at all.
    """
    parted = [_spans(words) for words in answers]
    different = list(dict.fromkeys(text for _, texts in parted for text in texts))
    vectors = dict(zip(different, vectors_of(different), strict=True))
    empty = np.zeros((0, DIMENSIONS), np.float32)
    return [
        AnswerSense(spans, np.stack([vectors[text] for text in texts]) if texts else empty)
        for spans, texts in parted
    ]


def _spans(words: Sequence[str]) -> tuple[tuple[Span, ...], list[str]]:
    """The spans that are compared, and their texts."""
    spans = tuple(spans_of(words)[:MAX_SPANS])
    return spans, [" ".join(words[start:end]) for start, end in spans]


def mean_vector(answer: AnswerSense) -> npt.NDArray[np.float64]:
    """The mean of an answer's vectors, (384,); zeros without any."""
    vectors = answer.vectors.astype(np.float64)
    mean: npt.NDArray[np.float64] = (
        vectors.mean(axis=0) if len(vectors) else np.zeros(vectors.shape[1])
    )
    return mean


def vectors_of(sentences: Sequence[str]) -> Vectors:
    """The vectors of sentences of a bank; those of the built-in bank are shipped."""
    rows = _shipped()
    keys = [_key(each) for each in sentences]
    made = {key: each for key, each in zip(keys, sentences, strict=True) if key not in rows}
    known = [key for key in dict.fromkeys(keys) if key in rows]
    # only those asked for, because one question's are a small part of the bank's
    vectors = dict(
        zip(known, _large(_data("bank_vectors")[[rows[key] for key in known]]), strict=True)
    )
    if made:
        encoded = _large(_small(shared_encoder().encode(list(made.values()))))
        vectors |= zip(made, encoded, strict=True)
    found = [vectors[key] for key in keys]
    return np.stack(found) if found else np.zeros((0, DIMENSIONS), np.float32)


@cache
def background() -> Vectors:
    """Spans of model answers to all kinds of questions, in which a phrase is not expected."""
    return _large(_data("background"))


def pack(sentences: Iterable[str], spans: Sequence[str]) -> dict[str, np.ndarray]:
    """What ``scripts/sense_vectors.py`` writes by file; what is known is kept."""
    wanted = sorted(set(sentences))
    return {
        "bank_keys": np.array([_key(each) for each in wanted], np.uint64),
        "bank_vectors": _small(vectors_of(wanted)),
        "background": _small(shared_encoder().encode(spans)),
    }


@cache
def _data(name: str) -> np.ndarray:
    """What ``scripts/sense_vectors.py`` wrote, mapped: one question needs little of 7 MB."""
    file = Path(__file__).with_name("data") / f"{name}.npy"
    if not file.is_file():  # while it is being made
        return _EMPTY[name]
    mapped: np.ndarray = np.asarray(np.load(file, mmap_mode="r"))
    return mapped


@cache
def _shipped() -> dict[int, int]:
    """The row of each sentence that is shipped, by its key."""
    return {key: row for row, key in enumerate(_data("bank_keys").tolist())}


def _key(sentence: str) -> int:
    return int.from_bytes(sha256(sentence.encode()).digest()[:8], "big")


def _small(vectors: Vectors) -> np.ndarray:
    """Scales each row to int8 by its largest component, because only the direction counts."""
    largest = np.maximum(np.abs(vectors).max(axis=1, keepdims=True, initial=1e-9), 1e-9)
    small: np.ndarray = np.rint(vectors / largest * _SCALE).astype(np.int8)
    return small


def _large(small: np.ndarray) -> Vectors:
    large = small.astype(np.float32)
    norms = np.maximum(np.linalg.norm(large, axis=1, keepdims=True), 1e-9)
    unit: Vectors = large / norms
    return unit
