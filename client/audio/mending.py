"""What is readable of a damaged file whose demuxer gives up at the damage, or hides its length.

FFmpeg reads the fragments of an MP4 file box by box and stops at a damaged one. MP3 and ADTS files
are frames and nothing else: it skips damaged bytes, and no time shows how many. Here both are found
in the file's own structure. Ogg, Matroska and MPEG-TS have times that show what is missing.
"""

import io
import mmap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Final

from client.audio.declared import id3_size

_FRAMES_IN_STEP: Final = 3
"""So many headers in a row that lead to one another are no coincidence of other bytes."""


@dataclass(frozen=True)
class Piece:
    """A part of a file that can be read as if it were a file.

    Attributes:
        start: its first byte.
        end: behind its last byte.
        lost_s: how much sound is missing before it, as far as the bytes show.
        patches: bytes to read instead of those at these places.
    """

    start: int
    end: int
    lost_s: float = 0.0
    patches: Mapping[int, bytes] = field(default_factory=dict)


class PieceFile(io.RawIOBase):
    """A piece as a file that FFmpeg reads and seeks in."""

    def __init__(self, path: Path, piece: Piece) -> None:
        self.name = str(path)  # FFmpeg looks at its extension
        self._file = path.open("rb")
        self._piece = piece
        self._at = 0

    def read(self, size: int = -1, /) -> bytes:
        """The next bytes, patched."""
        start = self._piece.start + self._at
        left = max(0, self._piece.end - start)
        self._file.seek(start)
        content = bytearray(self._file.read(left if size < 0 else min(size, left)))
        for place, put in self._piece.patches.items():
            for at, byte in enumerate(put, place - start):
                if 0 <= at < len(content):
                    content[at] = byte
        self._at += len(content)
        return bytes(content)

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        """Go to a place within the piece."""
        base = {io.SEEK_CUR: self._at, io.SEEK_END: self._piece.end - self._piece.start}
        self._at = max(0, base.get(whence, 0) + offset)
        return self._at

    def tell(self) -> int:
        """Where the next byte is read."""
        return self._at

    def readable(self) -> bool:
        """It can be read."""
        return True

    def seekable(self) -> bool:
        """It can be read from anywhere."""
        return True

    def close(self) -> None:
        """Close the file."""
        self._file.close()
        super().close()


def pieces_of(path: Path) -> tuple[Piece, ...]:
    """What can be read of a damaged MP3, ADTS or MP4 file; empty if this finds no damage."""
    if path.stat().st_size == 0:
        return ()
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        if content[4:8] == b"ftyp":
            patches = _mp4_patches(content)
            return (Piece(0, len(content), patches=patches),) if patches else ()
        start = id3_size(content[:10])
        for frame in (_adts_frame, _mp3_frame):
            if frame(content, start) is not None:
                pieces = _pieces_of_frames(content, start, frame)
                return pieces if len(pieces) > 1 else ()
    return ()


# --- frames: MP3 and ADTS -----------------------------------------------------------------------


@dataclass(frozen=True)
class _Frame:
    size: int
    length_s: float
    kind: tuple[int, ...]
    """What all frames of a file share."""


_FrameAt = Callable[[mmap.mmap, int], _Frame | None]


def _pieces_of_frames(content: mmap.mmap, start: int, frame_at: _FrameAt) -> tuple[Piece, ...]:
    """The runs of frames, each with what the bytes before it held at the mean rate so far."""
    first = frame_at(content, start)
    assert first is not None
    runs: list[tuple[int, int]] = []
    sound_s, sound_bytes = 0.0, 0
    pieces: list[Piece] = []
    at: int | None = start
    while at is not None:
        begun = at
        while (frame := frame_at(content, at)) is not None and frame.kind == first.kind:
            follows = at + frame.size
            if follows < len(content) and not _is_frame(content, follows, first, frame_at):
                break
            sound_s, sound_bytes = sound_s + frame.length_s, sound_bytes + frame.size
            at = follows
        runs.append((begun, at))
        at = _next_in_step(content, at + 1, first, frame_at)
    runs[-1] = (runs[-1][0], len(content))
    rate = sound_s / max(1, sound_bytes)
    for (_, before), (begun, end) in pairwise([(start, start), *runs]):
        if end > begun and not pieces:
            pieces.append(Piece(0, end))
        elif end > begun:
            pieces.append(Piece(begun, end, (begun - before) * rate))
    return tuple(pieces)


def _is_frame(content: mmap.mmap, at: int, first: _Frame, frame_at: _FrameAt) -> bool:
    frame = frame_at(content, at)
    return frame is not None and frame.kind == first.kind


def _next_in_step(content: mmap.mmap, at: int, first: _Frame, frame_at: _FrameAt) -> int | None:
    """Where frames go on that lead to one another; ``None`` if they do not."""
    while (at := content.find(b"\xff", at)) >= 0:
        place: int = at
        for _ in range(_FRAMES_IN_STEP):
            frame = frame_at(content, place)
            if frame is None or frame.kind != first.kind:
                break
            place += frame.size
        else:
            return at
        at += 1
    return None


_ADTS_RATES_HZ: Final = (96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000,
                         12_000, 11_025, 8_000, 7_350)  # fmt: skip
_ADTS_SAMPLES: Final = 1024


def _adts_frame(content: mmap.mmap, at: int) -> _Frame | None:
    """The frame of which the header is at a place. Source: ISO/IEC 13818-7, section 6.2."""
    head = content[at : at + 7]
    if len(head) < 7 or head[0] != 0xFF or head[1] & 0xF6 != 0xF0:
        return None
    rate = head[2] >> 2 & 0xF
    size = (head[3] & 3) << 11 | head[4] << 3 | head[5] >> 5
    if rate >= len(_ADTS_RATES_HZ) or size < len(head):
        return None
    blocks = (head[6] & 3) + 1
    kind = (head[1], head[2] & 0xFC)
    return _Frame(size, blocks * _ADTS_SAMPLES / _ADTS_RATES_HZ[rate], kind)


_MP3_KBIT_S: Final = {
    3: (32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320),
    2: (8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
}
"""By version: 3 is MPEG-1, 2 is MPEG-2; 0 is MPEG-2.5 with the rates of MPEG-2."""
_MP3_RATES_HZ: Final = {
    3: (44_100, 48_000, 32_000), 2: (22_050, 24_000, 16_000), 0: (11_025, 12_000, 8_000),
}  # fmt: skip
_LAYER_3: Final = 1


def _mp3_frame(content: mmap.mmap, at: int) -> _Frame | None:
    """The frame of layer III whose header is at a place. Source: ISO/IEC 11172-3, section 2.4.2."""
    head = content[at : at + 4]
    if len(head) < 4 or head[0] != 0xFF or head[1] & 0xE0 != 0xE0:
        return None
    version, layer = head[1] >> 3 & 3, head[1] >> 1 & 3
    bit_rate, rate = head[2] >> 4, head[2] >> 2 & 3
    if version not in _MP3_RATES_HZ or layer != _LAYER_3 or rate == 3 or bit_rate in (0, 15):
        return None
    samples = 1152 if version == 3 else 576
    rate_hz = _MP3_RATES_HZ[version][rate]
    bits_per_s = 1000 * _MP3_KBIT_S[3 if version == 3 else 2][bit_rate - 1]
    size = samples * bits_per_s // (8 * rate_hz) + (head[2] >> 1 & 1)
    return _Frame(size, samples / rate_hz, (version, rate))


# --- boxes: MP4 ---------------------------------------------------------------------------------


def _mp4_patches(content: mmap.mmap) -> dict[int, bytes]:
    """What makes the damage of a fragmented file part of boxes that are skipped.

    Nothing is moved, because fragments may name places in the file. Source: ISO/IEC 14496-12,
    sections 4.2 and 8.8.
    """
    patches: dict[int, bytes] = {}
    at = 0
    while at < len(content):
        size, kind = _box(content, at)
        is_whole = kind != b"moof" or _holds_boxes(content, at + 8, at + size)
        follows = at + size
        if is_whole and (follows == len(content) or _box(content, follows)[1] in _TOP_BOXES):
            at = follows
            continue
        found = _next_fragment(content, at + 8)
        if found is None or found - at >= 1 << 32:
            return patches
        # a fragment's sound is where its index says, so what is left of it is still read
        name = kind if kind == b"mdat" else b"free"
        patches[at] = (found - at).to_bytes(4, "big") + name
        at = found
    return patches


_TOP_BOXES: Final = (b"moof", b"mdat", b"moov", b"mfra", b"free", b"skip", b"sidx", b"styp",
                     b"ftyp", b"uuid", b"wide", b"emsg", b"prft")  # fmt: skip


def _box(content: mmap.mmap, at: int) -> tuple[int, bytes]:
    """The size and type of a box; (0, "") for what is none."""
    size, kind = int.from_bytes(content[at : at + 4], "big"), content[at + 4 : at + 8]
    if size == 1:
        size = int.from_bytes(content[at + 8 : at + 16], "big")
    elif size == 0:
        size = len(content) - at
    return (size, kind) if 8 <= size <= len(content) - at else (0, b"")


def _holds_boxes(content: mmap.mmap, at: int, end: int) -> bool:
    """Whether a fragment's index is whole: boxes to its end, and in its tracks too."""
    while at < end:
        size, kind = _box(content, at)
        if size == 0 or not kind.isalnum() or at + size > end:
            return False
        if kind == b"traf" and not _holds_boxes(content, at + 8, at + size):
            return False
        at += size
    return at == end


def _next_fragment(content: mmap.mmap, at: int) -> int | None:
    """Where the next whole fragment begins."""
    for place in _places(content, b"moof", at + 4):
        size, kind = _box(content, place - 4)
        if kind == b"moof" and _holds_boxes(content, place + 4, place - 4 + size):
            return place - 4
    return None


def _places(content: mmap.mmap, sought: bytes, at: int) -> Iterator[int]:
    while (at := content.find(sought, at)) >= 0:
        yield at
        at += 1
