"""The tensors of an ONNX file.

It is a protocol buffer, read here field by field as
https://protobuf.dev/programming-guides/encoding/ describes, because the ``onnx`` package is not a
dependency.
"""

from collections.abc import Iterator
from math import prod
from mmap import mmap
from typing import Final

import numpy as np

_GRAPH, _TENSOR = 7, 5
_SIZE, _TYPE, _NAME, _DATA = 1, 2, 8, 9
"""Field numbers in onnx.proto, of ``ModelProto``, ``GraphProto`` and ``TensorProto``."""
_TYPES: Final = {1: np.float32, 3: np.int8}
_VARINT, _EIGHT_BYTES, _SIZED, _FOUR_BYTES = 0, 1, 2, 5


def tensors_of(model: bytes | mmap) -> dict[str, np.ndarray]:
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
            raise ValueError("this is no ONNX file")
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
