"""What microphones, rooms and lines do to speech, done to training samples."""

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["augment"]

Samples = npt.NDArray[np.floating[Any]]


def _resampled(samples: Samples, speed: float) -> Samples:
    """Played ``speed`` times as fast: tempo, pitch and formants move together."""
    at = np.arange(0, samples.size - 1, speed)
    return np.interp(at, np.arange(samples.size), samples).astype(np.float32)


def _fast(n: int) -> int:
    """A length from ``n`` up that an FFT likes."""
    return -(-n // 4096) * 4096


def _room(samples: Samples, rng: np.random.Generator) -> Samples:
    """A decaying random echo, 0.1 to 0.5 s to 60 dB."""
    decay_s = rng.uniform(0.1, 0.5)
    n = int(decay_s * 16_000)
    tail = rng.standard_normal(n) * np.exp(-6.9 * np.arange(n) / n)
    tail *= rng.uniform(0.1, 0.6) / np.sqrt((tail**2).sum())
    tail[0] = 1.0
    size = _fast(samples.size + n)
    wet = np.fft.irfft(np.fft.rfft(samples, size) * np.fft.rfft(tail, size), size)
    return wet[: samples.size].astype(np.float32)


def _band(samples: Samples, low_hz: float, high_hz: float) -> Samples:
    size = _fast(samples.size)
    spectrum = np.fft.rfft(samples, size)
    hz = np.fft.rfftfreq(size, 1 / 16_000)
    spectrum *= 1 / (1 + (low_hz / np.maximum(hz, 1.0)) ** 8) / (1 + (hz / high_hz) ** 16)
    return np.fft.irfft(spectrum, size)[: samples.size].astype(np.float32)


def _tilt(samples: Samples, rng: np.random.Generator) -> Samples:
    """A smooth random frequency response, as of a cheap microphone."""
    size = _fast(samples.size)
    spectrum = np.fft.rfft(samples, size)
    hz = np.fft.rfftfreq(size, 1 / 16_000)
    gains_db = rng.normal(0, 4, 8)
    curve_db = np.interp(np.log(hz + 50), np.linspace(np.log(50), np.log(8050), 8), gains_db)
    shaped = np.fft.irfft(spectrum * 10 ** (curve_db / 20), size)
    return shaped[: samples.size].astype(np.float32)


def _noise(samples: Samples, rng: np.random.Generator, babble: Samples) -> Samples:
    """White to brown noise or other voices, 5 to 35 dB below the speech."""
    if rng.random() < 0.3:
        start = rng.integers(0, max(1, babble.size - samples.size))
        noise = np.resize(babble[start : start + samples.size], samples.size)
        snr_db = rng.uniform(12, 35)
    else:
        size = _fast(samples.size)
        shape = np.fft.rfftfreq(size, 1 / 16_000) + 20
        white = np.fft.rfft(rng.standard_normal(size, dtype=np.float32))
        noise = np.fft.irfft(white * shape ** -rng.uniform(0, 1), size)[: samples.size]
        snr_db = rng.uniform(5, 35)
    power = float((samples**2).mean()) / max(1e-12, float((noise**2).mean()))
    return (samples + noise * np.sqrt(power / 10 ** (snr_db / 10))).astype(np.float32)


def augment(samples: Samples, rng: np.random.Generator, babble: Samples) -> tuple[Samples, float]:
    """The samples changed at random, and by what factor their times shrank.

    Args:
        samples: float32, shape (n,), 16 kHz.
        rng: source of chance.
        babble: other speech to mix in.
    """
    speed = 1.0
    if rng.random() < 0.6:
        speed = float(rng.uniform(0.88, 1.14))
        samples = _resampled(samples, speed)
    if rng.random() < 0.5:
        samples = _tilt(samples, rng)
    if rng.random() < 0.3:
        samples = _room(samples, rng)
    if rng.random() < 0.55:
        samples = _noise(samples, rng, babble)
    if rng.random() < 0.15:
        samples = _band(samples, rng.uniform(150, 350), rng.uniform(3300, 3900))
    peak = float(np.abs(samples).max()) or 1.0
    return (samples / peak * rng.uniform(0.05, 0.95)).astype(np.float32), speed
