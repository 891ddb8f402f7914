"""The sentence encoder's network, in NumPy: BERT with post-normalization (Devlin et al. 2019).

onnxruntime takes 150 ms to start and 67 MB to do the same: it unpacks all weights from 8 bits
before the first sentence. Here they are unpacked matrix by matrix, for all sentences at once, which
takes 2 ms. An answer's spans take no longer than there.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Tensors = Mapping[str, np.ndarray]
"""By name. A matrix in 8 bits, ``NAME_q`` (rows, columns), comes with ``NAME_scale``."""

DIMENSIONS: Final = 384
LAYERS: Final = 6
HEADS: Final = 12
MATRICES: Final = ("query", "key", "value", "out", "up", "down")
_NUMBERS: Final = (
    (49, 57, 65, 105, 109, 118),
    *(tuple(71 * layer + first for first in (122, 130, 138, 176, 180, 189)) for layer in range(5)),
)
"""The file's numbers of each layer's matrices."""
_BIASES: Final = (
    "attention.self.query", "attention.self.key", "attention.self.value",
    "attention.output.dense", "intermediate.dense", "output.dense",
)  # fmt: skip
_EPSILON: Final = np.float32(1e-12)
"""Of BERT's normalization."""
_MAX_ROWS: Final = 512
"""Tokens per run: more are no faster and take more memory (15 KB each)."""
_BLOCK: Final = 1 << 15
"""Values for which the steps of an activation stay in the processor's second cache."""
_LOGIT: Final = tuple(map(np.float32, (
    -1.1421863151418507e-07, 5.624970174659992e-06, -9.479629993941906e-05,
    -1.1471092317029965e-04, 7.272983393558684e-02, 1.5957458623966978,
)))  # fmt: skip
"""Of the share p of a normal distribution below x: ln(p / (1 - p)) is x times a polynomial of x².
It gives x times p to 6e-7."""
_LOGIT_ENDS: Final = np.float32(5.2**2)
"""From this x² on, where p is 0 or 1 to 1e-7, the factor stays the same."""


def matrix_name(layer: int, name: str) -> str:
    """The file's name for one of the ``MATRICES``, of which it has ``NAME_q`` and ``NAME_scale``.

    Args:
        layer: from 0 to 5.
        name: which matrix.
    """
    return f"val_{_NUMBERS[layer][MATRICES.index(name)]}"


def layer_prefix(layer: int) -> str:
    """What the names of a layer's other tensors begin with."""
    return f"inner.encoder.layer.{layer}."


@dataclass(frozen=True, eq=False)
class _Linear:
    """Products with a matrix, or with several side by side.

    Attributes:
        parts: int8 (rows, columns) each.
        scale: what each column of the products is multiplied by.
        bias: what is added then.
    """

    parts: tuple[np.ndarray, ...]
    scale: Floats
    bias: Floats

    @classmethod
    def of(cls, tensors: Tensors, layer: int, *names: str) -> "_Linear":
        files = [matrix_name(layer, name) for name in names]
        biases = [
            tensors[f"{layer_prefix(layer)}{_BIASES[MATRICES.index(name)]}.bias"] for name in names
        ]
        return cls(
            tuple(tensors[f"{file}_q"] for file in files),
            np.concatenate([tensors[f"{file}_scale"].ravel() for file in files]),
            np.concatenate(biases),
        )

    def __call__(self, values: Floats, room: Floats) -> Floats:
        """Of each row of ``values``; ``room`` is where the matrix is unpacked."""
        rows = len(self.parts[0])
        matrix = room[: rows * len(self.bias)].reshape(rows, len(self.bias))
        left = 0
        for part in self.parts:
            matrix[:, left : left + part.shape[1]] = part
            left += part.shape[1]
        products: Floats = values @ matrix
        products *= self.scale
        products += self.bias
        return products


@dataclass(frozen=True, eq=False)
class _Norm:
    weight: Floats
    bias: Floats

    @classmethod
    def of(cls, tensors: Tensors, name: str) -> "_Norm":
        return cls(tensors[f"{name}.weight"], tensors[f"{name}.bias"])

    def __call__(self, values: Floats) -> Floats:
        """The same array, each of its rows with mean 0 and variance 1, then scaled and shifted."""
        values -= values.mean(axis=1, keepdims=True)
        power = np.einsum("ij,ij->i", values, values) / np.float32(values.shape[1])
        values /= np.sqrt(power + _EPSILON)[:, None]
        values *= self.weight
        values += self.bias
        return values


class _Layer:
    def __init__(self, tensors: Tensors, number: int) -> None:
        prefix = layer_prefix(number)
        self._heads = _Linear.of(tensors, number, "query", "key", "value")
        self._out = _Linear.of(tensors, number, "out")
        self._middle = _Norm.of(tensors, f"{prefix}attention.output.LayerNorm")
        self._up = _Linear.of(tensors, number, "up")
        self._down = _Linear.of(tensors, number, "down")
        self._last = _Norm.of(tensors, f"{prefix}output.LayerNorm")

    def __call__(self, states: Floats, groups: Sequence[tuple[slice, int]], room: Floats) -> Floats:
        heads = self._heads(states, room)
        seen = np.empty_like(states)
        for rows, length in groups:
            seen[rows] = _attend(heads[rows], length)
        middle = self._out(seen, room)
        middle += states
        middle = self._middle(middle)
        found = self._down(_gelu(self._up(middle, room)), room)
        found += middle
        return self._last(found)


class Transformer:
    """The network. Safe in several threads.

    Args:
        tensors: its weights.
        layers: how many of its layers are used.
    """

    def __init__(self, tensors: Tensors, layers: int = LAYERS) -> None:
        inner = "inner.embeddings."
        self._words, self._places = (
            (tensors[f"{inner}{name}.weight_q"], tensors[f"{inner}{name}.weight_scale"])
            for name in ("word_embeddings", "position_embeddings")
        )
        self._kind = tensors[f"{inner}token_type_embeddings.weight"][0]
        self._first = _Norm.of(tensors, f"{inner}LayerNorm")
        self._layers = [_Layer(tensors, number) for number in range(layers)]

    def means(self, ids: Sequence[Sequence[int]]) -> Floats:
        """The mean state of each sentence's tokens, shape (n, 384).

        Args:
            ids: each sentence's tokens.
        """
        found = np.empty((len(ids), DIMENSIONS), np.float32)
        by_length = sorted(range(len(ids)), key=lambda at: len(ids[at]))
        run: list[int] = []
        rows = 0
        for at in by_length:
            if run and rows + len(ids[at]) > _MAX_ROWS:
                found[run] = self._means([ids[each] for each in run])
                run, rows = [], 0
            run.append(at)
            rows += len(ids[at])
        if run:
            found[run] = self._means([ids[each] for each in run])
        return found

    def states(self, ids: Sequence[Sequence[int]]) -> Floats:
        """The state of each token, shape (tokens, 384).

        Args:
            ids: each sentence's tokens; sentences of one length must stand side by side.
        """
        words = np.concatenate([np.asarray(each, np.int64) for each in ids])
        places = np.concatenate([np.arange(len(each)) for each in ids])
        states = _rows(self._words, words)
        states += self._kind
        states += _rows(self._places, places)
        states = self._first(states)
        groups: list[tuple[slice, int]] = []
        start = 0
        for length, alike in groupby(map(len, ids)):
            end = start + length * sum(1 for _ in alike)
            groups.append((slice(start, end), length))
            start = end
        room = np.empty(4 * DIMENSIONS * DIMENSIONS, np.float32)
        for layer in self._layers:
            states = layer(states, groups, room)
        return states

    def _means(self, ids: Sequence[Sequence[int]]) -> Floats:
        lengths = np.array([len(each) for each in ids])
        starts = np.cumsum(lengths) - lengths
        sums: Floats = np.add.reduceat(self.states(ids), starts, axis=0)
        sums /= lengths[:, None].astype(np.float32)
        return sums


def _rows(table: tuple[np.ndarray, np.ndarray], numbers: npt.NDArray[np.int64]) -> Floats:
    """Rows of a table in 8 bits, with a scale for each row."""
    values, scale = table
    found: Floats = values[numbers] * scale[numbers]
    return found


def _attend(heads: Floats, length: int) -> Floats:
    """What the tokens of each sentence see of each other, shape (tokens, 384).

    Args:
        heads: queries, keys and values (tokens, 1152) of sentences of one length.
        length: tokens of a sentence.
    """
    width = DIMENSIONS // HEADS
    query, key, value = heads.reshape(-1, length, 3, HEADS, width).transpose(2, 0, 3, 1, 4)
    near = (query * np.float32(width**-0.5)) @ key.swapaxes(2, 3)
    near -= near.max(axis=3, keepdims=True)
    np.exp(near, out=near)
    near /= near.sum(axis=3, keepdims=True)
    seen: Floats = (near @ value).swapaxes(1, 2).reshape(-1, DIMENSIONS)
    return seen


def _gelu(values: Floats) -> Floats:
    """The same array, each x times the share of a normal distribution below it."""
    flat = values.reshape(-1)
    rooms = np.empty((2, min(_BLOCK, flat.size)), np.float32)
    with np.errstate(over="ignore"):  # of what is nearly 0 in the end
        for start in range(0, flat.size, _BLOCK):
            block = flat[start : start + _BLOCK]
            squared, share = rooms[:, : block.size]
            np.multiply(block, block, out=squared)
            np.minimum(squared, _LOGIT_ENDS, out=squared)
            np.multiply(squared, -_LOGIT[0], out=share)
            for factor in _LOGIT[1:-1]:
                share -= factor
                share *= squared
            share -= _LOGIT[-1]
            share *= block
            np.exp(share, out=share)
            share += np.float32(1.0)
            block /= share
    return values
