import itertools
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from client.answer.worker import evidence_of
from client.audio import voice_activity
from client.audio.voice_activity import LevelMeter, VoiceActivity, measure_level, speech_segments
from client.core.errors import EngineError
from pronunciation.clip import Clip
from tests.worlds.spoken import say

RATE_HZ = 16_000


def answer(seed: int = 1) -> Clip:
    """Three phrases with pauses of 0.4, 1.2 and 0.9 s, in a hissing room."""
    parts = [np.zeros(RATE_HZ // 2, np.float32)]
    phrases = (["memory", "network"], ["latency"], ["storage", "cache", "model"])
    for words, pause_s in zip(phrases, (0.4, 1.2, 0.9), strict=True):
        parts.append(say(words, start_s=0.0, end_s=0.0).samples)
        parts.append(np.zeros(round(pause_s * RATE_HZ), np.float32))
    samples = np.concatenate(parts)
    hiss = np.random.default_rng(seed).standard_normal(samples.size) * 1e-3
    return Clip((samples + hiss).astype(np.float32))


def heard(samples: np.ndarray, sizes: list[int]) -> VoiceActivity:
    voice, at = VoiceActivity(), 0
    for size in sizes:
        voice.feed(samples[at : at + size])
        at += size
    voice.feed(samples[at:])
    voice.close()
    return voice


@pytest.mark.parametrize("seed", range(4))
def test_the_size_of_the_blocks_changes_nothing(seed: int) -> None:
    clip = answer()
    rng = np.random.default_rng(seed)
    largest = (100, 1000, 5000, 40_000)[seed]
    sizes = [int(size) for size in rng.integers(0, largest, 2 * clip.samples.size // largest)]

    voice = heard(clip.samples, sizes)

    evidence = evidence_of(speech_segments(clip))
    assert evidence.pauses
    assert voice.spans[0][0] == pytest.approx(evidence.answer_start_s, abs=1e-3)
    assert voice.spans[-1][1] == pytest.approx(evidence.answer_end_s, abs=1e-3)
    pauses = [(end, start) for (_, end), (start, _) in itertools.pairwise(voice.spans)]
    for (start_s, end_s), pause in zip(pauses, evidence.pauses, strict=True):
        assert start_s == pytest.approx(pause.start_s, abs=1e-3)
        assert end_s == pytest.approx(pause.end_s, abs=1e-3)
    level = measure_level(clip)
    assert voice.level.peak_dbfs == level.peak_dbfs
    assert voice.level.loudest_dbfs == pytest.approx(level.loudest_dbfs, abs=1e-6)
    assert voice.heard_s == pytest.approx(clip.duration_s)


def test_it_hears_what_silero_s_own_reading_of_the_whole_clip_hears() -> None:
    from faster_whisper.vad import VadOptions, get_speech_timestamps

    clip = answer()
    loud = Clip(np.clip(clip.samples / np.abs(clip.samples).max() * 0.5, -1, 1))
    options = VadOptions(
        threshold=0.5, min_silence_duration_ms=250, min_speech_duration_ms=100, speech_pad_ms=30
    )

    whole = get_speech_timestamps(loud.samples, options)

    spans = heard(loud.samples, [1000] * 40).spans
    assert len(spans) == len(whole) >= 3
    for (start_s, end_s), theirs in zip(spans, whole, strict=True):
        assert start_s == pytest.approx(theirs["start"] / RATE_HZ, abs=0.033)
        assert end_s == pytest.approx(theirs["end"] / RATE_HZ, abs=0.033)


def test_speech_that_goes_on_and_the_silence_after_it_are_known_at_once() -> None:
    spoken = say(["memory", "network"], start_s=0.5, end_s=0.0)
    end_s = spoken.times_s[-1][1]
    voice = VoiceActivity()

    voice.feed(spoken.samples[: round(0.3 * RATE_HZ)])
    assert voice.open_start_s is None
    voice.feed(spoken.samples[round(0.3 * RATE_HZ) : round(0.9 * RATE_HZ)])
    assert voice.open_start_s == pytest.approx(0.5, abs=0.1)
    assert voice.silence_s == 0.0
    voice.feed(spoken.samples[round(0.9 * RATE_HZ) :])
    voice.feed(np.zeros(2 * RATE_HZ, np.float32))

    assert voice.open_start_s is None
    assert voice.silence_s == pytest.approx(2.0, abs=0.4)
    assert voice.spans[-1][1] == pytest.approx(end_s, abs=0.15)


def test_a_long_tone_is_no_speech_while_it_lasts_and_after() -> None:
    times_s = np.arange(24 * RATE_HZ) / RATE_HZ
    swing = (1 + np.sin(2 * np.pi * 4 * times_s)) / 2
    tone = (0.3 * np.sin(2 * np.pi * 200 * times_s) * swing).astype(np.float32)

    voice = VoiceActivity()
    for start in range(0, tone.size, 8000):
        voice.feed(tone[start : start + 8000])
        assert voice.open_start_s is None or voice.open_is_tone
    voice.close()

    assert voice.spans == []


def test_less_than_a_tenth_of_a_second_has_a_level_too() -> None:
    meter = LevelMeter()
    meter.feed(np.full(800, 0.5, np.float32))

    assert meter.level.loudest_dbfs == pytest.approx(-6.02, abs=0.01)


def test_the_detector_brings_no_engine_into_the_process() -> None:
    code = (
        "import sys; from client.audio.voice_activity import VoiceActivity; VoiceActivity(); "
        "print([name for name in ('faster_whisper', 'ctranslate2') if name in sys.modules])"
    )
    made = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert made.stdout.strip() == "[]"


@pytest.fixture
def forgotten() -> Iterator[None]:
    voice_activity._session.cache_clear()
    yield
    voice_activity._session.cache_clear()


def test_a_missing_detector_is_named_with_its_remedy(
    forgotten: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(voice_activity, "find_spec", lambda _name: None)
    with pytest.raises(EngineError, match=r"silero_vad_v6\.onnx is missing; reinstall"):
        VoiceActivity()


def test_a_damaged_detector_is_named_with_its_remedy(
    forgotten: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "read_bytes", lambda _path: b"")
    with pytest.raises(EngineError, match=r"silero_vad_v6\.onnx is damaged \(.*\); reinstall"):
        VoiceActivity()
