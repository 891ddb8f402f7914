r"""Write trained networks as one ONNX with 8-bit weights, and check it against PyTorch.

    python -m scripts.train.export --net wide.pt narrow.pt \
        --out pronunciation/hearing/model/phones.onnx

Several networks are averaged, because they often make different errors.
"""

import argparse
from pathlib import Path

import numpy as np
import onnx
import torch

from scripts.train.eight_bit import networks
from scripts.train.network import load
from scripts.train.train import emissions


def main() -> None:
    """Export and compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--net", type=Path, nargs="+", required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    trained = [load(path) for path in args.net]
    args.out.parent.mkdir(parents=True, exist_ok=True)
    model = networks(
        [
            ({name: value.numpy() for name, value in net.state_dict().items()}, log_prior.numpy())
            for net, log_prior in trained
        ]
    )
    onnx.checker.check_model(model)
    onnx.save(model, args.out)
    import onnxruntime

    session = onnxruntime.InferenceSession(str(args.out), providers=["CPUExecutionProvider"])
    for frames in (64, 301, 1000):
        mel = torch.randn(1, 80, frames) * 0.3
        (got,) = session.run(None, {"mel": mel.numpy()})
        with torch.no_grad():
            scores = [emissions(net.eval()(mel), log_prior) for net, log_prior in trained]
        want = torch.stack(scores).mean(0).numpy()
        print(f"{frames} frames: mean difference {np.abs(got - want).mean():.4f} nats")
    print(f"{args.out.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
