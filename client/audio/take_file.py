"""A take on disk, written while it is spoken, so that a crash loses at most the last second.

The file is an ordinary WAV file (PCM16, mono) whose header says "length not known yet" until the
take is finished: what stands behind the header is the recording, whatever happened. An unfinished
take is called ``….wav.part`` and is held locked by the process that writes it. Why it is unfinished
stands beside it (``….wav.part.why``), where somebody could still tell.
"""

import contextlib
import os
import re
import struct
import sys
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from client.core.errors import RecordingError
from pronunciation.pcm import BYTES_PER_SAMPLE, decode_pcm16, encode_pcm16

if sys.platform != "win32":
    import fcntl

PART_SUFFIX: Final = ".wav.part"
HEADER_BYTES: Final = 44
UNKNOWN_SIZE: Final = 0xFFFFFFFF
"""What a streamed WAV file carries where its length is not known (ffmpeg writes the same)."""
SYNC_EVERY_S: Final = 0.5
"""A killed process loses nothing that was written; a power cut loses what was not synced. Half of
the second that may be lost at most."""
MAX_PCM_BYTES: Final = UNKNOWN_SIZE - HEADER_BYTES
_REASON_SUFFIX: Final = ".why"
_REASON_CHARS: Final = 500
_STILLBORN_AFTER_S: Final = 60.0
_STILL_WRITTEN_S: Final = 10.0


class TakeWriter:
    """Appends sound to a new unfinished take; `finish` or `discard` ends it.

    Args:
        folder: made when it is not there, readable by its owner only.
        sample_rate_hz: of the samples that will come.
        label: a piece of the file's name, e.g. the question's id.

    Raises:
        RecordingError: the file cannot be made; says the folder.
    """

    def __init__(self, folder: Path, sample_rate_hz: int, label: str = "take") -> None:
        self.sample_rate_hz = sample_rate_hz
        self.samples_written = 0
        safe = re.sub(r"[^A-Za-z0-9-]+", "-", label).strip("-")[:60] or "take"
        stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%fZ")
        self.part_path = folder / f"{stamp}-{safe}{PART_SUFFIX}"
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
            self._fd = os.open(self.part_path, flags, 0o600)
        except OSError as error:
            raise RecordingError(
                f"the recording cannot be written to {folder} ({error.strerror})",
                "make the folder writable or choose another with ALOUD_HOME",
            ) from error
        if sys.platform != "win32":
            with contextlib.suppress(OSError):  # some network file systems know no locks
                fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        self._open = True
        self._synced_at_s = time.monotonic()
        try:
            self._write(_header(sample_rate_hz, None))
        except RecordingError:
            self.discard()
            raise

    def append(self, samples: npt.NDArray[np.float32]) -> None:
        """Write ``samples`` (float32, shape ``(n,)``, within [-1, 1]) through to the system.

        Raises:
            RecordingError: the disk is full or gone; what was written before is kept.
        """
        self._write(encode_pcm16(samples))
        self.samples_written += samples.size
        if time.monotonic() - self._synced_at_s >= SYNC_EVERY_S:
            with contextlib.suppress(OSError):
                os.fsync(self._fd)
            self._synced_at_s = time.monotonic()

    def finish(self) -> Path:
        """Write the true length into the header and give the take its final name.

        Raises:
            RecordingError: the file cannot be finished; it stays as an unfinished take.
        """
        self._close()
        return _finish(self.part_path)

    def discard(self) -> None:
        """Delete the take."""
        self._close()
        _delete(self.part_path)

    def abandon(self, reason: str = "") -> None:
        """Let go of the file and leave it as an unfinished take; ``reason``: why, one line."""
        _note_reason(self.part_path, reason)
        self._close()

    def _write(self, content: bytes) -> None:
        view = memoryview(content)
        try:
            while view:
                view = view[os.write(self._fd, view) :]
        except OSError as error:
            raise RecordingError(
                f"the recording cannot be written any more ({error.strerror}); what was said so "
                "far is kept",
                "make room on the disk",
            ) from error

    def _close(self) -> None:
        if self._open:
            self._open = False
            with contextlib.suppress(OSError):
                os.fsync(self._fd)
            os.close(self._fd)


@dataclass(frozen=True)
class UnfinishedTake:
    """A take that a crash left behind.

    Attributes:
        path: the ``….wav.part`` file.
        started_at: when the recording began (UTC).
        label: the one given to `TakeWriter`, made safe for a file name.
        duration_s: how much of it is there.
        reason: why it is unfinished; empty where nobody could tell, as after a crash.
    """

    path: Path
    started_at: datetime
    label: str
    duration_s: float
    reason: str = ""

    def finish(self) -> Path:
        """Repair the header and name the file ``….wav``; returns its path.

        Raises:
            RecordingError: the file is gone or cannot be written.
        """
        return _finish(self.path)

    def discard(self) -> None:
        """Delete the take."""
        _delete(self.path)

    def note(self, reason: str) -> None:
        """Keep the reason why it could not be finished, to show it later."""
        _note_reason(self.path, reason)


def unfinished_recordings(folder: Path) -> tuple[UnfinishedTake, ...]:
    """The takes in ``folder`` that no running process is writing, the oldest first.

    A file that was cut within its header holds no sound: it is left out, and deleted once it is
    older than a minute (before that, a recorder may just be making it).
    """
    takes = []
    for path in sorted(folder.glob(f"*{PART_SUFFIX}")):
        with contextlib.suppress(OSError):
            if _is_being_written(path):
                continue
            take = _look_at(path)
            if take is not None:
                takes.append(take)
            elif path.stat().st_size < HEADER_BYTES and _age_s(path) > _STILLBORN_AFTER_S:
                path.unlink(missing_ok=True)
    return tuple(takes)


def read_take(path: Path) -> tuple[npt.NDArray[np.float32], int]:
    """What is in a take, finished or still being written.

    Returns:
        The samples, float32 of shape ``(n,)`` within [-1, 1], and their rate in Hz.

    Raises:
        RecordingError: the file is missing or is no take of ours.
    """
    try:
        with path.open("rb") as file:
            rate_hz = _rate_hz(file.read(HEADER_BYTES))
            if rate_hz is None:
                raise RecordingError(f"{path.name} is not a recording of Aloud")
            pcm = file.read()
    except OSError as error:
        raise RecordingError(f"{path.name} cannot be read: {error.strerror}") from error
    return decode_pcm16(pcm), rate_hz


def _finish(part_path: Path) -> Path:
    path = part_path.with_name(part_path.name.removesuffix(".part"))
    try:
        pcm_bytes = part_path.stat().st_size - HEADER_BYTES
        whole = pcm_bytes - pcm_bytes % BYTES_PER_SAMPLE
        with part_path.open("r+b") as file:
            rate_hz = _rate_hz(file.read(HEADER_BYTES))
            if rate_hz is None:
                raise RecordingError(f"{part_path.name} is not a recording of Aloud")
            file.truncate(HEADER_BYTES + whole)  # a crash may cut a sample in two
            file.seek(0)
            file.write(_header(rate_hz, whole))
            file.flush()
            os.fsync(file.fileno())
        os.replace(part_path, path)
    except OSError as error:
        raise RecordingError(f"{part_path.name} cannot be finished: {error.strerror}") from error
    with contextlib.suppress(OSError):
        _reason_path(part_path).unlink(missing_ok=True)
    return path


def _delete(part_path: Path) -> None:
    part_path.unlink(missing_ok=True)
    _reason_path(part_path).unlink(missing_ok=True)


def _reason_path(part_path: Path) -> Path:
    return part_path.with_name(part_path.name + _REASON_SUFFIX)


def _note_reason(part_path: Path, reason: str) -> None:
    """Write the reason down, if that can be done: the recording matters more."""
    if reason:
        with contextlib.suppress(OSError):
            _reason_path(part_path).write_text(reason[:_REASON_CHARS], encoding="utf-8")
            _reason_path(part_path).chmod(0o600)


def _reason(part_path: Path) -> str:
    try:
        with _reason_path(part_path).open(encoding="utf-8", errors="replace") as file:
            return " ".join(file.read(_REASON_CHARS).split()).rstrip(".")
    except OSError:
        return ""


def _header(sample_rate_hz: int, pcm_bytes: int | None) -> bytes:
    """A RIFF header for mono PCM16; ``None``: the length is not known yet."""
    data_size = UNKNOWN_SIZE if pcm_bytes is None else min(pcm_bytes, MAX_PCM_BYTES)
    riff_size = UNKNOWN_SIZE if pcm_bytes is None else data_size + HEADER_BYTES - 8
    byte_rate = sample_rate_hz * BYTES_PER_SAMPLE
    form = struct.pack("<HHIIHH", 1, 1, sample_rate_hz, byte_rate, BYTES_PER_SAMPLE, 16)
    return (
        struct.pack("<4sI4s4sI", b"RIFF", riff_size, b"WAVE", b"fmt ", len(form))
        + form
        + struct.pack("<4sI", b"data", data_size)
    )


def _rate_hz(header: bytes) -> int | None:
    """The sample rate in a header that `_header` wrote; ``None``: it is another's."""
    if len(header) < HEADER_BYTES or header[:4] != b"RIFF" or header[36:40] != b"data":
        return None
    kind, channels, rate_hz, _, _, bits = struct.unpack("<HHIIHH", header[20:36])
    return int(rate_hz) if (kind, channels, bits) == (1, 1, 16) and rate_hz > 0 else None


def _look_at(path: Path) -> UnfinishedTake | None:
    with path.open("rb") as file:
        rate_hz = _rate_hz(file.read(HEADER_BYTES))
    stat = path.stat()
    if rate_hz is None:
        return None
    stamp, _, label = path.name.removesuffix(PART_SUFFIX).partition("-")
    try:
        started_at = datetime.strptime(stamp, "%Y%m%dT%H%M%S%fZ").replace(tzinfo=UTC)
    except ValueError:  # renamed by hand
        started_at = datetime.fromtimestamp(stat.st_mtime, UTC)
    samples = (stat.st_size - HEADER_BYTES) // BYTES_PER_SAMPLE
    return UnfinishedTake(path, started_at, label, samples / rate_hz, _reason(path))


def _age_s(path: Path) -> float:
    return time.time() - path.stat().st_mtime


def _is_being_written(path: Path) -> bool:
    if sys.platform == "win32":
        # Windows refuses to rename a file that is open.
        probe = path.with_name(path.name + ".probe")
        try:
            os.rename(path, probe)
        except OSError:
            return True
        os.rename(probe, path)
        return False
    with path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except OSError:  # no locks here: a file that still grows is being written
            return _age_s(path) < _STILL_WRITTEN_S
    return False
