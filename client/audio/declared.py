"""The length that a file declares, to compare with what it contains."""

import struct
from pathlib import Path
from typing import Any, Final

_OGG_MAX_PAGE_BYTES: Final = 27 + 255 + 255 * 255

_WAVE_SIZE_UNKNOWN: Final = 0x7FFF0000
"""Programs that write to a pipe state a size from here up, since they cannot go back."""

WITHOUT_TIMES: Final = frozenset({"amr", "amrnb", "amrwb", "aac", "mp3"})
"""Formats (FFmpeg's names) that are frames and nothing else: FFmpeg guesses a length from the size
and the bit rate, 0.4 to 0.6 s too long in 12 s of AMR. Only MP3 may state one itself."""

_MP3_HEADERS: Final = (b"Xing", b"Info", b"VBRI")
"""In the first frame of an MP3 file that states its length."""


def declared_s(path: Path, container: Any, stream: Any) -> float | None:
    """The length that the file's header states, in seconds; ``None`` if it states none."""
    wave_s = _wave_header_s(path)
    if wave_s is not None:
        return wave_s
    if container.format.name in WITHOUT_TIMES and not _has_mp3_header(path):
        return None
    if stream.duration is not None and stream.time_base is not None:
        return float(stream.duration * stream.time_base)
    if container.duration is not None:
        return float(container.duration) / 1_000_000
    return None


def id3_size(head: bytes) -> int:
    """The length of the ID3v2 tag that a file's first 10 bytes announce; 0 if there is none.

    Source: ID3v2.4, section 3.1: four bytes of seven bits, without the tag's own ten.
    """
    if head[:3] != b"ID3" or len(head) < 10:
        return 0
    size = 0
    for byte in head[6:10]:
        size = size << 7 | byte & 0x7F
    return 10 + size


def _has_mp3_header(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(id3_size(file.read(10)))
        first_frame = file.read(200)
    return any(name in first_frame for name in _MP3_HEADERS)


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


def mp4_lacks_index(path: Path) -> bool:
    """Whether an MP4 (M4A, MOV) file ends before or in its index, so that no sound can be found.

    Recorders write the index (``moov``) last, so an unfinished recording or copy has none.

    Source: ISO/IEC 14496-12, section 4.2: a box has its size (4 bytes, or 8 after its type where
    the size is 1) and its type (4 bytes); size 0 is a box up to the end of the file.
    """
    end = path.stat().st_size
    with path.open("rb") as file:
        at = 0
        first = True
        while len(head := file.read(16)) >= 8:
            size, kind = int.from_bytes(head[:4], "big"), head[4:8]
            if first and kind != b"ftyp":
                return False
            if size == 1 and len(head) == 16:
                size = int.from_bytes(head[8:], "big")
            at += size
            first = False
            if kind == b"moov":
                return at > end
            if size < 8 or at >= end:
                return True
            file.seek(at)
    return not first


def ogg_breaks_off(path: Path) -> bool:
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
