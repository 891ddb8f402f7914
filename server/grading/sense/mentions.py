"""Whether a sentence that names a phrase speaks of it, or has the words for something else.

"I could feel my own heartbeat" in an answer about failing nodes: a logistic regression over what
the spans that hold the name are close to. ``scripts/train_mentions.py`` fits it on sentences of
answers whose mentions coaches ticked, and on sentences that only look like a phrase.
"""

import json
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Final

import numpy as np

from server.contract import PhraseCoverage
from server.grading.sense.clauses import Span
from server.grading.sense.features import Floats
from server.grading.sense.logistic import Logistic

SPOKEN_OF_FROM: Final = -1.0
"""Logit. 1.3 % of the mentions that coaches ticked lie below it, but those are what the regression
was trained on. That about 4 in 10 of the sentences that only look like a phrase do is read from a
cross-validation at thresholds close to this one."""
_HOWS: Final = ("exact", "alias", "fuzzy", "sound")


@cache
def shipped_mentions() -> Logistic:
    """The regression that ``scripts/train_mentions.py`` wrote."""
    file = resources.files("server.grading.sense").joinpath("data/mentions.json")
    return Logistic.from_json(json.loads(file.read_text("utf-8")))


def mention_row(
    at: int,
    phrase: PhraseCoverage,
    spans: Sequence[Span],
    features: Floats,
    scores: Floats,
) -> Floats | None:
    """What the regression goes by; ``None`` where no span holds the words.

    Args:
        at: the phrase's number.
        phrase: as found by its words.
        spans: of the answer.
        features: shape (phrases, spans, features).
        scores: of each span for each phrase, shape (phrases, spans).
    """
    said = () if phrase.evidence is None else phrase.evidence.word_indices
    if not said:
        return None
    starts, ends = np.array(spans).T
    holding = np.flatnonzero((starts <= said[0]) & (ends > said[-1]))
    if not len(holding):
        return None
    top = holding[scores[at, holding].argmax()]
    others = np.concatenate((scores[:at], scores[at + 1 :]))  # np.delete takes ten times as long
    rival = others[:, top].max() if len(others) else scores[at, top]
    company = others[:, holding].max(axis=1).mean() if len(others) else scores[at, top]
    how = [float(phrase.how == each) for each in _HOWS]
    row: Floats = np.r_[
        features[at, holding].max(axis=0),
        features[at, top],
        scores[at, top],
        scores[at, top] - rival,
        company,
        np.log(len(said)),
        how,
    ]
    return row


def spoken_of(
    at: int,
    phrase: PhraseCoverage,
    spans: Sequence[Span],
    features: Floats,
    scores: Floats,
) -> float | None:
    """Logit that the sentence that names a phrase speaks of it; ``None`` where none names it."""
    if phrase.status != "covered":
        return None
    row = mention_row(at, phrase, spans, features, scores)
    return None if row is None else float(shipped_mentions().logits(row[None])[0])
