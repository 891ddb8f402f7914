"""Clipped, noisy and far sound around a term is reported, and then nothing is mispronounced."""

import numpy as np
import pytest

from client.audio.files import read_audio
from client.data import demo
from pronunciation.clip import SAMPLE_RATE_HZ, Clip
from pronunciation.hearing import Hearing, Target, result_entry
from pronunciation.hearing.sound import fall_levels_db, fall_of, fault_around, flat_shares
from tests.worlds.noises import echoing

RNG = np.random.default_rng(9)


@pytest.fixture(scope="module")
def spoken() -> np.ndarray:
    samples = read_audio(demo.AUDIO).slice(0.0, 12.0).samples.astype(np.float64)
    return samples / np.abs(samples).max() * 0.5


def clip_of(samples: np.ndarray) -> Clip:
    return Clip(np.clip(samples, -1, 1).astype(np.float32))


def test_good_sound_is_evidence(spoken: np.ndarray) -> None:
    assert fault_around(clip_of(spoken), 4.0, 4.6) is None
    assert fault_around(clip_of(spoken * 0.02), 4.0, 4.6) is None  # quiet is not far


@pytest.mark.parametrize("quieter", [1.0, 0.1])
def test_clipping_is_told_also_where_it_was_made_quieter_later(
    spoken: np.ndarray, quieter: float
) -> None:
    clipped = np.clip(spoken * 6, -1, 1) * quieter
    assert fault_around(clip_of(clipped), 4.0, 4.6) == "clipped"


def test_noise_is_told_where_it_is_and_nowhere_else(spoken: np.ndarray) -> None:
    noisy = spoken.copy()
    noisy[: 7 * SAMPLE_RATE_HZ] += RNG.standard_normal(7 * SAMPLE_RATE_HZ) * 0.15
    assert fault_around(clip_of(noisy), 4.0, 4.6) == "noisy"
    assert fault_around(clip_of(noisy), 10.0, 10.6) is None


def test_an_echoing_room_is_far(spoken: np.ndarray) -> None:
    assert fault_around(clip_of(echoing(spoken)), 4.0, 4.6) == "far"


def test_little_or_no_sound_is_no_reason_to_fail() -> None:
    assert flat_shares(np.zeros(100)) == (0.0, 0.0)
    assert fall_of(fall_levels_db(np.zeros(1))) is None
    assert fault_around(Clip(np.zeros(0, np.float32)), 0.0, 1.0) is None
    assert fault_around(Clip(np.zeros(1600, np.float32)), 0.0, 0.1) is None


@pytest.mark.parametrize(("louder", "fault"), [(1, None), (8, "clipped")])
def test_what_would_be_mispronounced_is_unclear_with_the_reason(
    hearing: Hearing, louder: float, fault: str | None
) -> None:
    """The demo says "roach" for RoCE; the same sound clipped is no evidence of it."""
    clip = read_audio(demo.AUDIO).slice(40.3, 42.0)
    samples = clip.samples / np.abs(clip.samples).max() * 0.7 * louder
    target = Target("RoCE", 4, 1, ("R AA1 K IY0",), ("R OW1 CH",))

    (heard,) = hearing.hear(clip_of(samples), ["then", "I", "would", "take", "RoCE"], [target])

    assert heard.phones == "R OW1 CH"
    assert heard.verdict == ("unclear" if fault else "mispronounced")
    assert heard.fault == fault
    assert result_entry(heard).get("fault") == fault
