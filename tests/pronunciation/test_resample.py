"""One resampler for clips, streams and files."""

import numpy as np
import pytest

from pronunciation.clip import Clip, StreamResampler, at_sample_rate

Samples = np.ndarray[tuple[int, ...], np.dtype[np.float32]]


def tone(hz: float, rate_hz: int, seconds: float = 1.0) -> Samples:
    times = np.arange(round(rate_hz * seconds)) / rate_hz
    return (0.5 * np.sin(2 * np.pi * hz * times)).astype(np.float32)


@pytest.mark.parametrize("rate_hz", [8_000, 22_050, 44_100, 48_000])
def test_a_tone_is_the_same_tone_at_another_rate(rate_hz: int) -> None:
    changed = at_sample_rate(Clip(tone(440.0, rate_hz), rate_hz))
    assert changed.sample_rate_hz == 16_000
    assert changed.samples.size == 16_000
    inner = slice(800, -800)  # the filter rings at the ends
    np.testing.assert_allclose(changed.samples[inner], tone(440.0, 16_000)[inner], atol=1e-3)


def test_a_clip_of_that_rate_is_returned_itself() -> None:
    clip = Clip(tone(440.0, 16_000))
    assert at_sample_rate(clip) is clip


@pytest.mark.parametrize("block", [7, 1_000, 44_100])
def test_blocks_together_are_the_whole(block: int) -> None:
    samples = tone(440.0, 44_100)
    stream = StreamResampler(44_100)
    parts = [
        stream.feed(samples[at : at + block], is_last=at + block >= samples.size)
        for at in range(0, samples.size, block)
    ]
    whole = at_sample_rate(Clip(samples, 44_100)).samples
    np.testing.assert_array_equal(np.concatenate(parts), whole)


def test_channels_stay_apart() -> None:
    left, right = tone(440.0, 48_000), tone(1_000.0, 48_000)
    stream = StreamResampler(48_000, channels=2)
    both = stream.feed(np.stack([left, right]), is_last=True)
    assert both.shape == (2, 16_000)
    for part, alone in zip(both, (left, right), strict=True):
        np.testing.assert_allclose(part, at_sample_rate(Clip(alone, 48_000)).samples, atol=1e-6)


def test_overshoot_at_full_scale_is_cut_off() -> None:
    square = np.sign(tone(100.0, 48_000)).astype(np.float32)
    assert np.abs(at_sample_rate(Clip(square, 48_000)).samples).max() == 1.0
