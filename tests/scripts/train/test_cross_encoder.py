"""The cross-encoder learns, and its file says what the network says."""

from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="training needs PyTorch, the product does not")
pytest.importorskip("onnx", reason="writing a network needs onnx")

from scripts.train.cross_encoder import LAYERS, Reading, export, fit  # noqa: E402
from server.grading.cross_encoder import CrossEncoder  # noqa: E402
from server.grading.encoder import states_of  # noqa: E402

SAID = "What is left of the budget of errors decides whether we ship."
PAIRS = [
    Reading("error budget", ((0, SAID),), (1.0,), 1.0),
    Reading("error budget", ((0, "My brother works in a bakery."),), (0.0,), 1.0),
] * 8
SHAPES = {
    "attention.self.query": (384, 384),
    "attention.self.key": (384, 384),
    "attention.self.value": (384, 384),
    "attention.output.dense": (384, 384),
    "attention.output.LayerNorm": (384,),
    "intermediate.dense": (1536, 384),
    "output.dense": (384, 1536),
    "output.LayerNorm": (384,),
}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # the exporter that needs no onnxscript
def test_what_was_learned_is_in_the_file(tmp_path: Path) -> None:
    torch.manual_seed(1)
    weights = {}
    for layer in LAYERS:
        for name, shape in SHAPES.items():
            norm = len(shape) == 1
            values = torch.ones(shape) if norm else torch.randn(shape) * 0.05
            weights[f"encoder.layer.{layer}.{name}.weight"] = values
            weights[f"encoder.layer.{layer}.{name}.bias"] = torch.zeros(shape[:1])
    file = tmp_path / "cross.onnx"

    export(fit(PAIRS, weights, epochs=20), file)

    network, own = CrossEncoder(file), states_of("error budget").lower
    said, other = (network.logits(own, states_of(pair.texts[0][1]))[0] for pair in PAIRS[:2])
    assert said > 1.0
    assert other < -1.0
