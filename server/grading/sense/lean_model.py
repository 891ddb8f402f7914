"""Rewrites the encoder's file to save memory: words are looked up in 8 bits, then become floats.

In the shipped file, all 30,522 words become floats when it is loaded. That takes 47 MB, of which a
sentence needs fourteen rows, and another 90 MB during loading. After the rewrite, the rows of a
sentence are looked up first and then multiplied by their scales. The numbers are the same to the
last bit.

An ONNX file is a protocol buffer, read and written here field by field as
https://protobuf.dev/programming-guides/encoding/ describes, because the ``onnx`` package is not a
dependency.
"""

from collections.abc import Iterator
from typing import Final

_GRAPH, _NODE, _NODE_INPUT, _NODE_OUTPUT, _NODE_TYPE, _NODE_ATTRIBUTE = 7, 1, 1, 2, 4, 5
"""Field numbers in onnx.proto, of ``ModelProto``, ``GraphProto`` and ``NodeProto``."""
_VARINT, _EIGHT_BYTES, _SIZED, _FOUR_BYTES = 0, 1, 2, 5
_TABLE: Final = b"inner.embeddings.word_embeddings.weight"
_ROWS: Final = b"embedding"
"""The file's names for the vectors of all words and for those of a sentence."""


def lean(model: bytes) -> bytes:
    """The model with its words looked up before they become floats.

    Args:
        model: the ONNX file of the sentence encoder, as shipped.

    Raises:
        ValueError: it has no such words.
    """
    parts: list[bytes | memoryview] = []
    for number, field, content in _fields(model):
        if number == _GRAPH:
            graph = _with_rows_first(content)
            parts += [_head(_GRAPH, sum(map(len, graph))), *graph]
        else:
            parts.append(field)
    return b"".join(parts)  # once: it is 23 MB


def _with_rows_first(graph: memoryview) -> list[bytes | memoryview]:
    outputs = {_TABLE + b"_f", _TABLE, _ROWS}
    dropped: dict[bytes, memoryview] = {}
    kept: list[bytes | memoryview] = []
    for number, field, content in _fields(graph):
        made = outputs & {*_texts(content, _NODE_OUTPUT)} if number == _NODE else set()
        if made:
            dropped[made.pop()] = content
        else:
            kept.append(field)
    if dropped.keys() != outputs:
        raise ValueError("the sentence encoder's file does not look up words as expected")
    (_, ids), cast = _texts(dropped[_ROWS], _NODE_INPUT), dropped[_TABLE + b"_f"]
    as_floats = [field for number, field, _ in _fields(cast) if number == _NODE_ATTRIBUTE]
    nodes = (
        _node(b"Gather", (_TABLE + b"_q", ids), b"rows_q"),
        _node(b"Gather", (_TABLE + b"_scale", ids), b"rows_scale"),
        _node(b"Cast", (b"rows_q",), b"rows_f", *as_floats),
        _node(b"Mul", (b"rows_f", b"rows_scale"), _ROWS),
    )
    return [*nodes, *kept]


def _node(kind: bytes, inputs: tuple[bytes, ...], output: bytes, *more: memoryview) -> bytes:
    fields = [_sized(_NODE_INPUT, each) for each in inputs]
    fields += [_sized(_NODE_OUTPUT, output), _sized(_NODE_TYPE, kind)]
    return _sized(_NODE, b"".join([*fields, *more]))


def _texts(message: memoryview, wanted: int) -> list[bytes]:
    return [bytes(content) for number, _, content in _fields(message) if number == wanted]


def _fields(message: bytes | memoryview) -> Iterator[tuple[int, memoryview, memoryview]]:
    """Each field's number, its raw bytes, and its content."""
    view, at = memoryview(message), 0
    while at < len(view):
        start = at
        key, at = _varint(view, at)
        number, kind = key >> 3, key & 7
        if kind == _SIZED:
            size, at = _varint(view, at)
        elif kind == _VARINT:
            size = _varint(view, at)[1] - at
        elif kind in (_EIGHT_BYTES, _FOUR_BYTES):
            size = 8 if kind == _EIGHT_BYTES else 4
        else:
            raise ValueError("the sentence encoder's file is no ONNX model")
        yield number, view[start : at + size], view[at : at + size]
        at += size


def _varint(view: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = view[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def _sized(number: int, content: bytes) -> bytes:
    return _head(number, len(content)) + content


def _head(number: int, size: int) -> bytes:
    """The bytes before a field of this size."""
    head = bytearray([number << 3 | _SIZED])
    while size > 0x7F:
        head.append(size & 0x7F | 0x80)
        size >>= 7
    head.append(size)
    return bytes(head)
