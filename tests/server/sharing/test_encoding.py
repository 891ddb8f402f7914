"""Uploaded sound is never kept as it came in."""

from io import BytesIO
from typing import Any

import av
import numpy as np
import pytest

from server.core.errors import InvalidInputError
from server.sharing import recordings
from server.sharing.recordings import SAMPLE_RATE_HZ, reencoded

SECRET = "kitchen at home"


def sound(
    kind: str = "flac",
    *,
    codec: str | None = None,
    rate_hz: int = 48_000,
    layout: str = "stereo",
    seconds: float = 1.0,
    tone_hz: float = 440.0,
) -> bytes:
    """A tone with a remark in its metadata."""
    made = BytesIO()
    with av.open(made, "w", format=kind) as target:
        target.metadata["comment"] = SECRET
        stream: Any = target.add_stream(
            codec or {"flac": "flac", "ogg": "libopus"}[kind],
            rate=rate_hz,
            options={"strict": "experimental"},  # FFmpeg's own Vorbis encoder
        )
        stream.layout = layout
        times = np.arange(int(rate_hz * seconds)) / rate_hz
        wave = (0.5 * np.sin(2 * np.pi * tone_hz * times) * 32767).astype(np.int16)
        channels = 2 if layout == "stereo" else 1
        frame = av.AudioFrame.from_ndarray(
            np.repeat(wave, channels)[None, :], format="s16", layout=layout
        )
        frame.sample_rate = rate_hz
        resampler = av.AudioResampler(stream.format, layout, rate_hz, frame_size=960)
        for each in [*resampler.resample(frame), *resampler.resample(None)]:
            target.mux(stream.encode(each))
        target.mux(stream.encode(None))
    return made.getvalue()


def decoded(content: bytes) -> tuple[np.ndarray, Any, dict[str, str]]:
    with av.open(BytesIO(content)) as file:
        stream = file.streams.audio[0]
        facts = (stream.codec_context.name, stream.layout.name, stream.rate)
        tags = {**file.metadata, **stream.metadata}
        resampler = av.AudioResampler("s16", "mono", SAMPLE_RATE_HZ)
        frames = [each for frame in file.decode(stream) for each in resampler.resample(frame)]
        frames += resampler.resample(None)
        samples = np.concatenate([frame.to_ndarray()[0] for frame in frames])
    return samples.astype(np.float64) / 32768, facts, tags


@pytest.mark.parametrize(("kind", "media_type"), [("flac", "audio/flac"), ("ogg", "audio/ogg")])
def test_sound_becomes_mono_at_16_khz_and_stays_the_same_sound(kind: str, media_type: str) -> None:
    made = reencoded(sound(kind))
    samples, facts, _ = decoded(made.content)
    assert made.media_type == media_type
    assert made.duration_s == pytest.approx(1.0, abs=0.05)
    assert facts[1] == "mono"
    assert samples.size == pytest.approx(SAMPLE_RATE_HZ, rel=0.05)
    middle = samples[4_000:12_000]
    loudest = np.argmax(np.abs(np.fft.rfft(middle * np.hanning(middle.size))))
    assert loudest * SAMPLE_RATE_HZ / middle.size == pytest.approx(440, abs=4)


@pytest.mark.parametrize("kind", ["flac", "ogg"])
def test_metadata_of_the_upload_is_gone(kind: str) -> None:
    uploaded = sound(kind)
    assert SECRET.encode() in uploaded
    assert SECRET.encode() not in reencoded(uploaded).content


def test_a_file_longer_than_it_may_be_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recordings, "MAX_RECORDING_S", 2.0)
    assert reencoded(sound(seconds=1.9)).duration_s == pytest.approx(1.9, abs=0.01)
    with pytest.raises(InvalidInputError, match="longer than"):
        reencoded(sound(seconds=2.5))


def test_a_bomb_that_declares_no_length_is_stopped_while_it_is_decoded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    content = bytearray(sound(seconds=40, rate_hz=16_000, layout="mono", tone_hz=0))
    # STREAMINFO: 36 bits of the number of samples, 0 means unknown
    content[21] &= 0xF0
    content[22:26] = bytes(4)
    monkeypatch.setattr(recordings, "MAX_RECORDING_S", 5.0)
    with pytest.raises(InvalidInputError, match="longer than"):
        reencoded(bytes(content))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"RIFF\0\0\0\0WAVEfmt ",
        b"fLaC",
        b"OggS" + bytes(500),
        b"fLaC" + bytes(range(256)) * 40,
        b"#EXTM3U\nfile:///etc/passwd\n",
        sound("flac")[:60],
    ],
)
def test_what_is_no_recording_is_refused_in_one_line(content: bytes) -> None:
    with pytest.raises(InvalidInputError) as failure:
        reencoded(content)
    assert "\n" not in str(failure.value)


def test_another_codec_in_the_same_container_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="no FLAC or Opus"):
        reencoded(sound("ogg", codec="vorbis", rate_hz=44_100))


def test_a_file_too_large_is_refused_before_it_is_looked_at() -> None:
    with pytest.raises(InvalidInputError, match="larger than"):
        reencoded(b"fLaC" + bytes(recordings.MAX_RECORDING_BYTES))
