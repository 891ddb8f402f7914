"""Reads a sentence with a phrase in mind, and says whether it says it: a small cross-encoder.

``by_meaning`` compares two vectors, each made without the other, and cannot tell a neighbor, a
denial or another sense from the phrase itself. Here the words of the phrase attend to the words of
the sentence: both come out of the lower layers of the sentence encoder, and two layers, first those
of all-MiniLM-L6-v2 (Apache-2.0), were trained on labeled answers (``scripts/train_cross.py``; late
interaction: MacAvaney et al. 2020, "Efficient document re-ranking for transformers by
precomputing term representations").
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Final

import numpy as np
import numpy.typing as npt
import onnxruntime

from server.core.errors import GraderFailedError
from server.grading.encoder import States, Vectors, session_of, states_of

FILE: Final = Path(__file__).with_name("data") / "cross_encoder.onnx"
MAX_PHRASE: Final = 16
"""Tokens of a phrase with its aliases; the rest is cut off."""

Floats = npt.NDArray[np.float64]
Kinds = npt.NDArray[np.int64]


class CrossEncoder:
    """Two layers in which words attend to a text; loads at its first use, safe in several threads.

    Raises:
        GraderFailedError: the file is missing or damaged; the text says what to do.
    """

    def __init__(self, file: Path = FILE) -> None:
        self._file = file
        self._lock = Lock()
        self._session: onnxruntime.InferenceSession | None = None

    def logits(self, own: Vectors, text: States, kinds: Kinds | None = None) -> Floats:
        """The logits for words (tokens, 384), below the encoder's last layers, that read a text.

        ``kinds`` is the kind of text of each token, where a network knows several. Each is computed
        alone, so it is the same in any company: the weights have 8 bits, and a larger batch would
        round its inputs together.
        """
        with self._lock:
            self._session = self._session or _session(self._file)
        inputs: dict[str, Vectors | Kinds] = {
            "phrase": own[None], "lower": text.lower[None], "upper": text.upper[None],
        }  # fmt: skip
        if kinds is not None:
            inputs["kinds"] = kinds[None]
        found: Floats = self._session.run(None, inputs)[0].reshape(-1).astype(np.float64)
        return found


def logits(pairs: Sequence[tuple[str, str]]) -> Floats:
    """For each pair (phrase, sentence) how surely the sentence says the phrase: a logit.

    Raises:
        GraderFailedError: a model is missing or damaged; the text says what to do.
    """
    found: dict[tuple[str, str], float] = {}
    for phrase, sentence in dict.fromkeys(pairs):
        own = states_of(phrase).lower[:MAX_PHRASE]
        found[phrase, sentence] = _shared().logits(own, states_of(sentence))[0]
    return np.array([found[pair] for pair in pairs])


@cache
def _shared() -> CrossEncoder:
    return CrossEncoder()


def _session(file: Path) -> onnxruntime.InferenceSession:
    try:
        return session_of(file.read_bytes())
    except Exception as error:  # onnxruntime has many kinds
        raise GraderFailedError(
            f"the judge's model, {file}, cannot be read: {error}; reinstall Aloud"
        ) from None
