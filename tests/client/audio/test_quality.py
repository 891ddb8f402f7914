"""The microphone's verdict, on sound whose fault was planted."""

import numpy as np
import pytest

from client.audio.devices import zeros_remedy
from client.audio.files import read_audio
from client.audio.sound_meter import judge_microphone
from client.core import wording
from client.data import demo
from pronunciation.clip import SAMPLE_RATE_HZ, Clip


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
