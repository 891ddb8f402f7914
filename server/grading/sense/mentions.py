"""Whether a sentence that names a phrase speaks of it, or has the words for something else.

"I could feel my own heartbeat" in an answer about failing nodes, or a name in an answer that says
nothing else of what was asked: a logistic regression over what the spans that hold the name are
close to, and over what the whole answer says. ``scripts/train_mentions.py`` fits it on answers and
sentences whose mentions coaches ticked or did not, and on sentences that only look like a phrase.
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

_HOWS: Final = ("exact", "alias", "fuzzy", "sound")


@cache
def shipped_mentions() -> Logistic:
    """The regression that ``scripts/train_mentions.py`` wrote."""
    file = resources.files("server.grading.sense").joinpath("data/mentions.json")
    return Logistic.from_json(json.loads(file.read_text("utf-8")))


def mention_row(
    at: int,
    phrases: Sequence[PhraseCoverage],
    spans: Sequence[Span],
    features: Floats,
    scores: Floats,
    rows: Floats,
    logits: Floats,
) -> Floats | None:
    """What the regression goes by; ``None`` where no span holds the words.

    Args:
        at: the phrase's number.
        phrases: as found by their words.
        spans: of the answer.
        features: shape (phrases, spans, features).
        scores: of each span for each phrase, shape (phrases, spans).
        rows: what is said of each phrase over the whole answer, shape (phrases, features).
        logits: that the answer says each phrase, shape (phrases,).
    """
    phrase = phrases[at]
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
    beside = [number for number in range(len(phrases)) if number != at]
    named = [float(phrases[number].status == "covered") for number in beside]
    row: Floats = np.concatenate(
        (
            features[at, holding].max(axis=0),
            features[at, top],
            (scores[at, top], scores[at, top] - rival, company, np.log(len(said))),
            how,
            (logits[at],),
            rows[at],
            (logits[beside].mean() if beside else logits[at],),
            (sum(named) / max(len(named), 1), np.log(ends.max())),
        )
    )
    return row


def spoken_of(
    at: int,
    phrases: Sequence[PhraseCoverage],
    spans: Sequence[Span],
    features: Floats,
    scores: Floats,
    rows: Floats,
    logits: Floats,
) -> float | None:
    """Logit that the sentence that names a phrase speaks of it; ``None`` where none names it."""
    if phrases[at].status != "covered":
        return None
    row = mention_row(at, phrases, spans, features, scores, rows, logits)
    return None if row is None else float(shipped_mentions().logits(row[None])[0])
