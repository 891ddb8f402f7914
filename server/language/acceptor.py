"""Weighs each proposed repair: how much more probable it makes the sentence, and by what rule.

A logistic model over the language model's scores and the rule's strength, trained by
``scripts/train_language.py`` on sentences that were broken on purpose; its weights stand in
``data/acceptor.json``.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Final

import numpy as np

from server.language.proposals import (
    LEAST_STRENGTH,
    NO_DOUBT,
    UNVOUCHED,
    Proposal,
    Sentence,
    overlaps,
)
from server.language.referee import Referee
from server.language.words import is_misspelled

_AFTER: Final = 6
"""Tokens behind the change that are scored with it."""
_BEFORE: Final = 16
"""Tokens before the change that the model sees."""
_MOST: Final = 8
"""Repairs of one sentence that are scored: the most promising by one pass over the sentence."""
_LEAST_FIRST: Final = -14.0
"""Repairs whose first word is less probable by this many nats are not scored: none was right."""
_EXPECTED: Final = -2.0
"""The same of those that no rule vouches for."""
_STRENGTH_NATS: Final = 5.0
"""What a rule's strength is worth beside that probability."""
_CERTAIN: Final = 0.85
"""From this strength on it hardly doubts."""


@dataclass(frozen=True)
class Weighed:
    """A repair with what the model says of it."""

    proposal: Proposal
    features: Mapping[str, float]


def weigh(sentence: Sentence, proposals: Sequence[Proposal], referee: Referee) -> list[Weighed]:
    """The proposals worth a look, each with its features."""
    proposals = [
        each for each in proposals if each.strength >= LEAST_STRENGTH or each.strength == UNVOUCHED
    ]
    text = str(sentence.doc.text)
    tokens = referee.tokens(text)
    if not tokens or not proposals:
        return []
    table = referee.read(tokens)
    numbers = [referee.number(token) for token in tokens]
    own = table[np.arange(len(tokens)), numbers]
    changes: list[tuple[Proposal, _Change, float]] = []
    for proposal in proposals:
        change = _Change.between(tokens, referee.tokens(proposal.applied(text)))
        if change is None:
            continue
        first = change.new[0] if change.new else (change.after[0] if change.after else "<eos>")
        at = change.start
        standing = own[at] if at < len(tokens) else table[len(tokens), referee.number("<eos>")]
        changes.append((proposal, change, float(table[at, referee.number(first)] - standing)))
    changes = [
        each
        for each in changes
        if each[2] > (_EXPECTED if each[0].strength == UNVOUCHED else _LEAST_FIRST)
    ]
    changes.sort(key=lambda each: each[2] + _STRENGTH_NATS * each[0].strength, reverse=True)
    changes = changes[:_MOST]
    scores = referee.score_tokens([change.scored(tokens) for _, change, _ in changes])
    mean = float(own.mean())
    gains = []
    for (proposal, change, first_gain), score in zip(changes, scores, strict=True):
        skipped = max(0, change.start - _BEFORE)
        lead = change.start - skipped
        new = score[lead : lead + len(change.new)]
        behind = score[lead + len(change.new) :]
        old = own[change.start : change.start + change.removed]
        old_behind = own[change.start + change.removed :][: len(behind)]
        inside = float(new.sum() - old.sum())
        right = float(behind.sum() - old_behind.sum())
        gains.append((proposal, change, first_gain, inside, right, old, old_behind))
    best: dict[int, float] = {}
    for number, entry in enumerate(gains):
        rivals = [
            other[3] + other[4]
            for each, other in enumerate(gains)
            if each != number and overlaps(entry[0], other[0])
        ]
        best[number] = max(rivals, default=-20.0)
    found = []
    for number, (proposal, change, first_gain, inside, right, old, old_behind) in enumerate(gains):
        gain = inside + right
        surprise = -float(old.sum() + old_behind.sum()) + 1.0
        strength = proposal.strength
        features = {
            "gain": _soft(gain),
            "positive": max(0.0, gain) / 10.0,
            "per token": gain / max(1, len(change.new) + change.removed) / 5.0,
            "right": _soft(right),
            "first": _soft(first_gain),
            "share": max(-2.0, min(1.0, gain / surprise)),
            "strength": strength,
            "strength x gain": min(1.0, strength) * _soft(gain),
            "lead": _soft(gain - best[number]),
            "behind": float(gain < best[number]),
            "mean": mean,
            "length": math.log(len(tokens)),
            "length changed": (len(change.new) - change.removed) / 3.0,
            "name": float(_near_name(sentence, proposal)),
            "start": float(proposal.first == 0),
            "question": float(sentence.asks),
            f"rule {proposal.rule}": 1.0,
            f"rule {proposal.rule} x gain": _soft(gain) / 3.0,
        }
        if proposal.rule == "preposition" or proposal.rule == "article-missing":
            features[f"new {proposal.new.strip().lower()[:6]}"] = 1.0
        found.append(Weighed(proposal, derived(features)))
    return found


def derived(features: Mapping[str, float]) -> dict[str, float]:
    """The features with what follows from them: what a rule that is certain adds."""
    strength = min(1.0, features["strength"])
    no_doubt = float(features["strength"] >= NO_DOUBT or features.get("no doubt", 0.0) > 0)
    certain = float(strength >= _CERTAIN)
    likely = 1.0 - certain
    return {
        **features,
        "strength": strength,
        "no doubt": no_doubt,
        "no doubt x gain": no_doubt * features["gain"],
        "certain": certain,
        "certain x positive": certain * float(features["gain"] > 0),
        "certain x gain": certain * features["gain"],
        "likely": likely,
        "likely x gain": likely * features["gain"],
        "gain, little": min(features["gain"], 0.7),
    }


def _soft(value: float) -> float:
    return math.copysign(math.log1p(abs(value)), value)


def _near_name(sentence: Sentence, proposal: Proposal) -> bool:
    near = sentence.doc[max(0, proposal.first - 1) : proposal.last + 1]
    return any(token.pos_ == "PROPN" for token in near)


@dataclass(frozen=True)
class _Change:
    """Where the tokens of a repaired sentence differ from those of the one that was said."""

    start: int
    removed: int
    new: tuple[str, ...]
    after: tuple[str, ...]

    @classmethod
    def between(cls, old: Sequence[str], new: Sequence[str]) -> "_Change | None":
        """The difference; ``None`` if there is none."""
        if list(old) == list(new):
            return None
        start = 0
        while start < min(len(old), len(new)) and old[start] == new[start]:
            start += 1
        end = 0
        while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
            end += 1
        after = tuple(new[len(new) - end :])
        return cls(start, len(old) - end - start, tuple(new[start : len(new) - end]), after)

    def scored(self, old: Sequence[str]) -> list[str]:
        """What is scored: some tokens before, the new ones, and some behind."""
        return [*old[max(0, self.start - _BEFORE) : self.start], *self.new, *self.after[:_AFTER]]


@dataclass(frozen=True)
class Speakers:
    """How often speakers err, before a word of theirs is heard.

    Rates are natural logarithms, against one error that a check sees in ``_WORDS_AN_ERROR`` words.

    Attributes:
        learner, fluent: mean and standard deviation of the rate of learners and of fluent speakers.
        share: of learners, by what is known of the mother tongue: "unknown", "english", "other".
        slope: what the acceptor's log odds are worth as log odds at one error in these words.
    """

    learner: tuple[float, float]
    fluent: tuple[float, float]
    share: Mapping[str, float]
    slope: float

    def prior(self, tongue: str | None) -> np.ndarray:
        """How likely each of ``_RATES`` is."""
        share = self.share[{None: "unknown", "en": "english"}.get(tongue, "other")]
        kinds = [
            np.exp(-(((_RATES - mean) / sd) ** 2) / 2) for mean, sd in (self.learner, self.fluent)
        ]
        learner, fluent = (each / each.sum() for each in kinds)
        return np.asarray(share * learner + (1 - share) * fluent)


_RATES: Final = np.linspace(-9.0, 3.0, 49)
_WORDS_AN_ERROR: Final = 40
_MISSPELLED_ODDS: Final = 64.0
"""Learners' texts have 16 such words in 1,000, native ones less than one."""
_MARKS: Final = ".,;:!?\"()'"


@dataclass(frozen=True)
class Acceptor:
    """The trained model: weights by the features' names."""

    weights: Mapping[str, float]
    bias: float
    least: float
    speakers: Speakers
    rules_alone: Mapping[str, float]

    def logit(self, features: Mapping[str, float]) -> float:
        """How likely the repair is right, as log odds."""
        return self.bias + sum(self.weights.get(name, 0.0) * v for name, v in features.items())

    def chances(
        self, logits: Sequence[float], words: Sequence[str], tongue: str | None
    ) -> list[float]:
        """How likely each repair is right, by all that is known of its speaker.

        Errors come at a rate of the speaker's own. Likely repairs and misspelled words (of a typed
        answer) speak for a high one, words without any for a low one; a repair is as likely as it
        is at each rate, on average.

        Args:
            logits: of the repairs of all that was said, of which no two overlap.
            words: that were said.
            tongue: the mother tongue as a code, "en" too; ``None`` if it is not known.
        """
        rates = np.exp(_RATES)
        odds = np.exp(self.speakers.slope * np.array(logits)[:, None]) * rates
        misspelled = sum(is_misspelled(word.strip(_MARKS)) for word in words)
        fits = np.log(self.speakers.prior(tongue)) - rates * len(words) / _WORDS_AN_ERROR
        fits += np.log1p(odds).sum(axis=0) + misspelled * np.log1p(_MISSPELLED_ODDS * rates)
        likely = np.exp(fits - fits.max())
        return [float(each) for each in odds / (1 + odds) @ (likely / likely.sum())]


@cache
def acceptor() -> Acceptor:
    """The model of ``data/acceptor.json``, read once."""
    path = resources.files("server.language").joinpath("data/acceptor.json")
    data: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return Acceptor(**data | {"speakers": Speakers(**data["speakers"])})
