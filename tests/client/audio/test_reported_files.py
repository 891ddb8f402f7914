"""Files that users of such programs reported: each is read whole, and nothing is called damaged."""

import re
import wave
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest

from client.audio.files import SoundFile
from client.audio.sound_meter import SoundMeter, is_only_noise
from client.audio.voice_activity import speech_segments
from client.core.errors import AudioFileError, BrokenFileError
from client.data import demo
from pronunciation.clip import SAMPLE_RATE_HZ, Clip
from tests.client.audio.test_files import write

LENGTH_S = 6.0


@pytest.fixture(scope="module")
def spoken() -> np.ndarray:
    return SoundFile(demo.AUDIO).clip().slice(0.0, LENGTH_S).samples


def encode(
    path: Path,
    codec: str,
    tracks: Sequence[np.ndarray],
    rate_hz: int = 48_000,
    layout: str = "mono",
    *,
    video: str = "",
    video_s: float = 0.0,
    late_s: float = 0.0,
    **options: str,
) -> Path:
    """Write sound tracks, beginning after ``late_s``, and a picture that lasts ``video_s``."""
    packets = []
    with av.open(str(path), "w", options=options) as container:
        picture = container.add_stream(video, rate=5) if video else None
        streams = [container.add_stream(codec, rate=rate_hz, layout=layout) for _ in tracks]
        if picture is not None:
            picture.width = picture.height = 64
            picture.pix_fmt = "yuv420p"
            for index in range(round(video_s * 5)):
                frame = av.VideoFrame.from_ndarray(np.zeros((64, 64, 3), np.uint8), "rgb24")
                frame.pts = index
                packets += picture.encode(frame)
            packets += picture.encode(None)
        for stream, samples in zip(streams, tracks, strict=True):
            channels = av.AudioLayout(layout).nb_channels
            sound = np.ascontiguousarray(np.repeat(samples[None], channels, axis=0))
            whole = av.AudioFrame.from_ndarray(sound, format="fltp", layout=layout)
            whole.sample_rate = SAMPLE_RATE_HZ
            whole.pts, whole.time_base = 0, Fraction(1, SAMPLE_RATE_HZ)
            resampler = av.AudioResampler(stream.format, layout, rate_hz, stream.frame_size)
            at = round(late_s * rate_hz)
            for part in [*resampler.resample(whole), *resampler.resample(None)]:
                part.pts, part.time_base = at, Fraction(1, rate_hz)
                at += part.samples
                packets += stream.encode(part)
            packets += stream.encode(None)
        for packet in sorted(packets, key=lambda each: each.pts * each.time_base):
            container.mux(packet)
    return path


def assert_whole(sound: SoundFile, spoken: np.ndarray) -> None:
    assert (sound.missing, sound.breaks_off, sound.condition.problems) == ((), False, ())
    samples = sound.clip().samples
    assert samples.size == pytest.approx(spoken.size, abs=0.25 * SAMPLE_RATE_HZ)
    for start, end in ((0.5, 2.0), (4.0, 5.5)):  # both halves, at their own pitch
        known = spoken[round(start * SAMPLE_RATE_HZ) : round(end * SAMPLE_RATE_HZ)]
        near = samples[max(0, round((start - 0.3) * SAMPLE_RATE_HZ)) :][: known.size + 9600]
        size = near.size + known.size
        spectrum = np.fft.rfft(near, size) * np.fft.rfft(known, size).conj()
        match = np.fft.irfft(spectrum, size)[: near.size - known.size + 1].max()
        assert match > 0.8 * np.linalg.norm(known) ** 2, (start, sound.path.name)


@pytest.mark.parametrize(
    ("name", "codec", "first", "second"),
    [
        ("a.mp3", "libmp3lame", (44_100, "stereo"), (22_050, "stereo")),
        ("a.mp3", "libmp3lame", (44_100, "stereo"), (44_100, "mono")),
        ("a.mp3", "libmp3lame", (48_000, "mono"), (24_000, "mono")),
        ("a.mp3", "libmp3lame", (16_000, "mono"), (48_000, "stereo")),
        ("a.aac", "aac", (44_100, "mono"), (16_000, "mono")),
        ("a.aac", "aac", (44_100, "stereo"), (44_100, "mono")),
        ("a.ac3", "ac3", (48_000, "stereo"), (48_000, "5.1")),
        ("a.ac3", "ac3", (48_000, "stereo"), (44_100, "stereo")),
        ("a.eac3", "eac3", (48_000, "5.1"), (48_000, "stereo")),
        ("a.opus", "libopus", (48_000, "mono"), (48_000, "stereo")),
        ("a.ogg", "flac", (48_000, "mono"), (16_000, "stereo")),
        ("a.flac", "flac", (48_000, "mono"), (16_000, "mono")),
        ("a.flac", "flac", (48_000, "mono"), (48_000, "stereo")),
        ("a.flac", "flac", (48_000, "mono"), (48_000, "mono")),
        ("a.ts", "aac", (48_000, "stereo"), (44_100, "mono")),
        ("a.wav", "pcm_s16le", (44_100, "mono"), (16_000, "stereo")),
        ("a.webm", "libopus", (48_000, "mono"), (48_000, "stereo")),
        ("a.mka", "aac", (44_100, "mono"), (48_000, "stereo")),
        ("a.m4a", "aac", (44_100, "mono"), (48_000, "stereo")),
    ],
)
def test_rate_and_channels_may_change_within_a_file(
    tmp_path: Path,
    spoken: np.ndarray,
    name: str,
    codec: str,
    first: tuple[int, str],
    second: tuple[int, str],
) -> None:
    half = spoken.size // 2
    one = encode(tmp_path / f"one{name}", codec, [spoken[:half]], *first)
    other = encode(tmp_path / f"other{name}", codec, [spoken[half:]], *second)
    joined = tmp_path / name
    joined.write_bytes(one.read_bytes() + other.read_bytes())

    assert_whole(SoundFile(joined), spoken)


@pytest.mark.parametrize(
    ("name", "codec", "video", "options"),
    [
        ("a.mkv", "aac", "mpeg4", {}),
        ("a.webm", "libopus", "libvpx", {}),
        ("a.avi", "libmp3lame", "mpeg4", {}),
        ("a.flv", "aac", "flv1", {}),
        ("a.mp4", "aac", "mpeg4", {}),
        ("a.mp4", "aac", "mpeg4", {"movflags": "frag_keyframe+empty_moov"}),
        ("a.mov", "pcm_s16le", "mpeg4", {}),
        ("a.ts", "aac", "mpeg2video", {}),
    ],
)
@pytest.mark.parametrize(("video_s", "late_s"), [(20.0, 0.0), (9.0, 3.0), (30.0, 9.0), (3.0, 0.0)])
def test_sound_may_begin_late_and_end_before_the_picture(
    tmp_path: Path,
    spoken: np.ndarray,
    name: str,
    codec: str,
    video: str,
    options: dict[str, str],
    video_s: float,
    late_s: float,
) -> None:
    rate = 44_100 if codec == "libmp3lame" else 48_000
    path = encode(
        tmp_path / name, codec, [spoken], rate, video=video, video_s=video_s, late_s=late_s,
        **options,
    )  # fmt: skip

    assert_whole(SoundFile(path), spoken)


@pytest.mark.parametrize("name", ["a.mkv", "a.avi", "a.flv"])
def test_a_film_that_breaks_off_is_still_noticed(
    tmp_path: Path, spoken: np.ndarray, name: str
) -> None:
    codec = "libmp3lame" if name == "a.avi" else "aac"
    path = encode(
        tmp_path / name, codec, [spoken], 44_100, video="mpeg4" if name != "a.flv" else "flv1",
        video_s=20.0,
    )  # fmt: skip
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 3])

    with pytest.raises(BrokenFileError):
        SoundFile(path)


@pytest.mark.parametrize(("name", "codec"), [("a.mp4", "aac"), ("a.mka", "flac"), ("a.ts", "aac")])
def test_of_several_tracks_the_one_with_speech_is_taken_and_named(
    tmp_path: Path, spoken: np.ndarray, name: str, codec: str
) -> None:
    silence = np.zeros_like(spoken)
    times = np.arange(spoken.size) / SAMPLE_RATE_HZ
    beep = (0.3 * np.sin(2 * np.pi * 440 * times) * (1 + np.sin(8 * np.pi * times)) / 2).astype(
        np.float32
    )
    path = encode(tmp_path / name, codec, [silence, beep, spoken])

    sound = SoundFile(path)

    assert (sound.track, sound.tracks) == (3, 3)
    assert "3 sound tracks: number 3" in sound.choice
    assert_whole(sound, spoken)
    assert np.abs(SoundFile(path, track=1).clip().samples).max() < 0.01
    with pytest.raises(AudioFileError, match="3 sound tracks: there is no track 4"):
        SoundFile(path, track=4)
    assert SoundFile(encode(tmp_path / f"b{name}", codec, [spoken, 0.5 * spoken])).track == 1


def test_a_track_of_an_unknown_codec_is_passed_over(tmp_path: Path, spoken: np.ndarray) -> None:
    """An iPhone writes a track of spatial sound ("apac") beside the ordinary one."""
    path = encode(tmp_path / "a.mov", "aac", [spoken, spoken])
    content = path.read_bytes()
    tags = [found.start() for found in re.finditer(b"mp4a", content)]
    for unknown in (tags[: len(tags) // 2], tags[len(tags) // 2 :]):
        changed = bytearray(content)
        for at in unknown:
            changed[at : at + 4] = b"apac"
        path.write_bytes(changed)
        assert_whole(SoundFile(path), spoken)


@pytest.mark.parametrize("count", [3, 4, 6, 8])
def test_no_channel_is_left_out_and_opposites_do_not_cancel(
    tmp_path: Path, spoken: np.ndarray, count: int
) -> None:
    hiss = np.random.default_rng(2).standard_normal((count, spoken.size)) * 1e-4

    def of(*weights: float) -> SoundFile:
        path = tmp_path / "a.wav"
        sound = np.clip(np.array(weights)[:, None] * spoken + hiss, -1, 1)
        with wave.open(str(path), "wb") as file:
            file.setnchannels(count)
            file.setsampwidth(2)
            file.setframerate(SAMPLE_RATE_HZ)
            file.writeframes((sound.T * 32767).astype("<i2").tobytes())
        return SoundFile(path)

    for channel in range(count):
        alone = of(*np.eye(count)[channel])
        assert_whole(alone, spoken)
    peak = 0.9 / np.abs(spoken).max()
    equal = of(*[peak] * count)
    assert np.abs(equal.clip().samples).max() == pytest.approx(0.9, abs=0.01)
    opposed = of(1.0, -1.0, *[0.0] * (count - 2))
    assert opposed.mix.take == "unmixed"
    assert np.abs(opposed.clip().samples).max() > 0.9 * np.abs(spoken).max()


@pytest.mark.parametrize(
    "content", [b"no sound " * 500, b"OggS" + bytes(3000), b"fLaC" + bytes(3000), bytes(9000)]
)
def test_no_text_of_a_library_reaches_the_user(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.wav"
    path.write_bytes(content)

    with pytest.raises(AudioFileError) as error:
        SoundFile(path)

    assert str(error.value) == (
        f"{path} cannot be read as audio: it is damaged, cut off, or no recording"
    )


def test_a_hole_in_frames_without_times_is_named(tmp_path: Path) -> None:
    path = write(tmp_path / "a.mp3", "libmp3lame", rate_hz=44_100, duration_s=10.0)
    content = bytearray(path.read_bytes())
    middle, hole = len(content) // 2, len(content) // 10
    content[middle : middle + hole] = np.random.default_rng(6).bytes(hole)
    path.write_bytes(content)

    sound = SoundFile(path)

    assert sum(end - start for start, end in sound.missing) == pytest.approx(1.0, abs=0.3)
    assert sound.duration_s == pytest.approx(10.0, abs=0.2)
    assert sound.condition.problems == ("damaged",)


def test_a_damaged_fragmented_film_says_how_much_can_be_read(
    tmp_path: Path, spoken: np.ndarray
) -> None:
    path = encode(
        tmp_path / "a.mp4", "aac", [spoken], movflags="frag_keyframe+empty_moov",
        frag_duration="500000",
    )  # fmt: skip
    content = bytearray(path.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 8000] = np.random.default_rng(6).bytes(8000)
    path.write_bytes(content)

    with pytest.raises(BrokenFileError, match=r"3\.\d s can be read|2\.\d s can be read"):
        SoundFile(path)


@pytest.mark.parametrize("slope", [0.0, 1.0, 2.0])
def test_what_is_as_loud_as_the_rest_is_noise(slope: float, spoken: np.ndarray) -> None:
    size = 30 * SAMPLE_RATE_HZ
    spectrum = np.fft.rfft(np.random.default_rng(5).standard_normal(size))
    hz = np.maximum(np.fft.rfftfreq(size, 1 / SAMPLE_RATE_HZ), 20.0)
    noise = np.fft.irfft(spectrum * hz ** (-slope / 2), size)
    noise = (0.1 * noise / noise.std()).astype(np.float32)
    meter = SoundMeter()
    meter.feed(noise)
    assert is_only_noise(meter.quality([(12.0, 12.4)]))

    meter = SoundMeter()
    mixed = 0.02 * noise
    mixed[5 * SAMPLE_RATE_HZ :][: spoken.size] += spoken
    meter.feed(mixed)
    assert not is_only_noise(meter.quality(speech_segments(Clip(mixed))))
