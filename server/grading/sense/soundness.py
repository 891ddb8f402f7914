"""How much of what an answer touches it says rightly, by how it sounds as a whole.

A right answer of two sentences says little of what was asked and is sound; a confidently wrong one
touches much of it and is not. No single sentence tells, but wrong answers by different people
resemble each other in what they speak of and in how they say it. A logistic regression over the
mean of the answer's vectors and over its ``claims``, fitted by ``scripts/train_soundness.py``;
``docs/grading-figures.md`` has the figures.
"""

from functools import cache

import numpy as np

from server.grading.sense.features import Floats
from server.grading.sense.logistic import Logistic
from server.grading.sense.thresholds import (
    BELIEVED,
    SHORT_ANSWER,
    SOUND,
    UNSOUND,
    WHOLE_ANSWER,
)
from server.grading.sense.vectors import AnswerSense, mean_vector


@cache
def shipped_soundness() -> Logistic:
    """The regression that ``scripts/train_soundness.py`` wrote."""
    return Logistic.shipped("server.grading.sense", "soundness")


def soundness_row(answer: AnswerSense, claims: Floats) -> Floats:
    """What the regression goes by; ``claims``: of the answer, see ``claims.answer_claims``."""
    row: Floats = np.concatenate((mean_vector(answer), claims))
    return row


def soundness_of(answer: AnswerSense, claims: Floats) -> float:
    """Logit of the share of what an answer touches that it says rightly."""
    return float(shipped_soundness().logits(soundness_row(answer, claims)[None])[0])


def weakness_of(soundness: float, count: int) -> float:
    """How much an answer sounds like one that is wrong in what it touches, 0 to 1.

    Args:
        soundness: of the answer, a logit.
        count: of its words; a sentence or two tell nothing of the whole.
    """
    return _doubt(soundness, count, UNSOUND, SOUND)


def believed_of(soundness: float, count: int) -> float:
    """How much of what an answer says is believed to be right, 0 to 1; arguments likewise."""
    return 1.0 - _doubt(soundness, count, *BELIEVED)


def _doubt(soundness: float, count: int, full: float, none: float) -> float:
    doubt = (none - soundness) / (none - full)
    told = (count - SHORT_ANSWER) / (WHOLE_ANSWER - SHORT_ANSWER)
    return min(1.0, max(0.0, doubt)) * min(1.0, max(0.0, told))
