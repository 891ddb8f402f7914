"""Reads a sentence with a phrase in mind, and says whether it says it: a small cross-encoder.

``by_meaning`` compares two vectors, each made without the other, and cannot tell a neighbor, a
denial or another sense from the phrase itself. Here the words of the phrase attend to the words of
the sentence: both come out of the lower layers of the sentence encoder, and two layers, first those
of all-MiniLM-L6-v2 (Apache-2.0), were trained on labeled answers (``scripts/train_cross.py``; late
interaction: MacAvaney et al. 2020, "Efficient document re-ranking for transformers by
precomputing term representations").
"""

from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path
from threading import Lock
from typing import Final

import numpy as np
import numpy.typing as npt
import onnxruntime

from server.core.errors import GraderFailedError
from server.grading.encoder import Vectors, session_of, shared_encoder

FILE: Final = Path(__file__).with_name("data") / "cross_encoder.onnx"
MAX_PHRASE: Final = 16
"""Tokens of a phrase with its aliases; the rest is cut off."""

Floats = npt.NDArray[np.float64]


class CrossEncoder:
    """Loads at its first use and is safe to use from several threads."""

    def __init__(self, file: Path = FILE) -> None:
        self._file = file
        self._lock = Lock()
        self._session: onnxruntime.InferenceSession | None = None

    def logits(self, pairs: Sequence[tuple[str, str]]) -> Floats:
        """For each pair (phrase, sentence) how surely the sentence says the phrase: a logit.

        Each pair is computed alone, so it has the same logit in any company: the weights have 8
        bits, and a larger batch would round its inputs together.

        Raises:
            GraderFailedError: a model is missing or damaged; the text says what to do.
        """
        with self._lock:
            self._session = self._session or _session(self._file)
        said = {sentence for _, sentence in pairs}
        sentences = dict(zip(said, shared_encoder().states(list(said)), strict=True))
        found: dict[tuple[str, str], float] = {}
        for phrase, sentence in dict.fromkeys(pairs):
            inputs = {
                "phrase": _phrase_states(phrase)[None],
                "lower": sentences[sentence].lower[None],
                "upper": sentences[sentence].upper[None],
            }
            (logit,) = self._session.run(None, inputs)[0]
            found[phrase, sentence] = float(logit)
        return np.array([found[pair] for pair in pairs])


@cache
def shared_cross_encoder() -> CrossEncoder:
    """The cross-encoder of this process."""
    return CrossEncoder()


@lru_cache(maxsize=4096)
def _phrase_states(phrase: str) -> Vectors:
    (states,) = shared_encoder().states([phrase])
    return states.lower[:MAX_PHRASE]


def _session(file: Path) -> onnxruntime.InferenceSession:
    try:
        return session_of(file.read_bytes())
    except Exception as error:  # onnxruntime has many kinds
        raise GraderFailedError(
            f"the judge's model, {file}, cannot be read: {error}; reinstall Aloud"
        ) from None
