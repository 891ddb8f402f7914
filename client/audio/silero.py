"""Silero's voice detector in NumPy: how likely somebody speaks in each 32 ms of a stream.

The network is the one of faster-whisper's wheel. onnxruntime computes each window's convolutions on
their own; all at once, as here, they take half the time.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from pronunciation.onnx_tensors import tensors_of

Floats = npt.NDArray[np.float32]

WINDOW: Final = 512
"""Samples for one probability; the network was trained with it."""
CONTEXT: Final = 64
"""Samples before a window that the network sees with it."""

_FRAME, _HOP, _FRAMES = 256, 128, 4
"""A window is four frames of a Fourier transform; the last one ends in its own reflection."""
_UNITS: Final = 128
_TOGETHER: Final = 128
"""Windows computed at once: what they take stays in the processor's second cache."""
_SHAPES: Final = {
    "encoder.feature_extractor.forward_basis_buffer": (258, 1, 256),
    "encoder.conv_layers.0.weight": (128, 129, 3),
    "encoder.conv_layers.1.weight": (64, 128, 3),
    "encoder.conv_layers.2.weight": (64, 64, 3),
    "encoder.conv_layers.3.weight": (128, 64, 3),
    "onnx::LSTM_209": (1, 4 * _UNITS, _UNITS),
    "onnx::LSTM_210": (1, 4 * _UNITS, _UNITS),
    "onnx::LSTM_211": (1, 8 * _UNITS),
    "decoder.conv1d.weight": (1, _UNITS, 1),
}
"""What the file must have."""


class Silero:
    """The network. Safe in several threads.

    Args:
        tensors: its weights, by their names in the file.
    """

    def __init__(self, tensors: dict[str, npt.NDArray[np.float32]]) -> None:
        def layer(number: int, *taps: int) -> tuple[Floats, Floats]:
            name = f"encoder.conv_layers.{number}"
            weight = tensors[f"{name}.weight"][:, :, taps]
            flat = weight.transpose(2, 1, 0).reshape(-1, len(weight))
            return np.ascontiguousarray(flat), tensors[f"{name}.bias"]

        basis = tensors["encoder.feature_extractor.forward_basis_buffer"]
        self._basis = np.ascontiguousarray(basis[:, 0].T)
        self._layers = layer(0, 0, 1, 2), layer(1, 0, 1, 2)
        # of what is left, two places and then one, only these taps see more than padding
        self._last_layers = layer(2, 1, 2), layer(3, 1)
        # gates are in, out, forget and cell; sigmoid(x) = (1 + tanh(x / 2)) / 2
        half = np.repeat(np.array([0.5, 0.5, 0.5, 1.0], np.float32), _UNITS)
        self._into, self._again = (
            np.ascontiguousarray(tensors[f"onnx::LSTM_{number}"][0].T * half)
            for number in (209, 210)
        )
        self._bias = tensors["onnx::LSTM_211"][0].reshape(2, -1).sum(axis=0) * half
        self._speech = tensors["decoder.conv1d.weight"][0, :, 0]
        self._speech_bias = tensors["decoder.conv1d.bias"]

    def run(self, windows: Floats, state: Floats) -> tuple[Floats, Floats]:
        """The probability of speech in each window, and the state after them.

        Args:
            windows: each with its context before it, shape (n, ``CONTEXT`` + ``WINDOW``).
            state: ``start`` or what the windows before left, shape (2, 128).

        Returns:
            Shapes (n,) and (2, 128).
        """
        found = [np.empty(0, np.float32)]
        for first in range(0, len(windows), _TOGETHER):
            gates = self._gates(windows[first : first + _TOGETHER])
            outputs, state = self._remembered(gates, state)
            odds = np.maximum(outputs, 0.0) @ self._speech + self._speech_bias
            found.append(1 / (1 + np.exp(-odds)))
        return np.concatenate(found), state

    @staticmethod
    def start() -> Floats:
        """The state before any sound."""
        return np.zeros((2, _UNITS), np.float32)

    def _gates(self, windows: Floats) -> Floats:
        """What each window alone adds to the gates, shape (n, 512)."""
        count = len(windows)
        padded = np.pad(windows, ((0, 0), (0, CONTEXT)), mode="reflect")
        frames = np.lib.stride_tricks.sliding_window_view(padded, _FRAME, axis=1)[:, ::_HOP]
        parts = np.square(frames.reshape(-1, _FRAME) @ self._basis)
        bins = parts.shape[1] // 2
        states = np.sqrt(parts[:, :bins] + parts[:, bins:]).reshape(count, _FRAMES, bins)
        for number, (matrix, bias) in enumerate(self._layers):
            states = _convolved(states, matrix, bias, stride=number + 1)
        rows = states.reshape(count, -1)
        for matrix, bias in self._last_layers:
            rows = np.maximum(rows @ matrix + bias, 0.0)
        gates: Floats = rows @ self._into + self._bias
        return gates

    def _remembered(self, gates: Floats, state: Floats) -> tuple[Floats, Floats]:
        """The output after each window, shape (n, 128), and the state after the last."""
        outputs = np.empty((len(gates), _UNITS), np.float32)
        (output, cell), half = state.copy(), np.float32(0.5)
        gate, added = np.empty(4 * _UNITS, np.float32), np.empty(_UNITS, np.float32)
        opened, (into, out, kept, new) = gate[: 3 * _UNITS], gate.reshape(4, _UNITS)
        for row, following in zip(gates, outputs, strict=True):
            np.dot(output, self._again, out=gate)
            gate += row
            np.tanh(gate, out=gate)
            opened *= half
            opened += half
            cell *= kept
            np.multiply(into, new, out=added)
            cell += added
            np.tanh(cell, out=following)
            following *= out
            output = following
        return outputs, np.stack([output, cell])


def _convolved(states: Floats, matrix: Floats, bias: Floats, stride: int) -> Floats:
    """Rectified convolution over three places, shape (n, places / stride, outputs)."""
    count, _, inputs = states.shape
    padded = np.pad(states, ((0, 0), (1, 1), (0, 0)))
    taps = np.lib.stride_tricks.sliding_window_view(padded, 3, axis=1)[:, ::stride]
    rows = taps.transpose(0, 1, 3, 2).reshape(-1, 3 * inputs) @ matrix
    rows += bias
    np.maximum(rows, 0.0, out=rows)
    return rows.reshape(count, -1, len(bias))


def silero_of(model: bytes) -> Silero:
    """The network of a file.

    Raises:
        ValueError: it holds another network, or is damaged.
    """
    try:
        tensors = tensors_of(model)
    except IndexError:
        raise ValueError("the file breaks off") from None
    for name, shape in _SHAPES.items():
        if name not in tensors or tensors[name].shape != shape:
            raise ValueError(f"{name} of shape {shape} is missing")
    return Silero(tensors)
