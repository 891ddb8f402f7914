import os
import wave
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest

from client.audio import files as audio_file
from client.audio.files import read_audio
from client.audio.wav import read_wav, write_wav
from client.core.errors import AudioFileError, SpeakingError
from pronunciation.clip import Clip

TONE_HZ = 440.0
DURATION_S = 3.0


def write(
    path: Path,
    codec: str,
    *,
    rate_hz: int = 16_000,
    layout: str = "mono",
    duration_s: float = DURATION_S,
) -> Path:
    """A 440 Hz tone at half of full scale, in the container that the suffix names."""
    with av.open(str(path), "w") as container:
        stream = container.add_stream(codec, rate=rate_hz, layout=layout)
        times_s = np.arange(round(duration_s * rate_hz)) / rate_hz
        tone = (0.5 * np.sin(2 * np.pi * TONE_HZ * times_s) * 32767).astype(np.int16)
        channels = av.AudioLayout(layout).nb_channels
        frame = av.AudioFrame.from_ndarray(
            np.repeat(tone, channels)[None], format="s16", layout=layout
        )
        frame.sample_rate = rate_hz
        frame.time_base = Fraction(1, rate_hz)
        frame.pts = 0
        resampler = av.AudioResampler(
            format=stream.format, layout=layout, rate=rate_hz, frame_size=stream.frame_size
        )
        for part in [*resampler.resample(frame), *resampler.resample(None)]:
            container.mux(stream.encode(part))
        container.mux(stream.encode(None))
    return path


def loudest_hz(samples: np.ndarray) -> float:
    return float(np.fft.rfft(samples).__abs__().argmax() * 16_000 / samples.size)


@pytest.mark.parametrize(
    ("name", "codec", "rate_hz", "layout"),
    [
        ("a.wav", "pcm_s16le", 8_000, "mono"),
        ("a.wav", "pcm_s16le", 44_100, "stereo"),
        ("a.wav", "pcm_f32le", 96_000, "mono"),
        ("a.flac", "flac", 48_000, "5.1"),
        ("a.mp3", "libmp3lame", 44_100, "stereo"),
        ("a.ogg", "libopus", 48_000, "mono"),
        ("a.webm", "libopus", 48_000, "stereo"),
        ("a.m4a", "aac", 22_050, "mono"),
        ("a.aac", "aac", 22_050, "mono"),
        ("a.amr", "libopencore_amrnb", 8_000, "mono"),
    ],
)
def test_every_format_rate_and_layout_becomes_mono_at_16_khz(
    tmp_path: Path, name: str, codec: str, rate_hz: int, layout: str
) -> None:
    clip = read_audio(write(tmp_path / name, codec, rate_hz=rate_hz, layout=layout))

    assert clip.sample_rate_hz == 16_000
    assert clip.duration_s == pytest.approx(DURATION_S, abs=0.1)
    middle = clip.slice(0.5, 2.5).samples
    assert loudest_hz(middle) == pytest.approx(TONE_HZ, abs=1.0)
    assert np.abs(middle).max() > 0.05


def test_a_mono_wav_at_16_khz_comes_through_bit_for_bit(tmp_path: Path) -> None:
    clip = read_audio(write(tmp_path / "a.wav", "pcm_s16le"))

    times_s = np.arange(round(DURATION_S * 16_000)) / 16_000
    planted = (0.5 * np.sin(2 * np.pi * TONE_HZ * times_s) * 32767).astype(np.int16)
    np.testing.assert_array_equal(clip.samples, planted.astype(np.float32) / 32768)


def test_samples_that_are_no_numbers_are_silenced(tmp_path: Path) -> None:
    path = write(tmp_path / "a.wav", "pcm_f32le")
    content = bytearray(path.read_bytes())
    content[-8:] = np.array([np.nan, np.inf], dtype="<f4").tobytes()
    path.write_bytes(content)

    samples = read_audio(path).samples

    assert np.isfinite(samples).all()
    assert samples[-2] == 0.0


def test_what_is_there_of_a_broken_file_can_be_asked_for(tmp_path: Path) -> None:
    path = write(tmp_path / "a.wav", "pcm_s16le", duration_s=10.0)
    path.write_bytes(path.read_bytes()[: 16_000 * 2 * 4 + 44])

    assert read_audio(path, allow_truncated=True).duration_s == pytest.approx(4.0, abs=0.05)


def test_no_file_a_folder_a_pipe_and_nothing(tmp_path: Path) -> None:
    pipe, empty = tmp_path / "pipe", tmp_path / "empty.wav"
    os.mkfifo(pipe)
    empty.touch()

    with pytest.raises(AudioFileError, match="no such file"):
        read_audio(tmp_path / "no.wav")
    with pytest.raises(AudioFileError, match="folder"):
        read_audio(tmp_path)
    with pytest.raises(AudioFileError, match="not a regular file"):
        read_audio(pipe)
    with pytest.raises(AudioFileError, match="empty"):
        read_audio(empty)


def test_a_silent_film_is_no_audio(tmp_path: Path) -> None:
    film = tmp_path / "a.mkv"
    with av.open(str(film), "w") as container:
        video = container.add_stream("mpeg4", rate=25)
        video.width = video.height = 64
        video.pix_fmt = "yuv420p"
        picture = av.VideoFrame.from_ndarray(np.zeros((64, 64, 3), dtype=np.uint8), format="rgb24")
        container.mux(video.encode(picture))
        container.mux(video.encode(None))

    with pytest.raises(AudioFileError, match="no audio in it"):
        read_audio(film)


def _hls(entry: str) -> str:
    return f"#EXTM3U\n#EXT-X-TARGETDURATION:3\n#EXTINF:3,\n{entry}\n#EXT-X-ENDLIST\n"


@pytest.mark.parametrize("name", ["answer.m3u8", "answer.wav"])
@pytest.mark.parametrize(
    "content",
    [
        _hls("http://127.0.0.1:9/other.ts"),
        _hls("other.ts"),
        "ffconcat version 1.0\nfile other.ts\n",
    ],
)
def test_a_playlist_opens_nothing_else(tmp_path: Path, name: str, content: str) -> None:
    other = tmp_path / "other.ts"
    with av.open(str(other), "w", format="mpegts") as container:
        stream = container.add_stream("mp2", rate=16000, layout="mono")
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 48000), np.int16), "s16", "mono")
        frame.sample_rate = 16000
        for part in (frame, None):
            container.mux(stream.encode(part))
    assert read_audio(other).duration_s > 2.9
    (tmp_path / name).write_text(content)

    with pytest.raises(AudioFileError, match="cannot be read as audio"):
        read_audio(tmp_path / name)


def test_a_recording_over_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audio_file, "MAX_AUDIO_S", 2.0)

    with pytest.raises(AudioFileError, match="longer than"):
        read_audio(write(tmp_path / "a.wav", "pcm_s16le"))


def test_a_name_with_a_colon_is_a_name(tmp_path: Path) -> None:
    path = write(tmp_path / "a.wav", "pcm_s16le").rename(tmp_path / "http:a b.wav")

    assert read_audio(path).duration_s == pytest.approx(DURATION_S, abs=0.01)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    ramp = np.linspace(-0.9, 0.9, 2205, dtype=np.float32)
    path = tmp_path / "new" / "folder" / "x.wav"
    write_wav(Clip(ramp, 22050), path)
    clip = read_wav(path)
    assert clip.sample_rate_hz == 22050
    np.testing.assert_allclose(clip.samples, ramp, atol=1e-4)
    assert [file.name for file in path.parent.iterdir()] == ["x.wav"]


def test_channels_are_mixed(tmp_path: Path) -> None:
    path = tmp_path / "stereo.wav"
    with wave.open(str(path), "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(np.array([[16384, 0], [0, -16384]], dtype="<i2").tobytes())
    np.testing.assert_allclose(read_wav(path).samples, [0.25, -0.25])


@pytest.mark.parametrize("content", [b"", b"RIFF", b"no wav at all"])
def test_a_broken_file_is_an_error(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.wav"
    path.write_bytes(content)
    with pytest.raises(SpeakingError, match=r"x\.wav"):
        read_wav(path)


def test_a_file_without_sound_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "x.wav"
    write_wav(Clip(np.zeros(0, dtype=np.float32), 8000), path)
    with pytest.raises(SpeakingError, match="holds no sound"):
        read_wav(path)


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(SpeakingError, match="cannot be written"):
        write_wav(Clip(np.ones(8, dtype=np.float32)), tmp_path / "file" / "x.wav")
