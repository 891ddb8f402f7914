"""Rewrites the encoder's file: another last layer, and words looked up in 8 bits to save memory.

In the shipped file, all 30,522 words become floats when it is loaded. That takes 47 MB, of which a
sentence needs fourteen rows, and another 90 MB during loading. After the rewrite, the rows of a
sentence are looked up first and then multiplied by their scales. The numbers are the same to the
last bit.

The last layer is replaced by one that ``scripts/train_encoder.py`` trained further: the same
tensors with other numbers.

The other weights can stay in the shipped file, from which onnxruntime maps them. Copying them takes
a third of the time that loading takes, and 14 MB at its peak.

An ONNX file is a protocol buffer, read and written here field by field as
https://protobuf.dev/programming-guides/encoding/ describes, because the ``onnx`` package is not a
dependency.
"""

from collections.abc import Iterator, Mapping
from mmap import mmap
from typing import Final

import numpy as np

_GRAPH, _NODE, _NODE_INPUT, _NODE_OUTPUT, _NODE_TYPE, _NODE_ATTRIBUTE = 7, 1, 1, 2, 4, 5
_TENSOR, _TENSOR_TYPE, _TENSOR_NAME, _TENSOR_DATA, _TENSOR_OUTSIDE, _TENSOR_LOCATION = (
    5, 2, 8, 9, 13, 14
)  # fmt: skip
_KEY, _VALUE = 1, 2
"""Field numbers in onnx.proto, of models, graphs, nodes, tensors and what says where one is."""
_INT8, _EXTERNAL = 3, 1
"""The type of a tensor, and the place of its data."""
_VARINT, _EIGHT_BYTES, _SIZED, _FOUR_BYTES = 0, 1, 2, 5
_TABLE: Final = b"inner.embeddings.word_embeddings.weight"
_ROWS: Final = b"embedding"
"""The file's names for the vectors of all words and for those of a sentence."""

Message = bytes | memoryview | mmap
"""A protocol buffer, or a file of one."""


def lean(
    model: Message, tensors: Mapping[str, np.ndarray] | None = None, *, file: str | None = None
) -> bytes:
    """The model with its words looked up before they become floats.

    Args:
        model: the ONNX file of the sentence encoder, as shipped.
        tensors: new values for some of its tensors, by name.
        file: the name of the file; its weights in 8 bits stay there, for onnxruntime to map.

    Raises:
        ValueError: it has no such words, or no such tensors of this size.
    """
    parts: list[bytes | memoryview] = []
    for start, number, field, content in _placed(model):
        if number == _GRAPH:
            graph = _with_rows_first(content)
            graph += _with_tensors(content, tensors or {}, start, file)
            parts += [_head(_GRAPH, sum(map(len, graph))), *graph]
        else:
            parts.append(field)
    return b"".join(parts)  # once: it is 23 MB


def _with_rows_first(graph: memoryview) -> list[bytes | memoryview]:
    """The fields of the graph but for its tensors."""
    outputs = {_TABLE + b"_f", _TABLE, _ROWS}
    dropped: dict[bytes, memoryview] = {}
    kept: list[bytes | memoryview] = []
    for number, field, content in fields_of(graph):
        made = outputs & {*_texts(content, _NODE_OUTPUT)} if number == _NODE else set()
        if made:
            dropped[made.pop()] = content
        elif number != _TENSOR:
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
    graph: memoryview, tensors: Mapping[str, np.ndarray], start: int, file: str | None
) -> list[bytes | memoryview]:
    """The tensors of the graph, with the given values in place of its own.

    ``start``: its first byte in the file.
    """
    missing = {name.encode(): values for name, values in tensors.items()}
    parts: list[bytes | memoryview] = []
    for at, number, field, content in _placed(graph, start):
        if number != _TENSOR:
            continue
        values = missing.pop(_texts(content, _TENSOR_NAME)[0], None)
        if values is not None:
            parts.append(sized(_TENSOR, _filled(content, values)))
        elif file is not None and _is_int8(content):
            parts.append(sized(_TENSOR, _outside(content, at, file)))
        else:
            parts.append(field)
    if missing:
        names = ", ".join(sorted(name.decode() for name in missing))
        raise ValueError(f"the sentence encoder's file has no tensors {names}")
    return parts


def _is_int8(tensor: memoryview) -> bool:
    """Whether its numbers are bytes, which may begin anywhere in a file."""
    return any(
        number == _TENSOR_TYPE and content[0] == _INT8 for number, _, content in fields_of(tensor)
    )


def _outside(tensor: memoryview, start: int, file: str) -> bytes:
    """A tensor whose data are in a file, in which the tensor begins at ``start``."""
    fields: list[bytes | memoryview] = []
    for at, number, field, content in _placed(tensor, start):
        if number != _TENSOR_DATA:
            fields.append(field)
            continue
        place = {"location": file, "offset": str(at), "length": str(len(content))}
        for key, value in place.items():
            entry = sized(_KEY, key.encode()) + sized(_VALUE, value.encode())
            fields.append(sized(_TENSOR_OUTSIDE, entry))
        fields.append(bytes((_TENSOR_LOCATION << 3 | _VARINT, _EXTERNAL)))
    return b"".join(fields)


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


def _placed(message: Message, start: int = 0) -> Iterator[tuple[int, int, memoryview, memoryview]]:
    """Each field of a message that begins at ``start``: where its content begins, and the field."""
    for number, field, content in fields_of(message):
        start += len(field)
        yield start - len(content), number, field, content


def fields_of(message: Message) -> Iterator[tuple[int, memoryview, memoryview]]:
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
