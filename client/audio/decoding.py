"""Decode a file block by block with PyAV, reading past what cannot be decoded."""

import io
import mmap
import re
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import IO, Any, Final

import av
import numpy as np
import numpy.typing as npt

from client.core.errors import AudioFileError
from pronunciation.clip import SAMPLE_RATE_HZ, StreamResampler

Channels = npt.NDArray[np.float32]
"""Sound at 16 kHz, float32 of shape ``(channels, n)`` within [-1, 1]."""

BLOCK_S: Final = 5.0
"""Decoded sound is passed on in blocks of about this length: 0.3 MB a channel."""

PACKET_S: Final = 0.02
"""How long a packet is taken to be where the file does not say; speech codecs use 20 ms."""

LONGEST_GAP_S: Final = 60.0
"""A longer packet or gap is taken for a damaged number, and not filled with silence."""

MAX_GIVEN_UP: Final = 1000
"""So often in a row a demuxer is asked to go on: 64 MB of damage in Ogg."""

SHORTEST_JUMP_S: Final = 0.05
"""Times of packets that differ by less follow each other.

Measured on one 45 s answer: whole files in six formats jump by less than 3 ms, and a FLAC frame at
16 kHz that is lost by 72 ms.
"""

_STATE_THEIR_LENGTH: Final = frozenset(
    {"wav", "w64", "aiff", "caf", "au", "flac", "ogg", "matroska", "mov", "mp4", "flv",
     "mp3"}
)  # fmt: skip
"""Formats (FFmpeg's names) with a length in their header. Of others FFmpeg guesses it from the bit
rate: 24 s of an AC3 file of 14 s whose second half has six channels."""

_WITHOUT_TIMES: Final = frozenset({"mp3", "aac", "ac3", "eac3", "amr", "amrnb", "amrwb", "dts"})
"""Formats that are frames and nothing else: FFmpeg counts their packets' times itself."""

_MP3_HEADERS: Final = (b"Xing", b"Info", b"VBRI")
"""In the first frame of an MP3 file that states its length."""
_JOINED_FROM: Final = 1.05
"""A file this many times as long as its header says has others behind it; tags are shorter."""

_WAVE_SIZE_UNKNOWN: Final = 0x7FFF0000
"""Programs that write to a pipe state a size from here up, since they cannot go back."""

_ASF_FILE_PROPERTIES: Final = bytes.fromhex("a1dcab8c47a9cf118ee400c00c205365")
_OGG_MAX_PAGE_BYTES: Final = 27 + 255 + 255 * 255
_FIRST_OF_A_LINK: Final = tuple(
    re.compile(first, re.DOTALL)
    for first in (
        rb"OggS\0[\x02\x06]",
        rb"fLaC[\x00\x80]\0\0\x22",
        rb"RIFF....WAVE",
        rb"\x1aE\xdf\xa3.{1,40}(?:webm|matroska)",
        rb"\0\0\0[\x0c-\x80]ftyp",
    )
)
"""What a file begins with, and in it each recording that was joined to it."""

_SAME_LENGTH_S: Final = 0.001
"""A track that is said to last as long as the whole file has no length of its own (WebM)."""

_Packet = tuple[list[Any], float | None, float]
"""A packet's frames, its time, and how many seconds before it did not decode."""


@dataclass
class Damage:
    """What went wrong while a file was decoded.

    Attributes:
        missing: (start_s, end_s) that could not be decoded, in order; it is silent in the blocks,
            so that what follows keeps its time.
        breaks_off: the file cannot be read to its end, or more than ``LONGEST_GAP_S`` of it is
            missing at once, which is not filled with silence.
        left_out_s: how long the gaps are that are not filled.
        short_s: how much earlier the file ends than its header says.
        is_measured: packets with times, or a length in the header, show how much is missing; else
            only the bytes that do not decode do, and nothing shows what was cut out.
    """

    missing: list[tuple[float, float]] = field(default_factory=list)
    breaks_off: bool = False
    left_out_s: float = 0.0
    short_s: float = 0.0
    is_measured: bool = True

    def add(self, start_s: float, end_s: float) -> None:
        """Note what is missing; what touches the last one continues with it."""
        if self.missing and start_s - self.missing[-1][1] < PACKET_S:
            self.missing[-1] = (self.missing[-1][0], end_s)
        else:
            self.missing.append((start_s, end_s))


def sound_tracks(path: Path) -> tuple[int, ...]:
    """The tracks of a file that can be decoded, by their place among its sound tracks, from 0.

    Raises:
        AudioFileError: it is no audio, or has none in it.
    """
    with path.open("rb") as source, _opened(path, source) as container:
        tracks = container.streams.audio
        known = tuple(at for at, track in enumerate(tracks) if track.codec_context is not None)
        if not tracks:
            raise AudioFileError(f"{path} has no audio in it")
        if not known:
            raise AudioFileError(f"{path} cannot be read as audio (its codec is not known)")
        return known


def decode(path: Path, damage: Damage, track: int = 0) -> Iterator[Channels]:
    """A sound track of a file, block by block, at 16 kHz.

    The channels stay apart; where their number changes, so does that of the blocks.

    Args:
        path: a file that can be opened.
        damage: where what cannot be decoded is noted.
        track: which of ``sound_tracks``.

    Raises:
        AudioFileError: it is no audio, or has none in it.
    """
    try:
        yield from _blocks(_sound(path, damage, track), damage)
    except (av.error.FFmpegError, ValueError, MemoryError, OverflowError) as error:
        # the bindings raise the latter for a header that states a hundred channels or no rate
        raise _unreadable(path) from error


def _unreadable(path: Path) -> AudioFileError:
    """Without the library's text, which says nothing to people."""
    with path.open("rb") as file:
        is_mp4 = file.read(8)[4:] == b"ftyp"
    if is_mp4:
        return AudioFileError(
            f"{path} is not complete: its index (`moov`, written last) is missing or cut off, "
            "so none of it can be read; copy the whole file again from where it was recorded"
        )
    return AudioFileError(
        f"{path} cannot be read as audio: it is damaged, cut off, or no recording"
    )


def _opened(path: Path, source: Any) -> Any:
    """A container, of an open file and no protocol: no name or playlist opens another file."""
    try:
        return av.open(source, options={"protocol_whitelist": "none"})
    except (av.error.FFmpegError, ValueError, MemoryError, OverflowError) as error:
        raise _unreadable(path) from error


def _sound(path: Path, damage: Damage, track: int) -> Iterator[Any]:
    """Frames, and for what is lost before the next one its length in seconds."""
    for part in _links(path):
        with part as source, _opened(path, source) as container:
            if track >= len(container.streams.audio):
                continue
            stream = container.streams.audio[track]
            if stream.codec_context is None:
                continue
            if stream.codec_context.name == "flac":  # by default it plays damage as noise
                stream.codec_context.options = {"err_detect": "crccheck+explode"}
            yield from _Reading(path, source, container, stream, damage).sound()


def _links(path: Path) -> Iterator[Any]:
    """The file, or each of the recordings that were joined to one file.

    Ogg calls it a chain (RFC 3533, section 4). FFmpeg stops at the second, or where it differs.
    """
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        firsts = next(
            (
                [found.start() for found in first.finditer(content)]
                for first in _FIRST_OF_A_LINK
                if first.match(content)
            ),
            [0],
        )
        # the streams of one link of Ogg all begin before any of them goes on
        starts = [0] + [
            at
            for before, at in pairwise(firsts)
            if before + _ogg_page_bytes(content[before : before + 282]) != at
        ]
        end = len(content)
    if len(starts) == 1:
        yield path.open("rb")
        return
    for start, stop in pairwise([*starts, end]):
        yield _Link(path, start, stop)


def _ogg_page_bytes(head: bytes) -> int:
    """How long a page is. Source: RFC 3533, section 6."""
    segments = head[26] if len(head) > 26 else 0
    return 27 + segments + sum(head[27 : 27 + segments])


class _Link(io.RawIOBase):
    """A part of a file as a file that FFmpeg reads and seeks in."""

    def __init__(self, path: Path, start: int, end: int) -> None:
        self.name = str(path)  # FFmpeg looks at its extension
        self._file = path.open("rb")
        self._start, self._end = start, end
        self.seek(0)

    def read(self, size: int = -1, /) -> bytes:
        left = max(0, self._end - self._file.tell())
        return self._file.read(left if size < 0 else min(size, left))

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self.tell(), io.SEEK_END: self._end - self._start}
        return self._file.seek(self._start + max(0, base[whence] + offset)) - self._start

    def tell(self) -> int:
        return self._file.tell() - self._start

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def close(self) -> None:
        self._file.close()
        super().close()


class _Reading:
    """One track of one container, read to its end."""

    def __init__(
        self, path: Path, source: IO[bytes], container: Any, stream: Any, damage: Damage
    ) -> None:
        self._path = path
        self._source = source
        self._container = container
        self._stream = stream
        self._damage = damage
        self._is_timed = container.format.name not in _WITHOUT_TIMES
        damage.is_measured = self._is_timed
        self._sound_s = 0.0
        self._sound_bytes = 0
        self._reached_s = 0.0
        self._own_reached_s = 0.0
        self._last_byte = 0

    def sound(self) -> Iterator[Any]:
        """Frames, and for what is lost before the next one its length in seconds.

        A demuxer skips damaged bytes without an error, so only the packets' times show what is
        missing. A decoder may return a packet's sound only with the next one, so gaps are off by a
        packet.
        """
        decoded = self._decoded()
        current = next(decoded, None)
        expected_s: float | None = None
        while current is not None:
            frames, start_s, lost_s = current
            following = next(decoded, None)
            length_s = sum(frame.samples / frame.sample_rate for frame in frames)
            if start_s is not None and _goes_on(start_s + length_s, following):
                jump_s = 0.0 if expected_s is None else start_s - expected_s
                if jump_s > SHORTEST_JUMP_S:
                    lost_s = jump_s
                expected_s = start_s
            elif expected_s is not None:
                expected_s += lost_s
            if lost_s:
                yield lost_s
            yield from frames
            self._sound_s += length_s + (0.0 if lost_s > LONGEST_GAP_S else lost_s)
            if expected_s is not None:
                expected_s += length_s
            current = following
        self._compare_length()

    def _decoded(self) -> Iterator[_Packet]:
        packets = self._container.demux()
        is_first = True
        given_up = 0
        pending_s = 0.0
        while True:
            try:
                packet = next(packets)
            except (StopIteration, av.error.EOFError):
                break
            except av.error.FFmpegError:
                if is_first:
                    raise
                # Ogg's demuxer looks 64 kB ahead for the next page: asked again, it looks further
                given_up += 1
                if given_up > MAX_GIVEN_UP:
                    self._damage.breaks_off = True
                    break
                packets = self._container.demux()
                continue
            self._note_end(packet)
            if packet.stream is not self._stream:
                continue
            try:
                frames = [frame for frame in packet.decode() if not frame.is_corrupt]
            except av.error.EOFError:
                break
            except av.error.FFmpegError:
                pending_s += self._length_s(packet)
                continue
            if frames:
                # a first packet without sound is a header that the decoder does not know, no gap
                start_s = _start_s(frames[0]) if self._is_timed else None
                self._sound_bytes += packet.size
                yield frames, start_s, 0.0 if is_first else pending_s
                is_first, pending_s, given_up = False, 0.0, 0
        if pending_s and is_first:
            raise AudioFileError(
                f"{self._path} has no packet of sound that can be decoded; is it complete?"
            )
        if pending_s or given_up:
            self._damage.breaks_off = True

    def _note_end(self, packet: Any) -> None:
        if packet.pos is not None:
            self._last_byte = max(self._last_byte, packet.pos + packet.size)
        if packet.pts is None or not packet.time_base:
            return
        end_s = float((packet.pts + (packet.duration or 0)) * packet.time_base)
        self._reached_s = max(self._reached_s, end_s)
        if packet.stream is self._stream:
            self._own_reached_s = max(self._own_reached_s, end_s)

    def _length_s(self, packet: Any) -> float:
        """How long the sound of a packet is that does not decode."""
        if not self._is_timed:  # it reaches to the next frame, with all damage in between
            joined = b"ID3" in bytes(packet)  # a tag between two files
            rate = self._sound_s / self._sound_bytes if self._sound_bytes else 0.0
            return PACKET_S if joined or not rate else packet.size * rate
        if packet.duration and packet.time_base:
            length_s = float(packet.duration * packet.time_base)
            if 0.0 < length_s <= LONGEST_GAP_S:
                return length_s
        return PACKET_S

    def _compare_length(self) -> None:
        """Compare what was read with the length that the header states."""
        damage, names = self._damage, set(self._container.format.name.split(","))
        came_s = self._sound_s + damage.left_out_s
        stated_s: float | None = None
        if names & {"wav"}:
            stated_s = _wave_header_s(self._source)
        if names & {"avi", "asf"}:  # their length is that of the picture
            damage.breaks_off |= self._source.seek(0, io.SEEK_END) < _stated_bytes(self._source)
            return
        if stated_s is None and names & _STATE_THEIR_LENGTH:
            if "mp3" in names and not _mp3_states_length(self._path):
                return
            whole_s = float(self._container.duration or 0) / 1_000_000
            if self._stream.duration is not None and self._stream.time_base is not None:
                stated_s = float(self._stream.duration * self._stream.time_base)
                came_s = max(came_s, self._own_reached_s if self._is_timed else 0.0)
            guessed = "matroska" in names and abs((stated_s or 0.0) - whole_s) < _SAME_LENGTH_S
            if whole_s and (stated_s is None or guessed):
                # a picture may go on, and sound begin late: all of it together has this length
                stated_s, came_s = whole_s, max(came_s, self._reached_s)
        if stated_s is not None:
            damage.is_measured = True
            damage.short_s += max(0.0, stated_s - came_s)
        if names & {"mov", "mp4"} and self._leaves_fragments():
            damage.breaks_off = True

    def _leaves_fragments(self) -> bool:
        """Whether FFmpeg stopped at a damaged fragment (``moof``) before the last one."""
        self._source.seek(self._last_byte)
        while block := self._source.read(1 << 20):
            if b"moof" in block:
                return True
        return False


def _blocks(sound: Iterator[Any], damage: Damage) -> Iterator[Channels]:
    """The frames as blocks; a new resampler begins where rate or number of channels change."""
    resampler: StreamResampler | None = None
    gathered: list[npt.NDArray[Any]] = []
    count = rate_hz = held = 0
    total_s = 0.0
    for part in sound:
        if isinstance(part, float):  # never the first
            if part > LONGEST_GAP_S:
                damage.breaks_off = True
                damage.left_out_s += part
                continue
            damage.add(total_s, total_s + part)
            array: npt.NDArray[Any] = np.zeros((count, round(part * rate_hz)), np.float32)
        else:
            # a header may state another rate than the decoder gives
            if (part.layout.nb_channels, part.sample_rate) != (count, rate_hz):
                if resampler is not None:
                    yield resampler.feed(_clean(gathered, count), is_last=True)
                    gathered, held = [], 0
                count, rate_hz = part.layout.nb_channels, part.sample_rate
                resampler = StreamResampler(rate_hz, SAMPLE_RATE_HZ, count)
            array = _as_float(part, count)
        gathered.append(array)
        held += array.shape[1]
        total_s += array.shape[1] / rate_hz
        if resampler is not None and held >= BLOCK_S * rate_hz:
            yield resampler.feed(_clean(gathered, count))
            gathered, held = [], 0
    if resampler is not None:
        yield resampler.feed(_clean(gathered, count), is_last=True)


def _as_float(frame: Any, count: int) -> npt.NDArray[Any]:
    """A frame's samples, of shape ``(channels, n)``."""
    samples: npt.NDArray[Any] = frame.to_ndarray()
    if not frame.format.is_planar:
        samples = samples.reshape(-1, count).T
    if samples.dtype == np.uint8:
        return (samples.astype(np.float32) - 128.0) / np.float32(128.0)
    if samples.dtype.kind == "i":
        return samples.astype(np.float32) / np.float32(2.0 ** (8 * samples.dtype.itemsize - 1))
    return samples


def _clean(parts: Sequence[npt.NDArray[Any]], count: int) -> Channels:
    """The parts as one, within full scale; a block at once, because frames are short and many."""
    samples = np.concatenate([np.zeros((count, 0), np.float32), *parts], axis=1)
    samples = samples.astype(np.float32, copy=False)
    np.nan_to_num(samples, copy=False, nan=0.0, posinf=1.0, neginf=-1.0)
    return np.clip(samples, -1.0, 1.0, out=samples)


def _goes_on(end_s: float, following: _Packet | None) -> bool:
    """Whether the next packet's time agrees with this one's: a single wrong time is no gap."""
    if following is None:
        return False
    _, start_s, lost_s = following
    return start_s is None or lost_s > 0 or abs(start_s - end_s) < SHORTEST_JUMP_S


def _start_s(first: Any) -> float | None:
    if first.pts is None:
        return None
    base = first.time_base  # multiplying the fraction takes longer than decoding the packet
    return float(first.pts * base.numerator / base.denominator)


def _mp3_states_length(path: Path) -> bool:
    """Whether the header of an MP3 file speaks of all of it, and not of the first of several."""
    with path.open("rb") as file:
        head = file.read(10)
        # ID3v2.4, section 3.1: four bytes of seven bits, without the tag's own ten
        size = sum((byte & 0x7F) << 7 * place for place, byte in enumerate(head[:5:-1]))
        start = 10 + size if head[:3] == b"ID3" else 0
        file.seek(start)
        first_frame = file.read(200)
        there = file.seek(0, io.SEEK_END) - start
    at = max(first_frame.find(b"Xing"), first_frame.find(b"Info"))
    if at >= 0:  # flags, then the number of frames and that of bytes, where the flags say so
        flags = first_frame[at + 7]
        bytes_at = at + 8 + 4 * (flags & 1)
        stated = int.from_bytes(first_frame[bytes_at : bytes_at + 4], "big")
        if flags & 2 and there > stated * _JOINED_FROM:
            return False  # FFmpeg then guesses the length from the first file's bit rate
    return any(name in first_frame for name in _MP3_HEADERS)


def _stated_bytes(file: IO[bytes]) -> int:
    """The size that an AVI or ASF file states; 0 where it states none.

    Source: Microsoft's "Advanced Systems Format Specification", section 3.2.
    """
    file.seek(0)
    head = file.read(1 << 16)
    if head[:4] == b"RIFF":
        return 8 + int.from_bytes(head[4:8], "little")
    at = head.find(_ASF_FILE_PROPERTIES) + len(_ASF_FILE_PROPERTIES) + 8 + 16
    return int.from_bytes(head[at : at + 8], "little") if _ASF_FILE_PROPERTIES in head else 0


def _wave_header_s(file: IO[bytes]) -> float | None:
    """The length that a WAVE file's header states; FFmpeg shortens it to what is there.

    Returns:
        Seconds; ``None`` for other formats, and where a program that could not know the length
        in advance wrote 0 or the largest number.
    """
    file.seek(0)
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


def ogg_breaks_off(path: Path) -> bool:
    """Whether an Ogg file ends within a page; it states no length that could be compared."""
    with path.open("rb") as file:
        if file.read(4) != b"OggS":
            return False
        file.seek(max(0, path.stat().st_size - _OGG_MAX_PAGE_BYTES))
        page = file.read()
    page = page[page.rfind(b"OggS") :]
    return len(page) < 27 or len(page) < _ogg_page_bytes(page)
