"""The networks as one ONNX graph with 8-bit products, which takes less than half the time.

Each convolution is one product: the rows of its taps side by side, times its weights. The rows are
converted to 8 bits on the fly (the largest is 255); the weights are stored in 8 bits, with a scale
for each output channel. Everything before and between the products stays in 32-bit floats. A
processor without VNNI instructions adds two products in 16 bits: with the shipped networks 11 of
400 million such sums on speech did not fit, by a small amount. Mel energies, the input of the first
convolution, are large all at once, so its weights are small enough for any two products to fit.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper

from pronunciation.hearing.acoustic import N_CLASSES
from scripts.train.network import DILATIONS, KERNEL, N_MELS

Array = npt.NDArray[Any]
Weights = Mapping[str, Array]
"""A ``PhoneNet``'s state, by name."""

SMALLEST: Final = 4096
"""Weights of fewer elements stay in 32-bit floats."""
MOST_TOGETHER: Final = 127.5
"""The sum of two weights before rounding: it is 128 at most afterwards, and 255 times that fits."""
OPSET, IR_VERSION = 20, 9
BATCH_NORM_EPSILON: Final = 1e-5


def networks(trained: Sequence[tuple[Weights, Array]]) -> onnx.ModelProto:
    """The mean of the frame scores of some networks.

    Args:
        trained: each network's weights and its log prior of the classes.

    Returns:
        From ``mel`` (1, 80, frames) to ``scores`` (1, rows, classes).
    """
    graph = _Graph()
    mel = graph("Squeeze", graph("Transpose", "mel", perm=[0, 2, 1]), graph.axes(0))
    scores = [_network(graph, mel, weights, log_prior) for weights, log_prior in trained]
    mean = graph("Mul", graph("Sum", *scores), graph.constant(np.float32(1 / len(scores))))
    graph.nodes.append(helper.make_node("Unsqueeze", [mean, graph.axes(0)], ["scores"]))
    described = helper.make_graph(
        graph.nodes,
        "phones",
        [helper.make_tensor_value_info("mel", TensorProto.FLOAT, [1, N_MELS, "frames"])],
        [helper.make_tensor_value_info("scores", TensorProto.FLOAT, [1, "rows", N_CLASSES])],
        graph.constants,
    )
    opsets = [helper.make_opsetid("", OPSET)]
    return helper.make_model(described, opset_imports=opsets, ir_version=IR_VERSION)


def eight_bits(weights: Array, *, pairs_fit: bool = False) -> tuple[Array, Array]:
    """Weights of shape (inputs, outputs) as int8, and the scale of each output.

    Args:
        weights: an even number of inputs, if pairs must fit.
        pairs_fit: 255 times two weights in a row, one pair after the other, never needs more than
            16 bits.
    """
    scale = np.maximum(np.abs(weights).max(axis=0), 1e-8) / 127
    if pairs_fit:
        one, other = weights[::2], weights[1::2]
        together = np.where(one * other > 0, np.abs(one + other), 0.0).max(axis=0)
        scale = np.maximum(scale, together / MOST_TOGETHER)
    scale = scale.astype(np.float32)
    return np.clip(np.rint(weights / scale), -127, 127).astype(np.int8), scale


class _Graph:
    """Nodes and constants as they are added."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []
        self._known: dict[tuple[Any, ...], str] = {}

    def __call__(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """Add a node with one output."""
        return self.several(kind, 1, *inputs, **attributes)[0]

    def several(self, kind: str, outputs: int, *inputs: str, **attributes: Any) -> list[str]:
        """Add a node; the names of its outputs."""
        names = [f"n{len(self.nodes)}_{place}" for place in range(outputs)]
        self.nodes.append(helper.make_node(kind, list(inputs), names, **attributes))
        return names

    def constant(self, value: Array | np.float32) -> str:
        """A constant's name, the same for the same value."""
        array = np.asarray(value)
        key = (array.dtype.str, array.shape, array.tobytes())
        if key not in self._known:
            self._known[key] = f"c{len(self.constants)}"
            self.constants.append(numpy_helper.from_array(array, self._known[key]))
        return self._known[key]

    def axes(self, *values: int) -> str:
        """Integers as a constant."""
        return self.constant(np.array(values, np.int64))

    def number(self, value: int) -> str:
        """An integer as a constant."""
        return self.constant(np.array(value, np.int64))

    def matrix(self, weights: Array) -> str:
        """Weights of shape (inputs, outputs) as floats, stored in 8 bits if there are many.

        They become floats when the network is loaded. onnxruntime would merge a
        ``DequantizeLinear`` with the product into one that takes three times as long.
        """
        if weights.size < SMALLEST:
            return self.constant(weights.astype(np.float32))
        small, scale = eight_bits(weights)
        floats = self("Cast", self.constant(small), to=TensorProto.FLOAT)
        return self("Mul", floats, self.constant(scale))

    def side_by_side(self, padded: str, rows: str, taps: int, dilation: int, stride: int) -> str:
        """The rows under each tap of a convolution, one after the other, copied once.

        Args:
            padded: the rows with what is before the first and after the last.
            rows: the same without.
            taps: how many.
            dilation: rows from one tap to the next.
            stride: rows from one place of the first tap to the next.
        """
        count = self("Gather", self("Shape", rows), self.number(0))
        first = self("Range", self.number(0), count, self.number(stride))
        places = self(
            "Add",
            self("Unsqueeze", first, self.axes(1)),
            self.axes(*range(0, taps * dilation, dilation)),
        )
        found = self("Gather", padded, places, axis=0)
        return self("Reshape", found, self.axes(0, -1))


def _network(graph: _Graph, mel: str, weights: Weights, log_prior: Array) -> str:
    x = graph("Gelu", _convolved(graph, mel, weights, "conv1", pairs_fit=True))
    x = _convolved(graph, x, weights, "conv2", stride=2)
    for number, dilation in enumerate(DILATIONS):
        block = f"blocks.{number}."
        inner = graph("Gelu", _normalized(graph, x, weights, f"{block}norm"))
        inner = _convolved(graph, inner, weights, f"{block}conv", dilation=dilation)
        gate = graph("ReduceMean", inner, graph.axes(0), keepdims=1)
        gate = graph("Relu", _linear(graph, gate, weights, f"{block}squeeze"))
        gate = graph("Sigmoid", _linear(graph, gate, weights, f"{block}excite"))
        x = graph("Add", x, graph("Mul", inner, gate))
    x = graph("Gelu", _normalized(graph, x, weights, "norm"))
    logs = graph("LogSoftmax", _linear(graph, x, weights, "head"), axis=-1)
    return graph("Sub", logs, graph.constant(log_prior.astype(np.float32)))


def _convolved(
    graph: _Graph,
    rows: str,
    weights: Weights,
    name: str,
    *,
    dilation: int = 1,
    stride: int = 1,
    pairs_fit: bool = False,
) -> str:
    """The convolution of rows (frames, inputs) along the frames."""
    kernel = weights[f"{name}.weight"]
    outputs, inputs, taps = kernel.shape
    assert taps in (3, KERNEL)
    flat = kernel.transpose(2, 1, 0).reshape(taps * inputs, outputs)
    reach = dilation * (taps // 2)
    edges = graph.axes(reach, 0, reach, 0)
    integers, scale, zero = graph.several("DynamicQuantizeLinear", 3, rows)
    padded = graph("Pad", integers, edges, zero)  # zero is exact in 8 bits
    taken = graph.side_by_side(padded, rows, taps, dilation, stride)
    kept, scales = eight_bits(flat, pairs_fit=pairs_fit)
    whole = graph("MatMulInteger", taken, graph.constant(kept), zero)
    scale = graph("Mul", scale, graph.constant(scales))
    product = graph("Mul", graph("Cast", whole, to=TensorProto.FLOAT), scale)
    return graph("Add", product, graph.constant(weights[f"{name}.bias"].astype(np.float32)))


def _normalized(graph: _Graph, x: str, weights: Weights, name: str) -> str:
    scale = weights[f"{name}.weight"] / np.sqrt(weights[f"{name}.running_var"] + BATCH_NORM_EPSILON)
    shift = weights[f"{name}.bias"] - weights[f"{name}.running_mean"] * scale
    scaled = graph("Mul", x, graph.constant(scale.astype(np.float32)))
    return graph("Add", scaled, graph.constant(shift.astype(np.float32)))


def _linear(graph: _Graph, x: str, weights: Weights, name: str) -> str:
    product = graph("MatMul", x, graph.matrix(weights[f"{name}.weight"].T))
    return graph("Add", product, graph.constant(weights[f"{name}.bias"].astype(np.float32)))
