"""One spoken sentence of the training data."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["Phones", "Utterance"]

Phones = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Utterance:
    """One spoken sentence.

    Attributes:
        samples: int16, shape (n,), 16 kHz.
        words: the words' phones, without stress.
        speaker: speaker or voice.
        ends: (label index, end in seconds) of an alignment, empty where there is none.
        text: the words as written.
    """

    samples: npt.NDArray[np.int16]
    words: tuple[Phones, ...]
    speaker: str
    ends: tuple[tuple[int, float], ...]
    text: str
