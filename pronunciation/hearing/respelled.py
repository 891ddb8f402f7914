"""Terms that a transcriber wrote as what they sound like: "cue" for queue, "kuda" for CUDA.

``phrases`` looks for long terms anywhere in the sound. Here the transcript says where to look: at
words that sound like a term, however short it is. What decides is the sound between the words
before and after, how near the written words come to the term, and whether people write them anyway.
"""

import json
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist

from pronunciation.confusions import distance, encode, merged
from pronunciation.g2p.words import normal, with_s
from pronunciation.hearing.layout import Phones
from pronunciation.hearing.phrases import Found, likeliest
from pronunciation.hearing.places import FEATURES, Candidate, Near, Written, unit_frames

MOST_WORDS: Final = 4
"""Words that a transcriber makes of one term ("in fini band")."""
MIN_PHONES: Final = 3
"""Of a term and of the words; two ("eye", "sue") sound like something everywhere."""
LONGEST_BREAK: Final = 15
"""Frames between two words of a term; nobody pauses longer within one."""
FIRST_CUTOFF: Final = 0.5
"""Share of merged phones that may differ before the costs are looked at."""
MOST_APART: Final = 0.42
"""Of words and a term that is expected; see ``confusions.distance``."""
MOST_APART_UNEXPECTED: Final = 0.25
MIN_PHONES_UNEXPECTED: Final = 4
SMALL_WORDS: Final = frozenset(
    ("a", "about", "all", "an", "and", "are", "as", "at", "be", "but", "by", "can", "could",
     "did", "do", "for", "from", "get", "got", "had", "has", "have", "he", "her", "here",
     "him", "his", "how", "i", "if", "in", "into", "is", "it", "its", "me", "my", "no", "not",
     "now", "of", "on", "or", "our", "out", "she", "should", "so", "some", "than", "that",
     "the", "their", "them", "then", "there", "these", "they", "this", "those", "to", "too",
     "up", "us", "was", "we", "were", "what", "when", "where", "which", "who", "why", "will",
     "with", "would", "you", "your")
)  # fmt: skip
"""No term is made of these alone: "that" is no data, however it is said."""
RIVALS: Final = 3
"""Stretches that overlap, of the same term, that are listened to."""
MODEL_PATH: Final = Path(__file__).parent / "model" / "respelled.json"

MORE_FEATURES: Final = ("apart", "expected", "ordinary", "apart_if_expected", "short")
"""What decides beside ``places.FEATURES``:

- apart: distance of the term from the whole words at the place;
- expected: whether the question is about the term;
- ordinary: the share of the words that people in the field say anyway;
- apart_if_expected: both;
- short: phones under 5.
"""


@dataclass(frozen=True)
class Sounding:
    """A term to look for.

    Attributes:
        term: its name.
        wordings: how it may be said, as ARPAbet without stress.
        expected: whether the question is about it.
    """

    term: str
    wordings: tuple[Phones, ...]
    expected: bool


@dataclass(frozen=True, eq=False)
class RespelledModel:
    """What ``scripts/train_respelled.py`` learned: weights of all features, and the threshold."""

    weights: npt.NDArray[np.float64]
    bias: float
    found_from: float

    def probability(self, features: npt.NDArray[np.float64]) -> float:
        """That the term was said there."""
        return float(1.0 / (1.0 + np.exp(-(features @ self.weights + self.bias))))


@cache
def respelled_model(path: Path = MODEL_PATH) -> RespelledModel:
    """The shipped model."""
    table = json.loads(path.read_text("utf-8"))
    weights = np.array([table["weights"][name] for name in (*FEATURES, *MORE_FEATURES)])
    return RespelledModel(weights, table["bias"], table["found_from"])


def in_both_numbers(wordings: Iterable[Phones]) -> tuple[Phones, ...]:
    """A term's wordings, and its plural's: whole words end with their ending."""
    return tuple(dict.fromkeys(said for each in wordings for said in (each, with_s(each))))


def sounds_like(
    written: Written,
    words: Sequence[str],
    terms: Sequence[Sounding],
    ordinary: Container[str],
    first_index: int = 0,
) -> list[Near]:
    """The stretches of a transcript that sound like a term and do not name one.

    Args:
        written: the transcript aligned; what names a term is one unit with a target.
        words: its words.
        terms: what to look for.
        ordinary: words (lower case) that people in the field say anyway: where nothing else was
            written, only expected terms are looked for.
        first_index: of the first term among the wanted, see ``Near``.
    """
    layout = written.layout
    runs = list(_runs(written))
    bare = [normal(word) for word in words]
    odd = [
        any(bare[layout.word_index[unit]] not in ordinary for unit in range(a, b + 1))
        for a, b, _ in runs
    ]
    nearest: dict[tuple[int, int, int], tuple[float, Near]] = {}
    for expected in (True, False):
        most_apart = MOST_APART if expected else MOST_APART_UNEXPECTED
        shortest = MIN_PHONES if expected else MIN_PHONES_UNEXPECTED
        wordings = [
            (index, phones, *_codes(phones))
            for index, each in enumerate(terms)
            if each.expected == expected
            for phones in dict.fromkeys(each.wordings)
            if len(phones) >= shortest
        ]
        chosen = [run for run, is_odd in zip(runs, odd, strict=True) if expected or is_odd]
        if not (wordings and chosen):
            continue
        apart = cdist(
            [classes for *_, classes in wordings],
            [merged(code) for *_, code in chosen],
            scorer=Levenshtein.normalized_distance,
            score_cutoff=FIRST_CUTOFF if expected else most_apart,
            dtype=np.float32,
        )
        limit = FIRST_CUTOFF if expected else most_apart
        for row, column in zip(*np.nonzero(apart <= limit), strict=True):
            index, phones, code, _ = wordings[row]
            first, last, said = chosen[column]
            far = distance(code, said)
            key = (index, first, last)
            if all(bare[at] in SMALL_WORDS for at in layout.word_index[first : last + 1]):
                continue
            number = _digits("".join(bare[at] for at in layout.word_index[first : last + 1]))
            if number and not _digits(terms[index].term).endswith(number):
                continue  # "200" is no H100
            if far <= most_apart and (key not in nearest or far < nearest[key][0]):
                nearest[key] = far, Near(first_index + index, phones, first, last)
    return _nearest(nearest.values())


def _nearest(found: Iterable[tuple[float, Near]]) -> list[Near]:
    """Of the stretches that overlap and sound like the same term, the nearest ones."""
    kept: list[Near] = []
    for _, near in sorted(found, key=lambda pair: pair[0]):
        rivals = sum(
            near.index == other.index and near.first <= other.last and other.first <= near.last
            for other in kept
        )
        if rivals < RIVALS:
            kept.append(near)
    return kept


@lru_cache(maxsize=65536)
def _codes(phones: Phones) -> tuple[str, str]:
    """Phones as a string, and the same with those that listeners confuse merged."""
    code = encode(phones)
    return code, merged(code)


def _digits(text: str) -> str:
    return "".join(character for character in text if character.isdecimal())


def _runs(written: Written) -> Iterator[tuple[int, int, str]]:
    """Words in a row that name no term: first and last unit, and how they sound."""
    layout, frames = written.layout, unit_frames(written)
    for first in range(len(layout.phones)):
        code = ""
        for last in range(first, min(len(layout.phones), first + MOST_WORDS)):
            apart = frames[last][0] - frames[last - 1][1] if last > first else 0
            if layout.target[last] is not None or apart > LONGEST_BREAK:
                break
            code += _codes(layout.phones[last])[0]
            if len(code) >= MIN_PHONES:
                yield first, last, code


def term_features(
    place: Candidate,
    written: Written,
    words: Sequence[str],
    sounding: Sounding,
    ordinary: Container[str],
) -> npt.NDArray[np.float64]:
    """All features of a place of a term."""
    bare = [normal(words[at]) for at in place.words]
    units = [at for at, word in enumerate(written.layout.word_index) if word in place.words]
    said = "".join(encode(written.layout.phones[unit]) for unit in units)
    apart = distance(encode(place.wording), said)
    common = float(np.mean([word in ordinary for word in bare])) if bare else 0.0
    more = (
        apart,
        float(sounding.expected),
        common,
        apart * sounding.expected,
        max(0.0, 5.0 - len(place.wording)),
    )
    return np.concatenate([place.features, more])


def find_terms(
    places: Iterable[Candidate],
    written: Written,
    words: Sequence[str],
    terms: Sequence[Sounding],
    ordinary: Container[str],
    first_index: int = 0,
    model: RespelledModel | None = None,
) -> list[Found]:
    """The terms that were said where the transcript has something else, in order.

    Args:
        places: where terms may have been said.
        written: the transcript aligned.
        words: its words.
        terms: what was looked for.
        ordinary: words (lower case) that people in the field say anyway.
        first_index: of the first term among the wanted.
        model: by default the shipped one.
    """
    model = model or respelled_model()
    judged = []
    for place in places:
        sounding = terms[place.index - first_index]
        features = term_features(place, written, words, sounding, ordinary)
        judged.append((model.probability(features), place))
    return likeliest(judged, written, model.found_from)
