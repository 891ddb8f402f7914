import numpy as np
import pytest

from client.audio.level import FRAME_MS, FrameMeter, SilenceDetector, dbfs

FRAMES_PER_S = 1000 // FRAME_MS


def frames(*, level_dbfs: float, seconds: float, jitter_db: float = 1.0) -> list[float]:
    noise = np.random.default_rng(7).uniform(-jitter_db, jitter_db, round(seconds * FRAMES_PER_S))
    return [level_dbfs + float(step) for step in noise]


def speech(*, loud_dbfs: float, gap_dbfs: float, seconds: float) -> list[float]:
    """Syllables: 200 ms loud, 100 ms quiet."""
    count = round(seconds * FRAMES_PER_S)
    return [loud_dbfs if i % 6 < 4 else gap_dbfs for i in range(count)]


def hear(detector: SilenceDetector, *parts: list[float]) -> None:
    for part in parts:
        for frame_dbfs in part:
            detector.hear(frame_dbfs)


@pytest.mark.parametrize(("amplitude", "expected"), [(1.0, 0.0), (0.1, -20.0), (0.0, -120.0)])
def test_dbfs(amplitude: float, expected: float) -> None:
    assert dbfs(amplitude) == pytest.approx(expected)


@pytest.mark.parametrize("block", [100, 800, 1234, 16000])
def test_the_meter_measures_a_sine_whatever_the_block_size(block: int) -> None:
    seconds = np.arange(16000) / 16000
    sine = (0.5 * np.sin(2 * np.pi * 440 * seconds)).astype(np.float32)
    meter = FrameMeter(16000)
    levels = [v for i in range(0, sine.size, block) for v in meter.measure(sine[i : i + block])]
    assert len(levels) == 20
    np.testing.assert_allclose(levels, 20 * np.log10(0.5 / np.sqrt(2)), atol=0.01)


@pytest.mark.parametrize("floor_dbfs", [-72.0, -60.0, -40.0])
def test_a_pause_after_speech_is_timed_in_quiet_and_in_noise(floor_dbfs: float) -> None:
    detector = SilenceDetector()
    room = frames(level_dbfs=floor_dbfs, seconds=1.0)
    talk = speech(loud_dbfs=floor_dbfs + 20, gap_dbfs=floor_dbfs + 8, seconds=3.0)
    hear(detector, room, talk)
    assert detector.speech_begun
    assert detector.silence_s < 0.3
    hear(detector, frames(level_dbfs=floor_dbfs, seconds=2.0))
    assert detector.silence_s == pytest.approx(2.0, abs=0.2)


def test_silence_counts_only_once_somebody_has_spoken() -> None:
    detector = SilenceDetector()
    hear(detector, frames(level_dbfs=-55, seconds=30.0, jitter_db=2.0))
    assert not detector.speech_begun
    assert detector.silence_s == 0.0


def test_clicks_are_not_speech() -> None:
    detector = SilenceDetector()
    typing = frames(level_dbfs=-60, seconds=10.0)
    typing[5::9] = [-20.0] * len(typing[5::9])  # a key stroke each 450 ms
    hear(detector, typing)
    assert not detector.speech_begun


def test_a_fan_that_starts_does_not_keep_the_recording_open_for_ever() -> None:
    detector = SilenceDetector()
    hear(detector, frames(level_dbfs=-60, seconds=1.0))
    hear(detector, speech(loud_dbfs=-20, gap_dbfs=-50, seconds=3.0))
    hear(detector, frames(level_dbfs=-38, seconds=20.0))
    assert detector.silence_s > 5.0


def test_a_noise_gate_that_gives_zeros_between_words_is_no_obstacle() -> None:
    detector = SilenceDetector()
    hear(detector, [-120.0] * 20, speech(loud_dbfs=-25, gap_dbfs=-120, seconds=3.0))
    assert detector.speech_begun
    hear(detector, [-120.0] * 40)
    assert detector.silence_s == pytest.approx(2.0, abs=0.2)
