"""Terms that a transcriber wrote as words that sound like them: which candidates are terms.

``sounding`` finds the words that sound like a term. The decision depends on the sound between the
words before and after, on how close the written words are to the term, on whether people say them
anyway, and, where that leaves doubt, on the decoder of the engine that wrote them (``decoded``).
"""

import json
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np

from pronunciation.confusions import distance, encode
from pronunciation.g2p import with_s
from pronunciation.hearing.match import MOST_PLACES, Match, Weights, doubtful, likeliest, shares
from pronunciation.hearing.misspelled import Floats, Misspellings, indices
from pronunciation.hearing.places import FEATURES, MOST_PHONES, AlignedTranscript, Candidate
from pronunciation.hearing.sounding import Sounding, is_free, is_known, is_part
from pronunciation.written_terms import normal

CLOSE: Final = 0.15
"""Distance of words that sound nearly like the term."""
LEAST_LIKENESS: Final = -20.0
"""Nats; anything less likely counts as this likely."""
MODEL_PATH: Final = Path(__file__).parent / "model" / "respelled.json"

MORE_FEATURES: Final = (
    "apart", "expected", "ordinary", "apart_if_expected", "short",
    "likeness", "part", "part_per_phone", "odd_likeness", "close", "related", "extends",
    "believed",
)  # fmt: skip
"""The features besides ``places.FEATURES``:

- apart: distance of the term from the whole words at the place;
- expected: whether the question is about the term;
- ordinary: the share of the words that people in the field say anyway;
- apart_if_expected: both;
- short: phones under 5;
- likeness: that all the words' phones mean the term, in nats, see ``misspelled``;
- part: how much higher this is for their best part;
- part_per_phone: that of the best part, per phone of the term;
- odd_likeness: likeness times the share of the words that nobody in the field says;
- close: how much closer than ``CLOSE`` an expected term is;
- related: see ``Sounding``; 0 for an expected term;
- extends: whether a part of the term is named there ("GBU utilization");
- believed: the transcriber's confidence times the share of the words that a dictionary has.
"""


_LIKENESS: Final = len(FEATURES) + MORE_FEATURES.index("likeness")
EXTENDS: Final = len(FEATURES) + MORE_FEATURES.index("extends")
_SAME_SOUND: Final = tuple(
    (*FEATURES, *MORE_FEATURES).index(name) for name in ("apart", "ordinary", "phones")
)
MIN_PHONES_SAME: Final = 5
"""The fewest phones of a term that counts by its sound alone. Of three terms with four phones (Qt,
CORS), none had been said."""
SAME_ODDS: Final = 2.0
"""The likeness of such a term, see ``choose_places``. There were two in 319 recordings, in
questions that name none of what was said, and both had been said; the regression has learned from
too few."""
ASKED_UNDER: Final = 0.9
"""Probability by the sound up to which the decoder is asked about a term, as well as from
``ASKED_FROM`` on. From 0.003 on, half as many places again found no more terms at the same number
that nobody said; from 0.05 on, 2 % fewer."""
ASKED_A_SECOND: Final = 0.5
"""Places of terms in a second of sound that the decoder is asked about. With a strong accent,
there are 0.25 to 0.55, without one 0.1."""
REST_LIKENESS: Final = 4.0
"""Nats, for what a longer term has besides a part of it that was found; see ``choose_places``."""


@dataclass(frozen=True, eq=False)
class RespelledModel:
    """What ``scripts/train_respelled.py`` learned.

    Attributes:
        misspellings: what is written for which phones.
        weights: those of all features.
    """

    misspellings: Misspellings
    weights: Weights


@cache
def respelled_model() -> RespelledModel:
    """The shipped model."""
    table = json.loads(MODEL_PATH.read_text("utf-8"))
    weights = Weights.of(table, (*FEATURES, *MORE_FEATURES))
    return RespelledModel(Misspellings.from_table(table["misspellings"]), weights)


@dataclass(frozen=True, eq=False)
class TermPlaces:
    """Where terms may have been said.

    Attributes:
        places: with the term of each.
        rows: their features, shape (places, features).
        odds: log odds that it was said there, shape (places,).
    """

    places: Sequence[tuple[Candidate, Sounding]]
    rows: Floats
    odds: Floats

    def doubtful(self, duration_s: float) -> list[int]:
        """The places that the decoder is asked about in so much sound, the likeliest first."""
        most = max(MOST_PLACES, round(ASKED_A_SECOND * duration_s))
        return doubtful(self.odds, most, ASKED_UNDER)

    def name(self, at: int) -> str:
        """The term that may have been said at a place, as people write it there."""
        place, sounding = self.places[at]
        is_plural = place.wording in map(with_s, sounding.wordings)
        return f"{sounding.term}s" if is_plural else sounding.term


def term_features(
    places: Sequence[tuple[Candidate, Sounding]],
    written: AlignedTranscript,
    words: Sequence[str],
    ordinary: Container[str],
    misspellings: Misspellings,
) -> list[Floats]:
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


def term_places(
    places: Iterable[Candidate],
    written: AlignedTranscript,
    words: Sequence[str],
    terms: Sequence[Sounding],
    ordinary: Container[str],
    first_index: int = 0,
    model: RespelledModel | None = None,
) -> TermPlaces:
    """The places where a term may have been said that the transcript does not have.

    Args:
        places: where terms may have been said.
        written: the transcript aligned.
        words: its words.
        terms: those that were searched for.
        ordinary: words (lower case) that people in the field say anyway.
        first_index: the number of the first term among the wanted ones.
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
    found = term_features(free, written, words, ordinary, model.misspellings)
    rows = np.array(found).reshape(len(free), len(model.weights.sound))
    return TermPlaces(free, rows, model.weights.odds(rows))


def find_terms(
    found: TermPlaces,
    written: AlignedTranscript,
    decoded: Mapping[int, Floats] | None = None,
) -> list[Match]:
    """The terms that were said where the transcript has something else or only a part, in order.

    Args:
        found: where they may have been said.
        written: the transcript aligned.
        decoded: what the decoder says of some of the places, by number; see ``match.DECODED``.
    """
    weights = respelled_model().weights
    odds = weights.with_decoder(found.odds, decoded or {})
    chosen = choose_places(
        [each.term for _, each in found.places],
        [place.words for place, _ in found.places],
        found.rows,
        odds,
        float(weights.sound[EXTENDS]),
        weights.found_from,
    )
    places = [(share, found.places[at][0]) for at, share in chosen]
    asked = {
        (place.index, place.words[0]) for place, _ in map(found.places.__getitem__, decoded or ())
    }
    return [
        replace(each, is_decoded=(each.index, each.word_index) in asked)
        for each in likeliest(places, written, weights.found_from)
    ]


def choose_places(
    names: Sequence[str],
    words: Sequence[tuple[int, ...]],
    rows: Floats,
    alone: Floats,
    extends: float,
    found_from: float,
) -> list[tuple[int, float]]:
    """The places that are likely enough and share no words.

    Words that nobody in the field says and that sound exactly like a term are that term ("cooblet",
    "Jupiter"), expected or not. A likely term is evidence for a longer one that contains it, like a
    part that the text names, and gives way to it if that is likely too.

    Args:
        names: the term of each place.
        words: the transcript's words at each place.
        rows: the features of each place, shape (places, features).
        alone: the log odds of each place by itself, shape (places,).
        extends: what a part that the text names adds to the log odds of a longer term.
        found_from: the lowest probability.

    Returns:
        Index and probability of each place, the likeliest first.
    """
    apart, ordinary, phones = rows[:, _SAME_SOUND].T
    is_same = (apart == 0.0) & (ordinary == 0.0) & (phones >= MIN_PHONES_SAME)
    alone = np.where(is_same, np.maximum(alone, SAME_ODDS), alone)
    odds = alone.copy()
    parts = [
        (whole, part)
        for part in np.flatnonzero(alone >= 0).tolist()
        for whole, name in enumerate(names)
        if is_part(names[part], name) and words[part] and {*words[part]} <= {*words[whole]}
    ]
    for whole, part in parts:
        rest = rows[whole, _LIKENESS] - rows[part, _LIKENESS]
        if not rows[whole, EXTENDS] and rest >= REST_LIKENESS:
            odds[whole] = alone[whole] + extends
    order = odds.copy()
    for whole, part in parts:
        if odds[whole] >= 0:
            order[whole] = max(order[whole], odds[part])
    likely = shares(odds)
    chosen: list[tuple[int, float]] = []
    taken: set[int] = set()
    for at in sorted(range(len(names)), key=lambda at: (-order[at], -len(names[at]))):
        if likely[at] >= found_from and taken.isdisjoint(words[at]):
            taken.update(words[at])
            chosen.append((at, float(likely[at])))
    return chosen


def _share(of: Sequence[bool]) -> float:
    return sum(of) / len(of) if of else 0.0
