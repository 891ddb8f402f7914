import numpy as np
import pytest

from pronunciation.hearing.acoustic import log_mel_energies
from scripts.train.augment import BAND_HZ, Noises, augment, band_warp


def tone(hz: float) -> np.ndarray:
    at_s = np.arange(8_000) / 16_000
    return log_mel_energies((0.3 * np.sin(2 * np.pi * hz * at_s)).astype(np.float32))


@pytest.mark.parametrize("factor", [0.88, 1.0, 1.14])
def test_a_shorter_vocal_tract_moves_every_frequency_up_by_its_factor(factor: float) -> None:
    loudest = BAND_HZ[band_warp(tone(2000.0), factor).mean(axis=1).argmax()]
    assert loudest == pytest.approx(2000.0 * factor, rel=0.04)


def test_a_bend_moves_high_frequencies_up_and_low_ones_down() -> None:
    def centre_hz(energies: np.ndarray) -> float:
        return float(np.average(BAND_HZ, weights=10.0 ** energies.mean(axis=1)))

    for hz, factor in ((600.0, 0.96), (1300.0, 1.0), (2600.0, 1.04)):
        bent = band_warp(tone(hz), 1.0, bend=1.06)
        assert centre_hz(bent) / centre_hz(tone(hz)) == pytest.approx(factor, abs=0.015)


def test_the_bands_are_those_of_the_features() -> None:
    for hz in (400.0, 1500.0, 4000.0):
        assert BAND_HZ[tone(hz).mean(axis=1).argmax()] == pytest.approx(hz, rel=0.06)


def test_times_shrink_by_the_speed_that_is_told() -> None:
    rng = np.random.default_rng(4)
    speech = np.random.default_rng(1).normal(-2, 1, (80, 900))
    noises = Noises([speech], rng)
    speeds = set()
    for _ in range(40):
        changed, speed = augment(speech[:, :400], rng, noises)
        speeds.add(speed)
        assert changed.shape[0] == 80
        assert changed.shape[1] == pytest.approx(400 / speed, abs=2)
        assert np.isfinite(changed).all()
    assert len(speeds) > 10
