"""One spoken sentence of the training data."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pronunciation.clip import decode_pcm16
from pronunciation.g2p import Phones
from pronunciation.hearing.acoustic import LABEL_INDEX, SILENCE


@dataclass(frozen=True, eq=False)
class Utterance:
    """One spoken sentence.

    Attributes:
        samples: int16, shape (n,), 16 kHz.
        words: the words' phones, without stress.
        speaker: speaker or voice.
        ends: (label index, end in seconds) of an alignment, empty if there is none.
        text: the words as written.
    """

    samples: npt.NDArray[np.int16]
    words: tuple[Phones, ...]
    speaker: str
    ends: tuple[tuple[int, float], ...]
    text: str

    def sound(self) -> npt.NDArray[np.float32]:
        """The samples within [-1, 1]."""
        return decode_pcm16(self.samples.tobytes())

    def word_spans_s(self) -> tuple[tuple[float, float], ...]:
        """Start and end of each word, empty if the alignment is not of these phones."""
        spans: list[tuple[float, float]] = []
        phones = [LABEL_INDEX[phone] for word in self.words for phone in word]
        aligned = [label for label, _ in self.ends if label != LABEL_INDEX[SILENCE]]
        if not self.ends or phones != aligned:
            return ()
        starts_s = (0.0, *(end_s for _, end_s in self.ends))
        pieces = [
            (start_s, end_s)
            for start_s, (label, end_s) in zip(starts_s, self.ends, strict=False)
            if label != LABEL_INDEX[SILENCE]
        ]
        at = 0
        for word in self.words:
            spans.append((pieces[at][0], pieces[at + len(word) - 1][1]))
            at += len(word)
        return tuple(spans)
