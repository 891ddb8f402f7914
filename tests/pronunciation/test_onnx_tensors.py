import numpy as np
import pytest

from pronunciation.onnx_tensors import tensors_of


def test_a_tensor_has_its_name_its_shape_and_its_values() -> None:
    content = b"\x08\x02\x08\x01\x10\x01\x42\x02ab\x4a\x08" + np.array([1, 2], "<f4").tobytes()
    graph = b"\x2a" + bytes([len(content)]) + content
    (values,) = tensors_of(b"\x3a" + bytes([len(graph)]) + graph).values()
    assert values.tolist() == [[1.0], [2.0]]


def test_what_is_no_protocol_buffer_is_refused() -> None:
    with pytest.raises(ValueError, match="no ONNX file"):
        tensors_of(b"\x0f\x00\x00")
