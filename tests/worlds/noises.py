"""Sounds of rooms and machines in which nobody speaks."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from tests.worlds.spoken import recorded

RATE_HZ = 16_000
DURATION_S = 8.0

Samples = npt.NDArray[np.float32]
_TIMES_S = np.arange(round(DURATION_S * RATE_HZ)) / RATE_HZ


def _colored(exponent: float, level: float) -> npt.NDArray[np.float64]:
    """Noise whose power falls with frequency to this exponent, at this level of full scale."""
    white = np.random.default_rng(7).standard_normal(_TIMES_S.size)
    spectrum = np.fft.rfft(white) / (np.arange(_TIMES_S.size // 2 + 1) + 1.0) ** (exponent / 2)
    made = np.fft.irfft(spectrum)
    return level * made / np.abs(made).max()


def _hum() -> npt.NDArray[np.float64]:
    return 0.2 * sum(np.sin(2 * np.pi * 50 * n * _TIMES_S) / n for n in (1, 2, 3, 5))  # type: ignore[no-any-return]


def _breathing() -> npt.NDArray[np.float64]:
    """Air that comes and goes every three seconds."""
    return _colored(1.0, 0.15) * np.clip(np.sin(2 * np.pi * _TIMES_S / 3), 0, 1) ** 2


def _keyboard() -> npt.NDArray[np.float64]:
    """Seven strokes a second, each a click that dies away in some milliseconds."""
    rng, samples = np.random.default_rng(3), np.zeros(_TIMES_S.size)
    for at in rng.integers(0, _TIMES_S.size - 800, round(7 * DURATION_S)):
        samples[at : at + 800] += rng.standard_normal(800) * np.exp(-np.arange(800) / 100)
    return 0.15 * samples


def _fan() -> npt.NDArray[np.float64]:
    """Broad noise with the tone of its blades."""
    return _colored(1.5, 0.1) + 0.02 * np.sin(2 * np.pi * 137 * _TIMES_S)


def _music() -> npt.NDArray[np.float64]:
    """A chord of three notes with overtones, another every half second."""
    steps = (_TIMES_S * 2).astype(int) % 4
    roots = np.array([220.0, 261.6, 196.0, 246.9])[steps]
    decay = np.exp(-3 * (_TIMES_S * 2 % 1))
    notes = sum(
        np.sin(2 * np.pi * roots * ratio * overtone * _TIMES_S) / overtone
        for ratio in (1.0, 1.25, 1.5)
        for overtone in (1, 2, 3)
    )
    return 0.1 * notes * decay  # type: ignore[no-any-return]


def _melody() -> npt.NDArray[np.float64]:
    """One flute-like voice that glides."""
    pitch_hz = 440 + 80 * np.sin(2 * np.pi * 0.7 * _TIMES_S)
    return 0.2 * np.sin(2 * np.pi * np.cumsum(pitch_hz) / RATE_HZ)


def _cut_off_word() -> npt.NDArray[np.float64]:
    """The first tenth of a second of a word, then silence to a second."""
    sound = recorded("storage")[: RATE_HZ // 10]
    return np.concatenate([sound, np.zeros(RATE_HZ - sound.size)])


def _alarm() -> npt.NDArray[np.float64]:
    return 0.3 * np.sin(2 * np.pi * 880 * _TIMES_S) * (_TIMES_S % 1 < 0.3)


def _door() -> npt.NDArray[np.float64]:
    """Two dull blows."""
    samples = np.zeros(_TIMES_S.size)
    for at_s in (2.0, 5.0):
        at = round(at_s * RATE_HZ)
        samples[at : at + 4000] = _colored(2.0, 1.0)[:4000] * np.exp(-np.arange(4000) / 700)
    return samples


NOISES: dict[str, Callable[[], npt.NDArray[np.float64]]] = {
    "silence": lambda: np.random.default_rng(1).standard_normal(_TIMES_S.size) * 1e-4,
    "white noise": lambda: _colored(0.0, 0.3),
    "pink noise": lambda: _colored(1.0, 0.3),
    "brown noise": lambda: _colored(2.0, 0.5),
    "mains hum": _hum,
    "breathing": _breathing,
    "a keyboard": _keyboard,
    "a fan": _fan,
    "music": _music,
    "a melody": _melody,
    "an alarm": _alarm,
    "a door": _door,
    "a cut-off word": _cut_off_word,
}


def noise(name: str) -> Samples:
    """One of ``NOISES`` at 16 kHz, within full scale."""
    return np.clip(NOISES[name](), -1, 1).astype(np.float32)


def echoing(samples: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The same in a room whose echo takes 0.9 s to fade."""
    size = round(0.9 * RATE_HZ)
    tail = np.random.default_rng(6).standard_normal(size)
    tail *= 10 ** (-3 * np.arange(size) / RATE_HZ / 0.9)
    tail *= 2.0 / np.sqrt(np.square(tail).sum())
    tail[0] = 1.0
    whole = samples.size + size
    made = np.fft.irfft(np.fft.rfft(samples, whole) * np.fft.rfft(tail, whole), whole)
    return made[: samples.size] / np.abs(made).max() * 0.5
