"""What the scripts share that let the voice speak, keep what was written, and learn from it."""

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from pronunciation.hearing.acoustic import LABEL_INDEX, N_CLASSES
from pronunciation.hearing.places import Floats

PENALTY: Final = 2.0
PCM: Final = 32_767
"""Of a 16-bit sample."""


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
        step = np.linalg.solve(curvature + PENALTY * np.eye(len(weights)), slope)
        weights += step
        if np.abs(step).max() < 1e-6:
            break
    own = weights[:-1] / spread
    return Learned(own, float(weights[-1] - mean @ own))


def named(names: Sequence[str], learned: Learned) -> dict[str, float]:
    """The weights by their names."""
    return {n: round(float(w), 4) for n, w in zip(names, learned.weights, strict=True)}


def confusions() -> Floats:
    """Probability that a phone that is meant comes out as another, by the table of confusions.

    Shape (classes, classes).
    """
    table = json.loads(Path("pronunciation/data/confusions.json").read_text(encoding="utf-8"))
    costs = np.ones((N_CLASSES, N_CLASSES))
    np.fill_diagonal(costs, 0.0)
    for pair, cost in table["swapped"].items():
        one, other = (LABEL_INDEX[phone] for phone in pair.split())
        costs[one, other] = costs[other, one] = cost
    costs[0, 1:] = costs[1:, 0] = 2.0
    shares = np.exp(-5.0 * costs)
    return np.asarray(shares / shares.sum(axis=1, keepdims=True), np.float32)
