"""Terms that a transcriber wrote as what they sound like: which of the places found are one.

``sounding`` finds the words that sound like a term. What decides is the sound between the words
before and after, how near the written words come to the term, and whether people write them anyway.
"""

import json
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from pronunciation.confusions import distance, encode
from pronunciation.g2p.words import normal
from pronunciation.hearing.misspelled import Misspellings, indices
from pronunciation.hearing.phrases import Found, likeliest
from pronunciation.hearing.places import FEATURES, MOST_PHONES, Candidate, Written
from pronunciation.hearing.sounding import Sounding, is_free, is_known

CLOSE: Final = 0.15
"""Distance of words that have nearly the term's sound."""
LEAST_LIKENESS: Final = -20.0
"""Nats; what is unlikelier is no unlikelier for the decision."""
MODEL_PATH: Final = Path(__file__).parent / "model" / "respelled.json"

MORE_FEATURES: Final = (
    "apart", "expected", "ordinary", "apart_if_expected", "short",
    "likeness", "part", "part_per_phone", "odd_likeness", "close", "related", "extends",
    "believed",
)  # fmt: skip
"""What decides beside ``places.FEATURES``:

- apart: distance of the term from the whole words at the place;
- expected: whether the question is about the term;
- ordinary: the share of the words that people in the field say anyway;
- apart_if_expected: both;
- short: phones under 5;
- likeness: that all the words' phones stand for the term, nats, see ``misspelled``;
- part: how much more the same is for their best part;
- part_per_phone: that of the best part for each of the term's phones;
- odd_likeness: likeness times the share of the words that nobody in the field says;
- close: how much nearer than ``CLOSE`` an expected term is;
- related: see ``Sounding``; 0 of an expected one;
- extends: whether a part of the term is named there ("GBU utilization");
- believed: the transcriber's confidence times the share of the words that a dictionary has.
"""


@dataclass(frozen=True, eq=False)
class RespelledModel:
    """What ``scripts/train_respelled.py`` learned.

    Attributes:
        misspellings: what is written for which phones.
        weights: of all features.
        bias: log odds where all features are 0.
        found_from: the probability from which a term is found.
    """

    misspellings: Misspellings
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
    misspellings = Misspellings.from_table(table["misspellings"])
    return RespelledModel(misspellings, weights, table["bias"], table["found_from"])


def term_features(
    places: Sequence[tuple[Candidate, Sounding]],
    written: Written,
    words: Sequence[str],
    ordinary: Container[str],
    misspellings: Misspellings,
) -> list[npt.NDArray[np.float64]]:
    """All features of each place of a term."""
    layout, confidence = written.layout, FEATURES.index("confidence")
    units_of = [
        [at for at, word in enumerate(layout.word_index) if word in place.words]
        for place, _ in places
    ]
    said = [[phone for at in units for phone in layout.phones[at]] for units in units_of]
    likenesses = misspellings.likenesses(
        [
            ([*dict.fromkeys((place.wording, *sounding.wordings))], indices(phones))
            for (place, sounding), phones in zip(places, said, strict=True)
        ]
    )
    rows = []
    for (place, sounding), units, phones, (likeness, part) in zip(
        places, units_of, said, likenesses, strict=True
    ):
        bare = [normal(words[at]) for at in place.words]
        apart = distance(encode(place.wording), encode(phones))
        likeness = max(likeness, LEAST_LIKENESS)
        common = _share([word in ordinary for word in bare])
        more = (
            apart,
            float(sounding.expected),
            common,
            apart * sounding.expected,
            max(0.0, 5.0 - len(place.wording)),
            likeness,
            max(0.0, part - likeness),
            max(part, likeness) / min(len(place.wording), MOST_PHONES),
            max(0.0, likeness) * (1 - common),
            max(0.0, CLOSE - apart) * sounding.expected,
            0.0 if sounding.expected else sounding.related,
            float(any(layout.target[at] is not None for at in units)),
            place.features[confidence] * _share([is_known(word) for word in bare]),
        )
        rows.append(np.concatenate([place.features, more]))
    return rows


def find_terms(
    places: Iterable[Candidate],
    written: Written,
    words: Sequence[str],
    terms: Sequence[Sounding],
    ordinary: Container[str],
    first_index: int = 0,
    model: RespelledModel | None = None,
) -> list[Found]:
    """The terms that were said where the transcript has something else or a part of them, in order.

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
    targets = [target for target in written.layout.target if target is not None]
    free = [
        (place, sounding)
        for place in places
        for sounding in (terms[place.index - first_index],)
        if is_free(place, sounding.term, words, targets)
    ]
    rows = term_features(free, written, words, ordinary, model.misspellings)
    judged = [(model.probability(row), place) for row, (place, _) in zip(rows, free, strict=True)]
    return likeliest(judged, written, model.found_from)


def _share(of: Sequence[bool]) -> float:
    return sum(of) / len(of) if of else 0.0
