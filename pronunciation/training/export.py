r"""Write trained networks as one ONNX with 8-bit weights, and check it against PyTorch.

    python -m pronunciation.training.export --net wide.pt narrow.pt \
        --out pronunciation/hearing/model/phones.onnx

Several networks give the mean of their scores: what one of them errs in, the others often do not.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import helper, numpy_helper
from torch import Tensor, nn

from pronunciation.training.network import PhoneNet, load
from pronunciation.training.train import emissions

SMALLEST = 4096
"""Weights of fewer elements stay in 32-bit floats."""


class _Scores(nn.Module):
    """The networks, each with its prior divided out, averaged."""

    def __init__(self, trained: Sequence[tuple[PhoneNet, Tensor]]) -> None:
        super().__init__()
        self.nets = nn.ModuleList(net for net, _ in trained)
        self.log_priors = [log_prior for _, log_prior in trained]

    def forward(self, mel: Tensor) -> Tensor:
        pairs = zip(self.nets, self.log_priors, strict=True)
        return torch.stack([emissions(net(mel), log_prior) for net, log_prior in pairs]).mean(0)


def bare(model: onnx.ModelProto) -> onnx.ModelProto:
    """Without the exporter's remarks, which name the folders of the machine it ran on."""
    graph = model.graph
    for each in (model, graph, *graph.node, *graph.input, *graph.output, *graph.value_info):
        each.doc_string = ""
        del each.metadata_props[:]
    return model


def quantized(model: onnx.ModelProto) -> onnx.ModelProto:
    """Large weights as 8-bit integers with a scale for each output channel."""
    axes: dict[str, int] = {}
    for node in model.graph.node:
        if node.op_type in ("MatMul", "Gemm", "Conv") and len(node.input) > 1:
            transposed = any(a.name == "transB" and a.i for a in node.attribute)
            axes[node.input[1]] = 0 if node.op_type == "Conv" or transposed else 1
    kept, added = [], []
    for weight in model.graph.initializer:
        array = numpy_helper.to_array(weight)
        if weight.name not in axes or array.size < SMALLEST:
            kept.append(weight)
            continue
        axis = axes[weight.name]
        other = tuple(i for i in range(array.ndim) if i != axis)
        scale = np.maximum(np.abs(array).max(axis=other), 1e-8).astype(np.float32) / 127
        shape = [-1 if i == axis else 1 for i in range(array.ndim)]
        small = np.clip(np.rint(array / scale.reshape(shape)), -127, 127).astype(np.int8)
        kept.append(numpy_helper.from_array(small, weight.name + "_8bit"))
        kept.append(numpy_helper.from_array(scale, weight.name + "_scale"))
        names = [weight.name + "_8bit", weight.name + "_scale"]
        added.append(helper.make_node("DequantizeLinear", names, [weight.name], axis=axis))
    nodes = [*added, *model.graph.node]
    del model.graph.initializer[:], model.graph.node[:]
    model.graph.initializer.extend(kept)
    model.graph.node.extend(nodes)
    del model.graph.value_info[:]
    return model


def main() -> None:
    """Export, quantize, compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--net", type=Path, nargs="+", required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    module = _Scores([load(path) for path in args.net]).eval()
    example = torch.randn(1, 80, 300) * 0.3
    args.out.parent.mkdir(parents=True, exist_ok=True)
    program = torch.onnx.export(
        module, (example,), input_names=["mel"], output_names=["scores"], dynamo=True,
        dynamic_shapes={"mel": {2: torch.export.Dim("frames", min=8, max=2990)}},
    )  # fmt: skip
    if program is None:
        raise RuntimeError("the exporter gave nothing")
    program.optimize()
    onnx.save(bare(quantized(program.model_proto)), args.out)
    onnx.checker.check_model(str(args.out))
    import onnxruntime

    session = onnxruntime.InferenceSession(str(args.out), providers=["CPUExecutionProvider"])
    for frames in (64, 301, 1000):
        mel = torch.randn(1, 80, frames) * 0.3
        (got,) = session.run(None, {"mel": mel.numpy()})
        with torch.no_grad():
            want = module(mel).numpy()
        print(f"{frames} frames: mean difference {np.abs(got - want).mean():.4f} nats")
    print(f"{args.out.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
