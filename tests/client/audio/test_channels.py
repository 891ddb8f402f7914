"""Channels that must not be mixed, and an offset: planted in speech, and found."""

from pathlib import Path

import av
import numpy as np
import pytest

from client.audio.channels import ChannelMeter, Mix
from client.audio.files import SoundFile, read_audio
from client.audio.voice_activity import speech_segments
from client.data import demo
from pronunciation.clip import Clip


@pytest.fixture(scope="module")
def spoken() -> Clip:
    return read_audio(demo.AUDIO).slice(0.0, 8.0)


def speech_s(clip: Clip) -> float:
    return sum(end_s - start_s for start_s, end_s in speech_segments(clip))


def write_stereo(path: Path, left: np.ndarray, right: np.ndarray) -> Path:
    with av.open(str(path), "w") as container:
        stream = container.add_stream("pcm_s16le", rate=16_000, layout="stereo")
        pcm = (np.stack([left, right], axis=1) * 32767).astype(np.int16)
        frame = av.AudioFrame.from_ndarray(pcm.reshape(1, -1), format="s16", layout="stereo")
        frame.sample_rate = 16_000
        for packet in [*stream.encode(frame), *stream.encode(None)]:
            container.mux(packet)
    return path


@pytest.mark.parametrize(
    ("take", "left", "right"),
    [
        ("both", 1.0, 1.0),
        ("both", 1.0, 0.2),
        ("left", 1.0, 0.0),
        ("right", 0.01, 1.0),
        ("unmixed", 1.0, -1.0),
        ("unmixed", -0.5, 1.0),
    ],
)
def test_what_would_be_lost_in_the_mix_is_kept(
    spoken: Clip, tmp_path: Path, take: str, left: float, right: float
) -> None:
    hiss = np.random.default_rng(4).standard_normal((2, spoken.samples.size)) * 1e-4
    both = np.clip(np.stack([left * spoken.samples, right * spoken.samples]) + hiss, -1, 1)
    sound = SoundFile(write_stereo(tmp_path / "a.wav", both[0], both[1]))

    assert sound.mix.take == take
    mixed = sound.clip()
    loud = max(abs(left), abs(right))
    assert np.abs(mixed.samples).max() >= 0.49 * loud * np.abs(spoken.samples).max()
    assert speech_s(mixed) == pytest.approx(speech_s(spoken), abs=0.3)


def test_two_rooms_on_two_channels_are_mixed(spoken: Clip) -> None:
    # interviewer left, candidate right: neither is silent, and they do not cancel out
    meter = ChannelMeter()
    meter.feed(np.stack([spoken.samples, np.roll(spoken.samples, 40_000)]))

    assert (meter.mix.take, meter.mix.weights) == ("both", {2: (0.5, 0.5)})


@pytest.mark.parametrize("offset", [0.1, -0.02])
def test_an_offset_is_taken_out(spoken: Clip, tmp_path: Path, offset: float) -> None:
    moved = np.clip(spoken.samples + offset, -1, 1)
    sound = SoundFile(write_stereo(tmp_path / "a.wav", moved, moved))

    assert sound.mix.offset == pytest.approx(offset, abs=0.002)
    assert abs(float(sound.clip().samples.mean())) < 1e-3


def test_blocks_of_any_size_are_measured_alike(spoken: Clip) -> None:
    both = np.stack([spoken.samples, -spoken.samples]) + np.float32(0.01)
    whole, parts = ChannelMeter(), ChannelMeter()
    whole.feed(both)
    for start in range(0, both.shape[1], 777):
        parts.feed(both[:, start : start + 777])

    assert parts.samples == whole.samples
    assert parts.mix.take == whole.mix.take == "unmixed"
    assert parts.mix.offset == pytest.approx(whole.mix.offset, abs=1e-6)


def test_nothing_is_nothing() -> None:
    meter = ChannelMeter()
    meter.feed(np.zeros((1, 0), np.float32))
    assert (meter.samples, meter.mix) == (0, Mix())
