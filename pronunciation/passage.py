"""What a speech recognizer's decoder is asked: how likely texts are, given some sound."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pronunciation.clip import Clip

Parts = tuple[str, str, str]
"""A text: what is before a place, what is there, and what follows."""

LogProbs = tuple[tuple[float, ...], tuple[float, ...], tuple[float, ...]]
"""The natural logarithm of the probability of each token, in the parts of a text."""


@dataclass(frozen=True, eq=False)
class Passage:
    """Sound, and texts that may have been said in it.

    Attributes:
        clip: the sound, at most 30 s at 16 kHz.
        texts: in three parts each.
        prompt: a name that the decoder gets beforehand, as if it had just heard it: a rare name is
            then no less likely than an ordinary word of the same sound. Empty: none.
    """

    clip: Clip
    texts: tuple[Parts, ...]
    prompt: str = ""


Decode = Callable[[Sequence[Passage]], Sequence[Sequence[LogProbs]] | None]
"""The tokens of every text of every passage; ``None`` where there is no decoder, or it failed."""
