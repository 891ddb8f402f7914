r"""The networks of an ONNX file as ``train`` saves them, to learn on from what is shipped.

    python -m scripts.train.restore --model pronunciation/hearing/model/phones.onnx \
        --out wide.pt narrow.pt

The weights come back as 8 bits kept them. A normalization comes back as its scale and shift alone,
so ``train`` must leave it as it is (``--keep-norms``).
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper

from scripts.train.eight_bit import BATCH_NORM_EPSILON, Array, Weights
from scripts.train.network import DILATIONS, PhoneNet, save


def restored(model: onnx.ModelProto) -> Iterator[tuple[Weights, Array]]:
    """The weights and the log prior of each network that ``eight_bit.networks`` put together."""
    weights: dict[str, Array] = {}
    names = iter(_names())
    for array in _constants(model.graph):
        name = next(names)
        if name == "log_prior":
            yield weights, array
            weights, names = {}, iter(_names())
        elif name.endswith("norm.weight"):
            weights[name] = array
            weights[name.replace("weight", "running_mean")] = np.zeros_like(array)
            weights[name.replace("weight", "running_var")] = np.ones_like(array) - np.float32(
                BATCH_NORM_EPSILON
            )
            weights[name.replace("weight", "num_batches_tracked")] = np.array(0)
        elif array.ndim == 2 and "conv" in name:
            taps = 3 if name.startswith("conv2") else 5
            weights[name] = array.reshape(taps, -1, array.shape[1]).transpose(2, 1, 0).copy()
        else:
            weights[name] = array.T.copy()


def _names() -> list[str]:
    """What the graph's constants are, in the order in which it computes."""
    layers = ["conv1", "conv2"]
    for number in range(len(DILATIONS)):
        layers += [f"blocks.{number}.{part}" for part in ("norm", "conv", "squeeze", "excite")]
    layers += ["norm", "head"]
    return [f"{layer}.{kind}" for layer in layers for kind in ("weight", "bias")] + ["log_prior"]


def _constants(graph: onnx.GraphProto) -> Iterator[Array]:
    """Weights (inputs, outputs), scales and shifts as floats, in the graph's order."""
    known = {each.name: numpy_helper.to_array(each) for each in graph.initializer}
    waiting: Array | None = None
    for node in graph.node:
        given = [known[name] for name in node.input if name in known]
        if node.op_type in ("MatMulInteger", "Cast") and given:
            [waiting] = given  # in 8 bits; their scales follow
        elif (
            node.op_type in ("Mul", "Add", "Sub", "MatMul")
            and given
            and given[0].ndim
            and given[0].dtype == np.float32
        ):
            [array] = given
            if waiting is not None:
                array, waiting = waiting.astype(np.float32) * array, None
            yield array


def main() -> None:
    """Write one file for each network."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--out", type=Path, nargs="+", required=True)
    args = parser.parse_args()
    networks = restored(onnx.load(args.model))
    for path, (weights, log_prior) in zip(args.out, networks, strict=True):
        net = PhoneNet(weights["head.weight"].shape[1])
        net.load_state_dict({name: torch.tensor(value) for name, value in weights.items()})
        save(net, torch.tensor(log_prior), path)


if __name__ == "__main__":
    main()
