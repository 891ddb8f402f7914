"""Read any audio that PyAV decodes, also out of a video file, into a ``Clip``."""

import struct
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from client.core.errors import AudioFileError
from pronunciation.clip import SAMPLE_RATE_HZ, Clip

MAX_AUDIO_S = 3 * 3600.0
"""Longer than any interview; decoded it takes 0.7 GB."""

TRUNCATED_SHARE = 0.97
TRUNCATED_S = 0.1
"""A file is broken off where less than this share arrives *and* more than this is missing.

Containers round the length they declare, MP3 by up to two frames of 26 ms and AAC by its encoder
delay of 48 ms; both bounds lie above that.
"""

_OGG_MAX_PAGE_BYTES = 27 + 255 + 255 * 255

_WAVE_SIZE_UNKNOWN = 0x7FFF0000
"""Programs that write to a pipe state a size from here up, since they cannot go back."""


def read_audio(path: Path | str, *, allow_truncated: bool = False) -> Clip:
    """Decode a file to mono at 16 kHz.

    Args:
        path: audio of any format, rate and channel count, or a video with sound.
        allow_truncated: return what is there of a file that breaks off, for a caller that knows
            that it does (a recording interrupted by a crash).

    Returns:
        The first audio stream, all channels mixed down.

    Raises:
        AudioFileError: not there, no file, empty, not decodable, without sound, broken off, or
            longer than ``MAX_AUDIO_S``. Nothing is ever made up for a part that is missing.
    """
    path = Path(path).expanduser()
    _check_is_file(path)
    import av

    try:
        # "file:" and the whitelist: a name or a playlist must not make FFmpeg open anything else
        with av.open(f"file:{path}", options={"protocol_whitelist": "file"}) as container:
            if not container.streams.audio:
                raise AudioFileError(f"{path} has no audio in it")
            stream = container.streams.audio[0]
            declared_s = _wave_header_s(path) or _declared_s(container, stream)
            samples, broken = _decode(path, container, stream)
    except av.error.FFmpegError as error:
        raise AudioFileError(
            f"{path} cannot be read as audio ({error.strerror}); is it complete?"
        ) from error
    broken = broken or _ogg_breaks_off(path)
    duration_s = samples.size / SAMPLE_RATE_HZ
    if not samples.size:
        raise AudioFileError(f"{path} has no audio that can be decoded; is it complete?")
    missing_s = (declared_s or 0.0) - duration_s
    cut_short = missing_s > TRUNCATED_S and duration_s < TRUNCATED_SHARE * (declared_s or 0.0)
    if (broken or cut_short) and not allow_truncated:
        of_s = f" of {declared_s:.1f} s" if declared_s and missing_s > 0 else ""
        raise AudioFileError(
            f"{path} is damaged or breaks off: {duration_s:.1f} s{of_s} can be read; "
            "copy or record it again"
        )
    return Clip(samples)


def _check_is_file(path: Path) -> None:
    try:
        if path.is_dir():
            raise AudioFileError(f"{path} is a folder, not an audio file")
        if not path.exists():
            raise AudioFileError(f"no such file: {path}")
        if not path.is_file():
            raise AudioFileError(f"{path} is not a regular file")
        if path.stat().st_size == 0:
            raise AudioFileError(f"{path} is empty (0 bytes)")
        with path.open("rb"):
            pass
    except OSError as error:
        raise AudioFileError(f"{path} cannot be read: {error.strerror}") from error


def _declared_s(container: Any, stream: Any) -> float | None:
    """The length that the file's header states, in seconds."""
    if stream.duration is not None and stream.time_base is not None:
        return float(stream.duration * stream.time_base)
    if container.duration is not None:
        return float(container.duration) / 1_000_000
    return None


def _wave_header_s(path: Path) -> float | None:
    """The length that a WAVE file's header states; FFmpeg shortens it to what is there.

    Returns:
        Seconds; ``None`` for other formats, and where a program that could not know the length
        in advance wrote 0 or the largest number.
    """
    with path.open("rb") as file:
        if file.read(4) != b"RIFF" or file.read(8)[4:] != b"WAVE":
            return None
        bytes_per_s = 0
        while len(head := file.read(8)) == 8:
            name, size = struct.unpack("<4sI", head)
            if name == b"fmt ":
                form = file.read(16)
                bytes_per_s = struct.unpack("<HHIIHH", form)[3] if len(form) == 16 else 0
                file.seek(size - len(form) + size % 2, 1)
            elif name == b"data":
                known = 0 < size < _WAVE_SIZE_UNKNOWN and bytes_per_s > 0
                return size / bytes_per_s if known else None
            else:
                file.seek(size + size % 2, 1)
    return None


def _ogg_breaks_off(path: Path) -> bool:
    """Whether an Ogg file ends within a page; it states no length that could be compared.

    Source: RFC 3533, section 6: a page has 27 bytes, a table of as many segment lengths as its
    last byte says, and the segments.
    """
    with path.open("rb") as file:
        if file.read(4) != b"OggS":
            return False
        file.seek(max(0, path.stat().st_size - _OGG_MAX_PAGE_BYTES))
        page = file.read()
    page = page[page.rfind(b"OggS") :]
    if len(page) < 27 or len(page) < 27 + page[26]:
        return True
    return len(page) < 27 + page[26] + sum(page[27 : 27 + page[26]])


def _decode(path: Path, container: Any, stream: Any) -> tuple[npt.NDArray[np.float32], bool]:
    """All samples, and whether the decoder stumbled on the way."""
    import av

    resampler = av.AudioResampler(format="fltp", layout="mono", rate=SAMPLE_RATE_HZ)
    parts: list[npt.NDArray[np.float32]] = []
    total = 0
    broken = False
    packets = container.demux(stream)
    while True:
        try:
            packet = next(packets)
            frames = packet.decode()
        except StopIteration:
            break
        except av.error.EOFError:
            break
        except av.error.FFmpegError:
            broken = True
            if not parts:
                raise
            break
        for frame in frames:
            for out in resampler.resample(frame):
                part = out.to_ndarray().reshape(-1).astype(np.float32, copy=False)
                parts.append(part)
                total += part.size
        if total > MAX_AUDIO_S * SAMPLE_RATE_HZ:
            raise AudioFileError(
                f"{path} is longer than {MAX_AUDIO_S / 3600:.0f} hours; cut it into parts"
            )
    for out in resampler.resample(None):
        parts.append(out.to_ndarray().reshape(-1).astype(np.float32, copy=False))
    if not parts:
        return np.zeros(0, dtype=np.float32), broken
    samples = np.concatenate(parts)
    np.nan_to_num(samples, copy=False, nan=0.0, posinf=1.0, neginf=-1.0)
    return np.clip(samples, -1.0, 1.0).astype(np.float32, copy=False), broken
