from collections.abc import Sequence

import numpy as np
import pytest

from client.answer.worker import evidence_of, transcribe
from client.audio.voice_activity import measure_level, speech_segments
from client.core.errors import NoSpeech
from client.engines.base import Transcriber
from pronunciation.clip import Clip, at_sample_rate
from server.contract import Word
from tests.worlds.spoken import say

RATE_HZ = 16_000
TIMES_S = np.arange(10 * RATE_HZ) / RATE_HZ


def clip_of(samples: np.ndarray, rate_hz: int = RATE_HZ) -> Clip:
    return Clip(np.clip(samples, -1, 1).astype(np.float32), rate_hz)


class Unasked(Transcriber):
    name, model = "unasked", "none"

    def recognize(self, clip: Clip) -> Sequence[Word]:
        raise AssertionError("the engine was asked")


def noises() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(7)
    white = rng.standard_normal(TIMES_S.size)
    pink = np.fft.irfft(np.fft.rfft(white) / np.sqrt(np.arange(TIMES_S.size // 2 + 1) + 1))
    clicks = np.zeros(TIMES_S.size)
    clicks[rng.integers(0, TIMES_S.size, 40)] = 0.9
    swing = (1 + np.sin(2 * np.pi * 4 * TIMES_S)) / 2
    return {
        "loud white noise": 0.2 * white,
        "quiet white noise": 0.002 * white,
        "pink noise": 0.3 * pink / np.abs(pink).max(),
        "noise that swings like syllables": 0.2 * white * swing,
        "mains hum": 0.3 * np.sin(2 * np.pi * 50 * TIMES_S) + 0.1 * np.sin(300 * np.pi * TIMES_S),
        "a tone": 0.3 * np.sin(2 * np.pi * 440 * TIMES_S),
        "a tone that swings like syllables": 0.3 * np.sin(2 * np.pi * 200 * TIMES_S) * swing,
        "clicks": clicks,
        "an offset": np.full(TIMES_S.size, 0.3),
    }


@pytest.mark.parametrize("name", noises())
def test_noise_is_no_speech(name: str) -> None:
    clip = clip_of(noises()[name])

    assert speech_segments(clip) == []
    with pytest.raises(NoSpeech, match="no speech detected: the recording has only noise"):
        transcribe(Unasked(), clip)


def test_exact_zeros_name_the_microphone_permission() -> None:
    with pytest.raises(NoSpeech, match=r"all zeros.*microphone"):
        transcribe(Unasked(), clip_of(np.zeros(RATE_HZ)))


def test_silence_and_emptiness_have_their_own_words() -> None:
    faint = np.full(RATE_HZ, 1 / 32768) * np.resize([1, -1], RATE_HZ)

    with pytest.raises(NoSpeech, match=r"silent \(loudest -90 dBFS\)"):
        transcribe(Unasked(), clip_of(faint))
    with pytest.raises(NoSpeech, match="empty"):
        transcribe(Unasked(), clip_of(np.zeros(0)))


@pytest.mark.parametrize("gain", [1.0, 0.1, 0.01])
def test_speech_is_found_where_it_is_also_when_quiet(gain: float) -> None:
    said = say(["memory", "network", "latency"], start_s=1.0)

    spans = speech_segments(clip_of(gain * said.samples))

    assert spans[0][0] == pytest.approx(1.0, abs=0.15)
    assert spans[-1][1] == pytest.approx(said.times_s[-1][1], abs=0.15)


def test_speech_in_noise_and_beside_hum_is_found() -> None:
    said = say(["memory", "network", "latency", "storage"]).samples
    rng = np.random.default_rng(3)
    times_s = np.arange(said.size) / RATE_HZ

    assert speech_segments(clip_of(said + 0.01 * rng.standard_normal(said.size)))
    assert speech_segments(clip_of(0.3 * said + 0.5 * np.sin(2 * np.pi * 50 * times_s)))


def test_pauses_are_measured_from_the_sound() -> None:
    first = say(["memory"], start_s=0.8, end_s=0.0).samples
    second = say(["storage"], start_s=0.0, end_s=0.6).samples
    pause = np.zeros(round(1.5 * RATE_HZ))

    evidence = evidence_of(speech_segments(clip_of(np.concatenate([first, pause, second]))))

    assert evidence.answer_start_s == pytest.approx(0.8, abs=0.15)
    assert evidence.pauses is not None
    longest = max(evidence.pauses, key=lambda pause: pause.end_s - pause.start_s)
    assert longest.start_s == pytest.approx(first.size / RATE_HZ, abs=0.15)
    assert longest.end_s - longest.start_s == pytest.approx(1.5, abs=0.25)
    assert evidence.answer_end_s == pytest.approx(
        (first.size + pause.size + second.size) / RATE_HZ - 0.6, abs=0.2
    )


def test_evidence_of_silence_has_no_times() -> None:
    evidence = evidence_of(speech_segments(clip_of(np.zeros(RATE_HZ))))

    assert evidence.answer_start_s is None
    assert evidence.pauses == ()


def test_level_of_a_planted_tone() -> None:
    level = measure_level(clip_of(0.5 * np.sin(2 * np.pi * 100 * TIMES_S)))

    assert level.peak_dbfs == pytest.approx(-6.02, abs=0.01)
    assert level.loudest_dbfs == pytest.approx(-9.03, abs=0.01)
    assert not level.is_all_zeros


def test_other_rates_are_converted() -> None:
    tone = np.sin(2 * np.pi * 440 * np.arange(48_000) / 48_000)

    clip = at_sample_rate(clip_of(0.5 * tone, 48_000))

    assert clip.sample_rate_hz == RATE_HZ
    assert clip.samples.size == RATE_HZ
    assert np.abs(np.fft.rfft(clip.samples)).argmax() == 440
