"""What is wrong with sound is planted in speech, and found; good sound has nothing wrong."""

import sys

import numpy as np
import pytest

from client.audio.devices import zeros_remedy
from client.audio.files import read_audio
from client.audio.sound_meter import SoundMeter, judge_microphone
from client.audio.voice_activity import speech_segments
from client.core import wording
from client.data import demo
from pronunciation.clip import SAMPLE_RATE_HZ, Clip
from server.contract import SoundProblem, SoundQuality
from server.grading.summary import sound_notice
from tests.worlds.noises import echoing

RNG = np.random.default_rng(6)


@pytest.fixture(scope="module")
def spoken() -> np.ndarray:
    """The sample answer in a room that hisses a little, at a usual level."""
    samples = read_audio(demo.AUDIO).slice(0.0, 20.0).samples
    return samples / np.abs(samples).max() * 0.5 + RNG.standard_normal(samples.size) * 3e-4


def measured(samples: np.ndarray, spoken: np.ndarray) -> SoundQuality:
    spans = speech_segments(Clip(spoken.astype(np.float32)))
    meter = SoundMeter()
    clip = np.clip(samples, -1, 1).astype(np.float32)
    for start in range(0, clip.size, 12_345):
        meter.feed(clip[start : start + 12_345])
    return meter.quality(spans)


def hum(samples: np.ndarray, hz: float, level: float) -> np.ndarray:
    t = np.arange(samples.size) / SAMPLE_RATE_HZ
    made = np.sin(2 * np.pi * hz * t) + 0.5 * np.sin(2 * np.pi * 3 * hz * t)
    return samples + level * made


def test_good_sound_has_nothing_wrong(spoken: np.ndarray) -> None:
    quality = measured(spoken, spoken)
    assert quality.problems == ()
    assert quality.speech_dbfs is not None
    assert quality.noise_dbfs == pytest.approx(-70.5, abs=4)
    assert sound_notice(quality) == ""


@pytest.mark.parametrize(
    ("problem", "says"),
    [
        ("clipped", "turn the microphone down"),
        ("quiet", "move closer"),
        ("noisy", "close the window"),
        ("far", "headset"),
        ("offset", "taken out"),
    ],
)
def test_what_is_wrong_is_named_with_its_remedy(
    spoken: np.ndarray, problem: SoundProblem, says: str
) -> None:
    changed = {
        "clipped": spoken * 8,
        "quiet": spoken * 0.004,
        "noisy": spoken + RNG.standard_normal(spoken.size) * 0.05,
        "far": echoing(spoken),
        "offset": spoken + 0.05,
    }[problem]
    quality = measured(changed, spoken)

    assert problem in quality.problems
    assert says in sound_notice(quality)


@pytest.mark.parametrize("hz", [50, 60])
def test_hum_is_named_with_its_frequency(spoken: np.ndarray, hz: int) -> None:
    quality = measured(hum(spoken, hz, 0.004), spoken)

    assert quality.hum_hz == hz
    assert quality.hum_dbfs == pytest.approx(-50, abs=3)
    assert f"{hz} Hz" in sound_notice(quality)


def test_a_hum_that_is_all_of_the_noise_is_named_alone(spoken: np.ndarray) -> None:
    loud = hum(spoken, 50, 0.05)
    assert measured(loud, spoken).problems == ("hum",)
    hissing = loud + RNG.standard_normal(spoken.size) * 0.1
    assert "noisy" in measured(hissing, spoken).problems


def test_a_knock_on_the_table_is_no_clipping(spoken: np.ndarray) -> None:
    knocked = spoken.copy()
    knocked[30_000:30_020] = 1.0
    assert "clipped" not in measured(knocked, spoken).problems


def test_what_clipping_does_to_the_mean_is_no_offset(spoken: np.ndarray) -> None:
    lopsided = np.where(spoken > 0, spoken * 30, spoken * 8)
    quality = measured(lopsided, spoken)
    assert abs(quality.offset) > 0.02, "the mean is that of an offset"
    assert "clipped" in quality.problems and "offset" not in quality.problems


def test_a_word_is_measured_too(spoken: np.ndarray) -> None:
    meter = SoundMeter()
    meter.feed(np.clip(spoken[10_000:22_000] * 8, -1, 1).astype(np.float32))
    assert "clipped" in meter.quality([(0.0, 0.75)]).problems


@pytest.mark.parametrize(
    ("system", "first", "not_named"),
    [
        ("darwin", "turn the terminal on under System Settings › Privacy & Security", "Windows"),
        ("win32", "turn the terminal on under Settings › Privacy & security", "System Settings"),
        ("linux", "unmute it", "Privacy"),
        ("freebsd14", "unmute it", "Privacy"),
    ],
)
def test_the_remedy_is_that_of_this_system(
    monkeypatch: pytest.MonkeyPatch, system: str, first: str, not_named: str
) -> None:
    monkeypatch.setattr(sys, "platform", system)
    remedy = zeros_remedy("terminal")
    assert remedy.startswith(first)
    assert not_named not in remedy
    assert "mute" in remedy and "choose another one" in remedy


def sentence(speech_dbfs: float = -22.0, noise_dbfs: float = -70.0, gain: float = 1.0) -> Clip:
    """A second of the room, then speech whose mean power is as asked, then the room again."""
    spoken = read_audio(demo.AUDIO).slice(0.0, 4.0).samples.astype(np.float64)
    spoken *= 10 ** (speech_dbfs / 20) / np.sqrt(np.mean(np.square(spoken[spoken != 0])))
    silence = np.zeros(SAMPLE_RATE_HZ)
    samples = np.concatenate([silence, spoken, silence])
    rng = np.random.default_rng(3)
    samples += 10 ** (noise_dbfs / 20) * rng.standard_normal(samples.size)
    return Clip(np.clip(gain * samples, -1, 1).astype(np.float32))


def test_a_clear_sentence_works_and_is_measured() -> None:
    found = judge_microphone(sentence(-22.0, -60.0))

    assert found.works
    assert found.remedy == ""
    assert found.speech_dbfs == pytest.approx(-22, abs=2)
    assert found.noise_dbfs == pytest.approx(-60, abs=1)
    assert 2.0 < found.speech_s <= 4.5


@pytest.mark.parametrize(
    ("clip", "state", "remedy"),
    [
        (Clip(np.zeros(48_000, np.float32)), "zeros", wording.sentence(zeros_remedy("browser"))),
        (sentence(-22.0, -60.0, gain=1e-4), "silent", "turn the microphone up"),
        (
            Clip((0.05 * np.random.default_rng(1).standard_normal(64_000)).astype(np.float32)),
            "no-speech",
            "Read the whole sentence",
        ),
        (sentence(-22.0, -60.0, gain=8.0), "clipping", "Move back"),
        (sentence(-52.0, -85.0), "quiet", "Move closer"),
        (sentence(-30.0, -40.0), "noise", "headset"),
    ],
)
def test_each_fault_is_named_with_its_own_remedy(clip: Clip, state: str, remedy: str) -> None:
    found = judge_microphone(clip)

    assert found.state == state, found
    assert remedy in found.remedy
    assert not found.works


def test_one_knock_on_the_table_is_no_clipping() -> None:
    clip = sentence(-24.0, -60.0)
    clip.samples[30_000:30_010] = 1.0

    assert judge_microphone(clip).works


def test_speech_from_the_first_sample_to_the_last_has_no_noise_to_measure() -> None:
    clip = sentence()
    only = Clip(clip.samples[20_000:-20_000])

    assert judge_microphone(only).state == "works"
