"""What the scripts share that let the voice speak, keep what was written, and learn from it."""

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from pronunciation.hearing.places import Floats

PENALTY: Final = 2.0


def command_line(
    description: str | None, seed: int
) -> tuple[argparse.ArgumentParser, argparse.ArgumentParser, argparse.ArgumentParser]:
    """The parser of a script, and those of its commands ``speak`` and ``fit`` to add options to.

    Args:
        description: what the script does.
        seed: of what is spoken, unless another is given.
    """
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawTextHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    speaking, fitting = commands.add_parser("speak"), commands.add_parser("fit")
    speaking.add_argument("folder", type=Path)
    speaking.add_argument("--seed", type=int, default=seed)
    fitting.add_argument("--dry-run", action="store_true", help="write nothing")
    return parser, speaking, fitting


@dataclass(frozen=True, eq=False)
class Learned:
    """Weights of the features, and the log odds where all are 0."""

    weights: Floats
    bias: float


def regress(features: Floats, labels: Floats) -> Learned:
    """Logistic regression by Newton's method on standardized features."""
    mean, spread = features.mean(axis=0), features.std(axis=0) + 1e-9
    rows = np.c_[(features - mean) / spread, np.ones(len(features))]
    weights = np.zeros(rows.shape[1])
    for _ in range(30):
        shares = 1 / (1 + np.exp(-rows @ weights))
        curvature = rows.T @ (rows * (shares * (1 - shares))[:, None])
        slope = rows.T @ (labels - shares) - PENALTY * weights
        weights += np.linalg.solve(curvature + PENALTY * np.eye(len(weights)), slope)
    own = weights[:-1] / spread
    return Learned(own, float(weights[-1] - mean @ own))
