"""The grader's model: trees and regressions that ``scripts/train_grader.py`` fitted.

One file holds all of them, with the names of the features that each was fitted on.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

FILE = Path(__file__).with_name("data") / "grader.npz"


@dataclass(frozen=True, eq=False)
class Trees:
    """Gradient-boosted trees, whose leaves add up to a logit.

    Attributes:
        features: their names, in order.
        nodes: (n, 3): the feature, -1 for a leaf, and the numbers of the two children.
        values: (n,), the threshold up to which a row goes to the first child, or the leaf's value.
        roots: (trees,), the number of each tree's root.
        depth: of the deepest tree.
        bias: the logit without any tree.
        slope: the logits are multiplied by it, and ``shift`` added, so that chances are calibrated.
        shift: see ``slope``.
    """

    features: tuple[str, ...]
    nodes: npt.NDArray[np.int32]
    values: Floats
    roots: npt.NDArray[np.int32]
    depth: int
    bias: float
    slope: float
    shift: float

    def logits(self, rows: Sequence[Sequence[float]] | Floats) -> Floats:
        """Of rows (n, features), shape (n,)."""
        table = np.asarray(rows, np.float64).reshape(-1, len(self.features))
        at = np.broadcast_to(self.roots, (len(table), len(self.roots))).copy()
        lines = np.arange(len(table))[:, None]
        for _ in range(self.depth):
            feature = self.nodes[at, 0]
            left = table[lines, np.maximum(feature, 0)] <= self.values[at]
            at = np.where(feature < 0, at, np.where(left, self.nodes[at, 1], self.nodes[at, 2]))
        found: Floats = self.values[at].sum(axis=1) + self.bias
        return found * self.slope + self.shift

    def chances(self, rows: Sequence[Sequence[float]] | Floats) -> Floats:
        """Of rows (n, features), calibrated, shape (n,)."""
        chances: Floats = 1.0 / (1.0 + np.exp(-self.logits(rows)))
        return chances


def shipped_arrays(name: str) -> dict[str, np.ndarray]:
    """The arrays of one of the models that the training script wrote.

    Raises:
        KeyError: there is none of this name.
    """
    with np.load(FILE) as loaded:
        own = {key.removeprefix(f"{name}."): loaded[key]
               for key in loaded.files if key.startswith(f"{name}.")}  # fmt: skip
    if not own:
        raise KeyError(name)
    return own


@cache
def shipped_model(name: str) -> Trees:
    """The trees of this name."""
    own = shipped_arrays(name)
    depth, *numbers = own["numbers"].tolist()
    names = tuple(own["features"].tolist())
    return Trees(names, own["nodes"], own["values"], own["roots"], int(depth), *numbers)


@dataclass(frozen=True, eq=False)
class Linear:
    """Regressions, one or several: ``weights`` (…, features), ``bias`` (…)."""

    weights: Floats
    bias: Floats

    def logits(self, rows: Floats) -> Floats:
        """Of rows (…, features), shape (…,), where there is one regression."""
        found: Floats = rows @ self.weights + self.bias
        return found


@cache
def shipped_linear(name: str) -> Linear:
    """The regressions of this name."""
    own = shipped_arrays(name)
    return Linear(own["weights"].astype(np.float64), own["bias"].astype(np.float64))
