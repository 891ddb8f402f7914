"""How much of what an answer touches it says rightly: its soundness.

A right answer of two sentences says little of what was asked and is sound; a confidently wrong one
names much of it and is not. No single sentence shows this. But a wrong answer names phrases in
sentences that are not close to what the bank says of them, and the rest of it is not either. A
logistic regression that ``scripts/train_soundness.py`` fits goes by how surely the answer says the
question's phrases, those that it names among them, and by how it says things (``claims``).
``docs/maintainers/grading-figures.md`` has the figures.
"""

from functools import cache

from server.grading.sense.logistic import Floats, Logistic
from server.grading.sense.thresholds import (
    BELIEVED,
    SHORT_ANSWER,
    SOUND,
    UNSOUND,
    WHOLE_ANSWER,
)


@cache
def shipped_soundness() -> Logistic:
    """The regression that ``scripts/train_soundness.py`` wrote."""
    return Logistic.shipped("server.grading.sense", "soundness")


def soundness_of(row: Floats) -> float:
    """Logit of the share of what an answer touches that it says rightly.

    ``row``: ``fusion.soundness_row`` of the answer.
    """
    return float(shipped_soundness().logits(row))


def weakness_of(soundness: float, count: int) -> float:
    """How much an answer sounds like one that is wrong in what it touches, 0 to 1.

    Args:
        soundness: a logit.
        count: the number of words.
    """
    return _doubt(soundness, count, UNSOUND, SOUND)


def believed_of(soundness: float, count: int) -> float:
    """How much of what an answer says is believed to be right, 0 to 1; same arguments."""
    return 1.0 - _doubt(soundness, count, *BELIEVED)


def wholeness_of(count: int) -> float:
    """How much of an answer so many words are, 0 to 1: a sentence or two say little about it."""
    told = (count - SHORT_ANSWER) / (WHOLE_ANSWER - SHORT_ANSWER)
    return min(1.0, max(0.0, told))


def _doubt(soundness: float, count: int, full: float, none: float) -> float:
    doubt = (none - soundness) / (none - full)
    return min(1.0, max(0.0, doubt)) * wholeness_of(count)
