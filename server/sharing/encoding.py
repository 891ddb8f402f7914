"""Decodes and re-encodes uploaded sound; nothing of the uploaded file itself is stored.

So a coach's browser plays only what our encoder wrote, without the metadata, pictures and oddities
that a file can contain.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BytesIO
from typing import Any, Final, Literal

import av

from server.core.errors import InvalidInputError

MAX_RECORDING_S: Final = 30 * 60.0
"""Answers take two minutes; whole interviews are shared answer by answer."""

MAX_RECORDING_BYTES: Final = 8 * 1024 * 1024
"""Opus of the longest recording takes 6 MB at 24 kbit/s, FLAC of six minutes about 8 MB."""

SAMPLE_RATE_HZ: Final = 16_000
OPUS_BIT_RATE: Final = 32_000
"""Speech in mono is transparent at 32 kbit/s (RFC 6716, section 2.1.1: 16-20 for wideband)."""

_RATES_HZ: Final = range(8_000, 192_001)
_MOST_CHANNELS: Final = 8

_NOT_AUDIO: Final = "the recording is no FLAC or Opus file, or it is damaged"


@dataclass(frozen=True)
class EncodedRecording:
    """A recording of our own encoder: mono, 16 kHz, without metadata."""

    media_type: Literal["audio/flac", "audio/ogg"]
    duration_s: float
    content: bytes


def kind_of(content: bytes) -> Literal["flac", "ogg"]:
    """The format of an upload, from its size and first bytes, without decoding it.

    Raises:
        InvalidInputError: too large, or another format.
    """
    if len(content) > MAX_RECORDING_BYTES:
        raise InvalidInputError(f"the recording is larger than {MAX_RECORDING_BYTES:,} bytes")
    if content.startswith(b"fLaC"):
        return "flac"
    if content.startswith(b"OggS"):
        return "ogg"
    raise InvalidInputError(_NOT_AUDIO)


def reencoded(
    content: bytes, progress: Callable[[int, int], None] = lambda done_s, total_s: None
) -> EncodedRecording:
    """Decodes FLAC or Opus and encodes it again in the same format, in mono at 16 kHz.

    Args:
        content: the file as received.
        progress: called often with the seconds done and the total; its exceptions end the work.

    Raises:
        InvalidInputError: too large, too long (by its header or decoded), another format, damaged.
    """
    kind = kind_of(content)

    try:
        return _encode(kind, content, progress)
    except (av.error.FFmpegError, ValueError, EOFError) as error:
        raise InvalidInputError(_NOT_AUDIO) from error


def _encode(
    kind: Literal["flac", "ogg"], content: bytes, progress: Callable[[int, int], None]
) -> EncodedRecording:
    made = BytesIO()
    samples = 0
    # only the named format is tried; bytes in memory cannot refer to other files
    with (
        av.open(BytesIO(content), "r", format=kind) as source,
        av.open(made, "w", format=kind) as target,
    ):
        encoder: Any = target.add_stream(
            "flac" if kind == "flac" else "libopus", rate=SAMPLE_RATE_HZ
        )
        encoder.layout = "mono"
        if kind == "ogg":
            encoder.bit_rate = OPUS_BIT_RATE
        stream = _stream(source)
        total_s = math.ceil(_declared_s(stream))
        for frame in _resampled(source, stream):
            samples += frame.samples
            # a header may state too short a length; the end is reported once, when it is reached
            done_s = samples // SAMPLE_RATE_HZ
            progress(done_s, max(total_s, done_s + 1))
            if samples > MAX_RECORDING_S * SAMPLE_RATE_HZ:
                raise InvalidInputError(_TOO_LONG)
            target.mux(encoder.encode(frame))
        if samples == 0:
            raise InvalidInputError("the recording has no sound in it")
        target.mux(encoder.encode(None))
    progress(math.ceil(samples / SAMPLE_RATE_HZ), math.ceil(samples / SAMPLE_RATE_HZ))
    return EncodedRecording(
        "audio/flac" if kind == "flac" else "audio/ogg",
        samples / SAMPLE_RATE_HZ,
        made.getvalue(),
    )


_TOO_LONG: Final = f"the recording is longer than {MAX_RECORDING_S / 60:.0f} minutes"


def _stream(source: Any) -> Any:
    """The only stream of a file, if it is accepted."""
    if len(source.streams.audio) != 1:
        raise InvalidInputError(_NOT_AUDIO)
    stream = source.streams.audio[0]
    context = stream.codec_context
    if (
        context.name not in ("flac", "opus", "libopus")
        or context.sample_rate not in _RATES_HZ
        or not 1 <= context.channels <= _MOST_CHANNELS
    ):
        raise InvalidInputError(_NOT_AUDIO)
    if _declared_s(stream) > MAX_RECORDING_S:
        raise InvalidInputError(_TOO_LONG)
    return stream


def _declared_s(stream: Any) -> float:
    """The length that a file declares; 0: none."""
    return float((stream.duration or 0) * (stream.time_base or 0))


def _resampled(source: Any, stream: Any) -> Iterator[Any]:
    rate_hz, channels = stream.codec_context.sample_rate, stream.codec_context.channels
    resampler = av.AudioResampler(format="s16", layout="mono", rate=SAMPLE_RATE_HZ)
    read = 0
    for frame in source.decode(stream):
        if frame.sample_rate != rate_hz or len(frame.layout.channels) != channels:
            raise InvalidInputError("the recording changes its sample rate or channels halfway")
        # counted before anything is computed, because a few bytes can decode to an hour
        read += frame.samples
        if read > MAX_RECORDING_S * rate_hz:
            raise InvalidInputError(_TOO_LONG)
        frame.pts = None
        yield from resampler.resample(frame)
    yield from resampler.resample(None)
