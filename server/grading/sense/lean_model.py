"""Rewrites the encoder's file: another last layer, and words looked up in 8 bits to save memory.

In the shipped file, all 30,522 words become floats when it is loaded. That takes 47 MB, of which a
sentence needs fourteen rows, and another 90 MB during loading. After the rewrite, the rows of a
sentence are looked up first and then multiplied by their scales. The numbers are the same to the
last bit.

The last layer is replaced by one that ``scripts/train_encoder.py`` trained further: the same
tensors with other numbers.

An ONNX file is a protocol buffer, read and written here field by field as
https://protobuf.dev/programming-guides/encoding/ describes, because the ``onnx`` package is not a
dependency.
"""

from collections.abc import Iterator, Mapping
from typing import Final

import numpy as np

_GRAPH, _NODE, _NODE_INPUT, _NODE_OUTPUT, _NODE_TYPE, _NODE_ATTRIBUTE = 7, 1, 1, 2, 4, 5
_TENSOR, _TENSOR_NAME, _TENSOR_DATA = 5, 8, 9
"""Field numbers in onnx.proto, of models, graphs, nodes and tensors."""
_VARINT, _EIGHT_BYTES, _SIZED, _FOUR_BYTES = 0, 1, 2, 5
_TABLE: Final = b"inner.embeddings.word_embeddings.weight"
_ROWS: Final = b"embedding"
"""The file's names for the vectors of all words and for those of a sentence."""


def lean(model: bytes, tensors: Mapping[str, np.ndarray] | None = None) -> bytes:
    """The model with its words looked up before they become floats.

    Args:
        model: the ONNX file of the sentence encoder, as shipped.
        tensors: new values for some of its tensors, by name.

    Raises:
        ValueError: it has no such words, or no such tensors of this size.
    """
    parts: list[bytes | memoryview] = []
    for number, field, content in fields_of(model):
        if number == _GRAPH:
            graph = _with_tensors(_with_rows_first(content), tensors or {})
            parts += [_head(_GRAPH, sum(map(len, graph))), *graph]
        else:
            parts.append(field)
    return b"".join(parts)  # once: it is 23 MB


def _with_rows_first(graph: memoryview) -> list[bytes | memoryview]:
    outputs = {_TABLE + b"_f", _TABLE, _ROWS}
    dropped: dict[bytes, memoryview] = {}
    kept: list[bytes | memoryview] = []
    for number, field, content in fields_of(graph):
        made = outputs & {*_texts(content, _NODE_OUTPUT)} if number == _NODE else set()
        if made:
            dropped[made.pop()] = content
        else:
            kept.append(field)
    if dropped.keys() != outputs:
        raise ValueError("the sentence encoder's file does not look up words as expected")
    (_, ids), cast = _texts(dropped[_ROWS], _NODE_INPUT), dropped[_TABLE + b"_f"]
    as_floats = [field for number, field, _ in fields_of(cast) if number == _NODE_ATTRIBUTE]
    nodes = (
        _node(b"Gather", (_TABLE + b"_q", ids), b"rows_q"),
        _node(b"Gather", (_TABLE + b"_scale", ids), b"rows_scale"),
        _node(b"Cast", (b"rows_q",), b"rows_f", *as_floats),
        _node(b"Mul", (b"rows_f", b"rows_scale"), _ROWS),
    )
    return [*nodes, *kept]


def _with_tensors(
    graph: list[bytes | memoryview], tensors: Mapping[str, np.ndarray]
) -> list[bytes | memoryview]:
    """The fields of the graph, with the given values in place of its own."""
    missing = {name.encode(): values for name, values in tensors.items()}
    parts: list[bytes | memoryview] = []
    for part in graph:
        ((number, _, content),) = fields_of(part)
        name = _texts(content, _TENSOR_NAME)[0] if number == _TENSOR else b""
        values = missing.pop(name, None)
        parts.append(part if values is None else sized(_TENSOR, _filled(content, values)))
    if missing:
        names = ", ".join(sorted(name.decode() for name in missing))
        raise ValueError(f"the sentence encoder's file has no tensors {names}")
    return parts


def _filled(tensor: memoryview, values: np.ndarray) -> bytes:
    data = values.tobytes()
    fields: list[bytes | memoryview] = []
    for number, field, content in fields_of(tensor):
        if number == _TENSOR_DATA and len(content) != len(data):
            raise ValueError("a tensor of the sentence encoder has another size")
        fields.append(sized(_TENSOR_DATA, data) if number == _TENSOR_DATA else field)
    return b"".join(fields)


def _node(kind: bytes, inputs: tuple[bytes, ...], output: bytes, *more: memoryview) -> bytes:
    fields = [sized(_NODE_INPUT, each) for each in inputs]
    fields += [sized(_NODE_OUTPUT, output), sized(_NODE_TYPE, kind)]
    return sized(_NODE, b"".join([*fields, *more]))


def _texts(message: memoryview, wanted: int) -> list[bytes]:
    return [bytes(content) for number, _, content in fields_of(message) if number == wanted]


def fields_of(message: bytes | memoryview) -> Iterator[tuple[int, memoryview, memoryview]]:
    """Each field's number, its raw bytes, and its content."""
    view, at = memoryview(message), 0
    while at < len(view):
        start = at
        key, at = varint(view, at)
        number, kind = key >> 3, key & 7
        if kind == _SIZED:
            size, at = varint(view, at)
        elif kind == _VARINT:
            size = varint(view, at)[1] - at
        elif kind in (_EIGHT_BYTES, _FOUR_BYTES):
            size = 8 if kind == _EIGHT_BYTES else 4
        else:
            raise ValueError("the sentence encoder's file is no ONNX model")
        yield number, view[start : at + size], view[at : at + size]
        at += size


def varint(view: memoryview, at: int) -> tuple[int, int]:
    """The number that starts at a byte, and the byte after it."""
    value = shift = 0
    while True:
        byte = view[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def sized(number: int, content: bytes) -> bytes:
    """A field of bytes."""
    return _head(number, len(content)) + content


def _head(number: int, size: int) -> bytes:
    """The bytes before a field of this size."""
    head = bytearray([number << 3 | _SIZED])
    while size > 0x7F:
        head.append(size & 0x7F | 0x80)
        size >>= 7
    head.append(size)
    return bytes(head)
