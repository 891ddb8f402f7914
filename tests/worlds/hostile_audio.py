"""Files that nobody means well with, made on the spot, and what is to become of each."""

import struct
import wave
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

import av
import numpy as np

from client.audio.files import read_audio
from client.data import demo
from pronunciation.clip import SAMPLE_RATE_HZ, Clip

Outcome = Literal["read", "read with a notice", "no speech", "refused"]
"""``refused``: an ``AudioFileError``. ``no speech``: it is sound, and nobody speaks in it."""

SPEECH_S: Final = 6.0


@dataclass(frozen=True)
class Hostile:
    """A file, how it is made, and what is to become of it."""

    name: str
    make: Callable[[Path], None]
    outcome: Outcome


def speech() -> np.ndarray:
    """The start of the sample answer."""
    return read_audio(demo.AUDIO).slice(0.0, SPEECH_S).samples


def _wav(path: Path, samples: np.ndarray, rate_hz: int = SAMPLE_RATE_HZ, channels: int = 1) -> None:
    pcm = Clip(np.clip(samples, -1, 1).astype(np.float32)).pcm16()
    with wave.open(str(path), "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(2)
        file.setframerate(rate_hz)
        file.writeframes(pcm)


def encoded(codec: str, rate_hz: int = SAMPLE_RATE_HZ, **options: str) -> Callable[[Path], None]:
    """What writes ``speech`` in the container that the name ends with, with that one's options."""

    def make(path: Path) -> None:
        with av.open(str(path), "w", options=options) as container:
            stream = container.add_stream(codec, rate=rate_hz, layout="mono")
            pcm = (speech() * 32767).astype(np.int16)[None]
            frame = av.AudioFrame.from_ndarray(pcm, format="s16", layout="mono")
            frame.sample_rate = SAMPLE_RATE_HZ
            resampler = av.AudioResampler(
                format=stream.format, layout="mono", rate=rate_hz, frame_size=stream.frame_size
            )
            for part in [*resampler.resample(frame), *resampler.resample(None)]:
                container.mux(stream.encode(part))
            container.mux(stream.encode(None))

    return make


def _spoken(change: Callable[[np.ndarray], np.ndarray]) -> Callable[[Path], None]:
    return lambda path: _wav(path, change(speech()))


def _content(content: bytes) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        path.write_bytes(content)

    return make


def _changed(
    make: Callable[[Path], None], change: Callable[[bytearray], bytes | bytearray]
) -> Callable[[Path], None]:
    def made(path: Path) -> None:
        make(path)
        path.write_bytes(change(bytearray(path.read_bytes())))

    return made


def _header(field: int, value: int, size: str = "<I") -> Callable[[bytearray], bytearray]:
    def change(content: bytearray) -> bytearray:
        struct.pack_into(size, content, field, value)
        return content

    return change


def _noised(content: bytearray) -> bytearray:
    """A tenth of the bytes of the middle changed."""
    dice = np.random.default_rng(5)
    first, last = len(content) // 4, len(content) // 2
    for at in dice.integers(first, last, (last - first) // 10):
        content[at] = int(dice.integers(256))
    return content


def with_hole(content: bytearray, hole_s: float = 0.2) -> bytearray:
    """The bytes of so much sound in the middle replaced by others."""
    size = round(len(content) * hole_s / SPEECH_S)
    start = len(content) // 2
    content[start : start + size] = np.random.default_rng(6).bytes(size)
    return content


def _float_wav(path: Path) -> None:
    samples = speech().astype("<f4")
    samples[1000:3000] = np.nan
    samples[5000:5100] = np.inf
    samples[7000] = 1e30
    data = samples.tobytes()
    head = struct.pack("<4sI4s4sIHHIIHH", b"RIFF", 36 + len(data), b"WAVE", b"fmt ", 16, 3, 1,
                       SAMPLE_RATE_HZ, 4 * SAMPLE_RATE_HZ, 4, 32)  # fmt: skip
    path.write_bytes(head + struct.pack("<4sI", b"data", len(data)) + data)


def _stereo(left: float, right: float) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        both = np.stack([left * speech(), right * speech()], axis=1).reshape(-1)
        _wav(path, both, channels=2)

    return make


def _hiss(path: Path) -> None:
    _wav(path, np.random.default_rng(1).standard_normal(5 * SAMPLE_RATE_HZ) * 0.2)


def _tone(hz: float, level: float) -> Callable[[Path], None]:
    times = np.arange(5 * SAMPLE_RATE_HZ) / SAMPLE_RATE_HZ
    return lambda path: _wav(path, level * np.sin(2 * np.pi * hz * times))


def _same(samples: np.ndarray) -> np.ndarray:
    return samples


_GOOD: Final = _spoken(_same)


def _half(content: bytes) -> bytes:
    return content[: len(content) // 2]


HOSTILE: Final = (
    Hostile("empty.wav", _content(b""), "refused"),
    Hostile("one-byte.wav", _content(b"R"), "refused"),
    Hostile("text.wav", _content(b"this is no sound\n" * 200), "refused"),
    Hostile("zeros.mp3", _content(bytes(50_000)), "refused"),
    Hostile("random.ogg", _content(np.random.default_rng(2).bytes(50_000)), "refused"),
    Hostile("random.m4a", _content(np.random.default_rng(3).bytes(50_000)), "refused"),
    Hostile("png.wav", _content(b"\x89PNG\r\n\x1a\n" + bytes(3000)), "refused"),
    Hostile("html.mp3", _content(b"<!doctype html><audio src=http://127.0.0.1/>"), "refused"),
    Hostile("playlist.m3u8", _content(b"#EXTM3U\n#EXTINF:3,\nfile:///etc/passwd\n"), "refused"),
    Hostile("concat.ffconcat", _content(b"ffconcat version 1.0\nfile /etc/hostname\n"), "refused"),
    Hostile(
        "sdp.sdp", _content(b"v=0\no=- 0 0 IN IP4 127.0.0.1\nm=audio 9 RTP/AVP 0\n"), "refused"
    ),
    Hostile("header-only.wav", _changed(_GOOD, lambda content: content[:44]), "refused"),
    Hostile("half-a-header.wav", _changed(_GOOD, lambda content: content[:20]), "refused"),
    Hostile("half.wav", _changed(_GOOD, _half), "refused"),
    Hostile("half.flac", _changed(encoded("flac"), _half), "refused"),
    Hostile("half.ogg", _changed(encoded("libopus", 48_000), _half), "refused"),
    Hostile("half.mp3", _changed(encoded("libmp3lame", 44_100), _half), "refused"),
    Hostile("half.webm", _changed(encoded("libopus", 48_000), _half), "refused"),
    Hostile("half.m4a", _changed(encoded("aac"), _half), "refused"),
    Hostile("half-indexed.m4a", _changed(encoded("aac", movflags="faststart"), _half), "refused"),
    Hostile("rate-0.wav", _changed(_GOOD, _header(24, 0)), "refused"),
    Hostile("channels-0.wav", _changed(_GOOD, _header(22, 0, "<H")), "refused"),
    Hostile("bits-0.wav", _changed(_GOOD, _header(34, 0, "<H")), "refused"),
    Hostile("format-unknown.wav", _changed(_GOOD, _header(20, 0x7777, "<H")), "refused"),
    Hostile("length-unknown.wav", _changed(_GOOD, _header(40, 0xFFFFFFFF)), "read"),
    Hostile("length-0.wav", _changed(_GOOD, _header(40, 0)), "read"),
    Hostile("junk-behind.wav", _changed(_GOOD, lambda content: content + b"junk" * 500), "read"),
    Hostile("nan.wav", _float_wav, "read"),
    Hostile("wrong-name.mp3", _GOOD, "read"),
    Hostile("mp3.mp3", encoded("libmp3lame", 44_100), "read"),
    Hostile("hole.flac", _changed(encoded("flac"), with_hole), "read with a notice"),
    Hostile("hole.m4a", _changed(encoded("aac"), with_hole), "read with a notice"),
    Hostile("hole.ogg", _changed(encoded("libopus", 48_000), with_hole), "read with a notice"),
    Hostile("offset.wav", _spoken(lambda samples: samples * 0.5 + 0.3), "read with a notice"),
    Hostile("clipped.wav", _spoken(lambda samples: samples * 30), "read with a notice"),
    Hostile("whispered.wav", _spoken(lambda samples: samples * 0.01), "read with a notice"),
    Hostile("antiphase.wav", _stereo(1.0, -1.0), "read with a notice"),
    Hostile("left-only.wav", _stereo(1.0, 0.0), "read with a notice"),
    Hostile("right-only.wav", _stereo(0.0, 1.0), "read with a notice"),
    Hostile("silence.wav", lambda path: _wav(path, np.zeros(5 * SAMPLE_RATE_HZ)), "no speech"),
    Hostile("one-sample.wav", lambda path: _wav(path, np.ones(1)), "no speech"),
    Hostile("full-scale.wav", lambda path: _wav(path, np.ones(5 * SAMPLE_RATE_HZ)), "no speech"),
    Hostile("hiss.wav", _hiss, "no speech"),
    Hostile("hum.wav", _tone(50, 0.5), "no speech"),
    Hostile("beep.wav", _tone(1000, 0.9), "no speech"),
    Hostile("quietest.wav", _tone(300, 1 / 32768), "no speech"),
)
