"""The tensors of the sentence encoder's file, and what it computes on the way, for training."""

from math import prod
from typing import Final

import numpy as np

from server.grading.sense.lean_model import fields_of, sized, varint

_GRAPH, _TENSOR, _OUTPUT = 7, 5, 12
_SIZE, _TYPE, _NAME, _DATA = 1, 2, 8, 9
"""Field numbers in onnx.proto, of ``ModelProto``, ``GraphProto`` and ``TensorProto``."""
_TYPES: Final = {1: np.float32, 3: np.int8}


def tensors_of(model: bytes) -> dict[str, np.ndarray]:
    """The weights of an ONNX file by name; only those that are float32 or int8."""
    found = {}
    for number, _, graph in fields_of(model):
        for kind, _, tensor in fields_of(graph) if number == _GRAPH else ():
            if kind == _TENSOR:
                name, values = _tensor(tensor)
                if values is not None:
                    found[name] = values
    return found


def _tensor(tensor: memoryview) -> tuple[str, np.ndarray | None]:
    sizes: list[int] = []
    name, data, kind = "", b"", 0
    for number, _, content in fields_of(tensor):
        if number == _SIZE:
            sizes.append(varint(content, 0)[0])
        elif number == _TYPE:
            kind = varint(content, 0)[0]
        elif number == _NAME:
            name = bytes(content).decode()
        elif number == _DATA:
            data = bytes(content)
    if kind not in _TYPES:
        return name, None
    values = np.frombuffer(data, _TYPES[kind])
    return name, values.reshape(sizes) if prod(sizes) == len(values) else None


def hidden_too(model: bytes, name: str) -> bytes:
    """The model with one more output, which is like its last one but for the name."""
    parts: list[bytes] = []
    for number, field, content in fields_of(model):
        if number == _GRAPH:
            output = [each for kind, _, each in fields_of(content) if kind == _OUTPUT][-1]
            named = [
                sized(1, name.encode()) if kind == 1 else bytes(own)
                for kind, own, _ in fields_of(output)
            ]
            parts.append(sized(_GRAPH, bytes(content) + sized(_OUTPUT, b"".join(named))))
        else:
            parts.append(bytes(field))
    return b"".join(parts)
