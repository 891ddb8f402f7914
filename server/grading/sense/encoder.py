"""Sentences as unit vectors; see ``weights`` and ``transformer``."""

from collections.abc import Sequence
from functools import cache
from threading import Lock
from typing import Final

import numpy as np
import numpy.typing as npt

from server.grading.sense.transformer import DIMENSIONS, Transformer
from server.grading.sense.weights import MODEL, load_weights
from server.grading.sense.word_pieces import WordPieces

__all__ = ["DIMENSIONS", "MODEL", "Encoder", "Vectors", "cosines", "shared_encoder"]

_BLOCK: Final = 4 * 65536
"""Multiplications up to which OpenBLAS uses one thread (``GEMM_MULTITHREAD_THRESHOLD``)."""
_ACROSS: Final = 64
"""Columns of a block; blocks that are nearly square take the least time."""

Vectors = npt.NDArray[np.float32]
"""Unit vectors, one per row, shape (n, 384)."""


def cosines(one: Vectors, other: Vectors) -> Vectors:
    """The cosine of each of ``one`` (n, d) with each of ``other`` (m, d), shape (n, m).

    In blocks small enough for OpenBLAS to use one thread. While a transcriber keeps the cores busy,
    its threads would wait for each other many times longer than a block takes, and their number
    would change the last digits.
    """
    found = np.empty((len(one), len(other)), np.float32)
    across = max(1, min(_ACROSS, len(other)))
    rows = max(1, _BLOCK // max(1, across * one.shape[1]))
    for left in range(0, len(other), across):
        columns = other[left : left + across].T
        for top in range(0, len(one), rows):
            block = found[top : top + rows, left : left + across]
            np.matmul(one[top : top + rows], columns, out=block)
    return found


class Encoder:
    """The sentence encoder; loads at its first use and is safe to use from several threads.

    Raises:
        GraderFailedError: the model is missing or damaged; the text says what to do.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._loaded: tuple[WordPieces, Transformer] | None = None

    def encode(self, sentences: Sequence[str]) -> Vectors:
        """The vectors of these sentences.

        A sentence has the same vector in any company: nothing is padded.
        """
        with self._lock:
            if self._loaded is None:
                self._loaded = WordPieces.shipped(), Transformer(load_weights())
            pieces, network = self._loaded
        vectors = network.means([pieces.of(sentence) for sentence in sentences])
        vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
        return vectors


@cache
def shared_encoder() -> Encoder:
    """The encoder of this process."""
    return Encoder()
