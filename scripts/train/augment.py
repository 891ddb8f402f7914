"""Simulates voices, microphones, rooms and phone lines on mel energies.

On the energies, each change is a small matrix product or a sum; on the samples, it would take
longer than the training step. Warping the band axis stretches the vocal tract (and pitch)
independently of the tempo; noise is added as power; an echo is a decaying tail in time.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from pronunciation.hearing.acoustic import N_MELS, log_mel_energies

Floats = npt.NDArray[np.floating[Any]]

BEND_CENTRE_HZ = 1300.0
HIDDEN_BANDS, HIDDEN_FRAMES = 10, 6
"""The most neighboring bands and 10 ms frames that are hidden at once."""


def _band_hz() -> Floats:
    """Center of each mel band (Slaney's scale, as in the features)."""
    mels = np.linspace(0.0, 45.2456, N_MELS + 2)[1:-1]
    return np.where(mels < 15, mels * 200 / 3, 1000 * np.exp(np.log(6.4) * (mels - 15) / 27))


BAND_HZ = _band_hz()


def band_warp(energies: Floats, factor: float, bend: float = 1.0) -> Floats:
    """Energies of a vocal tract shorter by ``factor``: all frequencies times ``factor``.

    With a ``bend``, the first formant's range is stretched by that much less and the third's by
    that much more, because mouth and throat also differ in proportion.
    """
    octaves = np.clip(np.log2(BAND_HZ / BEND_CENTRE_HZ), -1.5, 1.5) / 1.5
    source_hz = np.minimum(BAND_HZ / (factor * bend**octaves), BAND_HZ[-1])
    at = np.interp(source_hz, BAND_HZ, np.arange(N_MELS))
    low = np.floor(at).astype(int).clip(max=N_MELS - 2)
    part = (at - low)[:, None]
    return (1 - part) * energies[low] + part * energies[low + 1]


def _at_speed(energies: Floats, speed: float) -> Floats:
    at = np.arange(0, energies.shape[1] - 1, speed)
    low = at.astype(int)
    part = at - low
    return (1 - part) * energies[:, low] + part * energies[:, low + 1]


def _echo(power: Floats, rng: np.random.Generator) -> Floats:
    """Adds a room's tail, 0.1 to 0.6 s to 60 dB."""
    keep = 10 ** (-6 / (100 * rng.uniform(0.1, 0.6)))
    share = rng.uniform(0.05, 0.5) * (1 - keep)
    tail: Floats = np.zeros(N_MELS)
    out = power.copy()
    for t in range(1, power.shape[1]):
        tail = keep * (tail + power[:, t - 1])
        out[:, t] += share * tail
    return out


class Noises:
    """Power of white noise and of other voices, to be mixed in.

    Args:
        voices: log10 mel energies of speech.
        rng: source of random numbers.
    """

    def __init__(self, voices: Sequence[Floats], rng: np.random.Generator) -> None:
        hiss = rng.standard_normal(60 * 16_000).astype(np.float32)
        self._hiss: Floats = 10.0 ** log_mel_energies(hiss)
        one = np.concatenate(list(voices), axis=1).astype(np.float64)
        self._voices: Floats = 10.0**one + 10.0 ** np.roll(one, one.shape[1] // 3, axis=1)

    def draw(self, frames: int, rng: np.random.Generator) -> tuple[Floats, float]:
        """Power of shape (80, frames), and how many dB the speech should be above it."""
        bank, shape, snr_db = self._voices, 0.0, rng.uniform(8, 35)
        if rng.random() < 0.7:
            bank, shape, snr_db = self._hiss, rng.uniform(-0.2, 2.0), rng.uniform(3, 35)
        start = rng.integers(0, bank.shape[1] - frames)
        color = (BAND_HZ + 20.0) ** -shape
        return bank[:, start : start + frames] * color[:, None], snr_db


def _colored(rng: np.random.Generator) -> Floats:
    """A microphone's or line's smooth frequency response, log10 power of each band."""
    knots_db = rng.normal(0, rng.uniform(1, 7), 8)
    curve: Floats = np.interp(np.arange(N_MELS), np.linspace(0, N_MELS - 1, 8), knots_db) / 10
    if rng.random() < 0.15:
        low_hz, high_hz = rng.uniform(150, 350), rng.uniform(3300, 3900)
        curve = curve - np.log10(1 + (low_hz / BAND_HZ) ** 8)
        curve = curve - np.log10(1 + (BAND_HZ / high_hz) ** 24)
    return curve


def augment(energies: Floats, rng: np.random.Generator, noises: Noises) -> tuple[Floats, float]:
    """The energies changed at random, and the factor by which their times shrank.

    Args:
        energies: log10 mel energies, shape (80, n).
        rng: source of random numbers.
        noises: what to mix in.
    """
    speed = 1.0
    if rng.random() < 0.7:
        factor, bend = np.exp(rng.uniform((-0.16, -0.06), (0.16, 0.06)))
        energies = band_warp(energies, float(factor), float(bend))
    if rng.random() < 0.7:
        speed = float(rng.uniform(0.82, 1.22))
        energies = _at_speed(energies, speed)
    if rng.random() < 0.6:
        energies = energies + _colored(rng)[:, None]
    power: Floats = 10.0 ** np.asarray(energies, np.float64)
    if rng.random() < 0.3:
        power = _echo(power, rng)
    if rng.random() < 0.55:
        noise, snr_db = noises.draw(power.shape[1], rng)
        power = power + noise * (power.mean() / noise.mean() / 10 ** (snr_db / 10))
    changed = np.log10(np.maximum(power, 1e-10)) + rng.uniform(-0.8, 0.4)
    mean = changed.mean()
    for _ in range(rng.integers(0, 3)):
        low = rng.integers(0, N_MELS - HIDDEN_BANDS)
        changed[low : low + rng.integers(1, HIDDEN_BANDS + 1)] = mean
    for _ in range(rng.integers(0, 3)):
        first = rng.integers(0, max(1, changed.shape[1] - HIDDEN_FRAMES))
        changed[:, first : first + rng.integers(1, HIDDEN_FRAMES + 1)] = mean
    return changed, speed
