"""What the hearing's tests share: one hearing, and the shipped clips with planted readings."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from pronunciation.clip import Clip
from pronunciation.hearing import Hearing

_DATA = Path(__file__).parents[2] / "data" / "hearing"


@pytest.fixture(scope="session")
def hearing() -> Hearing:
    return Hearing()


@pytest.fixture(scope="session")
def planted() -> Callable[[str], Clip]:
    """Read a shipped clip by its name without the ending."""
    import av

    def read(name: str) -> Clip:
        with av.open(str(_DATA / f"{name}.flac")) as container:
            resampler = av.AudioResampler(format="s16", layout="mono", rate=16_000)
            frames = [f for frame in container.decode(audio=0) for f in resampler.resample(frame)]
        samples = np.concatenate([frame.to_ndarray().reshape(-1) for frame in frames])
        return Clip((samples / 32768.0).astype(np.float32))

    return read


@pytest.fixture
def silence() -> Callable[[float], np.ndarray]:
    def make(seconds: float) -> np.ndarray:
        rng = np.random.default_rng(1)
        return (rng.standard_normal(round(seconds * 16_000)) * 1e-4).astype(np.float32)

    return make
