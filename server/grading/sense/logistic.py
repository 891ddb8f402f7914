"""A logistic regression, fitted by a script and stored as JSON."""

import json
import math
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Logistic:
    """A logistic regression on standardized features."""

    mean: Floats
    deviation: Floats
    weights: Floats
    bias: float

    def logits(self, features: Floats) -> Floats:
        """Of each row, or of one."""
        found: Floats = features @ self._slopes + self._intercept
        return found

    @cached_property
    def _slopes(self) -> Floats:
        """The weights of features that are not standardized."""
        return self.weights / self.deviation

    @cached_property
    def _intercept(self) -> float:
        return self.bias - float(self.mean @ self._slopes)

    @classmethod
    def shipped(cls, package: str, name: str) -> "Logistic":
        """What a training script wrote to ``data/NAME.json`` of a package."""
        file = resources.files(package).joinpath(f"data/{name}.json")
        return cls.from_json(json.loads(file.read_text("utf-8")))

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> "Logistic":
        """What ``to_json`` made."""
        mean, deviation, weights = (
            np.array(stored[name], np.float64) for name in ("mean", "deviation", "weights")
        )
        return cls(mean, deviation, weights, float(stored["bias"]))

    def to_json(self) -> dict[str, Any]:
        """Rounded, because six digits are far more than the data supports.

        A feature that never varied in the data has a deviation of 1 and a weight of 0.
        """
        deviation = np.where(np.round(self.deviation, 6) == 0.0, 1.0, self.deviation)
        rows = {"mean": self.mean, "deviation": deviation, "weights": self.weights}
        return {
            **{name: [round(float(each), 6) for each in row] for name, row in rows.items()},
            "bias": round(self.bias, 6),
        }


def sigmoid(logit: float) -> float:
    """The probability of a logit."""
    return 1.0 / (1.0 + math.exp(-logit))
