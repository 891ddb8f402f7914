import numpy as np
import pytest

from pronunciation.hearing.acoustic import N_MELS, log_mel, log_mel_energies


@pytest.mark.parametrize("seconds", [0.05, 1.0, 3.21])
def test_one_column_for_each_10_ms(seconds: float) -> None:
    samples = np.zeros(round(seconds * 16_000), np.float32)
    assert log_mel(samples).shape == (N_MELS, samples.size // 160)


def test_a_higher_tone_lies_in_a_higher_band() -> None:
    t = np.arange(16_000) / 16_000
    bands = [
        int(log_mel(np.sin(2 * np.pi * hz * t).astype(np.float32))[:, 50].argmax())
        for hz in (200, 500, 1000, 2000, 4000)
    ]
    assert bands == sorted(set(bands))


def test_a_1_khz_tone_lies_where_slaneys_scale_puts_it() -> None:
    t = np.arange(16_000) / 16_000
    column = log_mel(np.sin(2 * np.pi * 1000 * t).astype(np.float32))[:, 50]
    # 1000 Hz is mel 15 of 45.25 (8 kHz) on Slaney's scale, between bands 25 and 26 of 80.
    assert column.argmax() in (25, 26)


def test_a_column_depends_on_the_sound_around_it_alone() -> None:
    sound = np.random.default_rng(4).standard_normal(5 * 16_000).astype(np.float32)
    whole, middle = log_mel_energies(sound), log_mel_energies(sound[16_000 : 4 * 16_000])
    assert np.allclose(whole[:, 102:398], middle[:, 2:298], atol=1e-4)
