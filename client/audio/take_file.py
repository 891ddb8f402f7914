"""A take on disk, written while it is spoken, so that a crash loses at most the last second.

The file is an ordinary WAV file (PCM16, mono) whose header says "length not known yet" until the
take is finished: whatever happens, what follows the header is the recording. An unfinished take is
called ``….wav.part``, and the process that works on it keeps it locked. The journal
(``client.answer``) records which answer it belongs to.
"""

import contextlib
import os
import re
import struct
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from client.core.errors import RecordingError
from pronunciation.clip import BYTES_PER_SAMPLE, decode_pcm16, encode_pcm16

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
STAMP_FORMAT: Final = "%Y%m%dT%H%M%S%fZ"
"""A take's name begins with the moment (UTC) when it was begun."""
_STILL_WRITTEN_S: Final = 10.0


class TakeHeldError(RecordingError):
    """Somebody else works on this take."""


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
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self.part_path, self._fd = _new_file(folder, safe)
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
        return finish_take(self.part_path)

    def discard(self) -> None:
        self._close()
        self.part_path.unlink(missing_ok=True)

    def abandon(self) -> None:
        """Close the file and leave it as an unfinished take."""
        self._close()

    def _write(self, content: bytes) -> None:
        view = memoryview(content)
        try:
            while view:
                view = view[os.write(self._fd, view) :]
        except OSError as error:
            raise RecordingError(
                f"the recording can no longer be written ({error.strerror}); what was said so "
                "far is kept",
                "make room on the disk",
            ) from error

    def _close(self) -> None:
        if self._open:
            self._open = False
            with contextlib.suppress(OSError):
                os.fsync(self._fd)
            os.close(self._fd)


@contextlib.contextmanager
def held(path: Path) -> Iterator[None]:
    """Lock a take that is no longer being written, so that no other program works on it.

    Raises:
        TakeHeldError: another program, or another thread, has it.
        RecordingError: it no longer exists or cannot be opened.
    """
    try:
        file = path.open("rb")
    except OSError as error:
        raise RecordingError(f"{path.name} cannot be opened: {error.strerror}") from error
    with file:
        if sys.platform != "win32":
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise TakeHeldError("another program is working on this recording") from None
            except OSError:  # some network file systems know no locks
                pass
        yield


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


def _new_file(folder: Path, label: str) -> tuple[Path, int]:
    moment = datetime.now(UTC)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    while True:
        path = folder / f"{moment.strftime(STAMP_FORMAT)}-{label}{PART_SUFFIX}"
        if not path.with_suffix("").exists():
            with contextlib.suppress(FileExistsError):
                return path, os.open(path, flags, 0o600)
        moment += timedelta(microseconds=1)  # the clock was set back to the same moment


def finish_take(part_path: Path) -> Path:
    """Repair the header of an unfinished take and name the file ``….wav``; returns its path.

    Raises:
        RecordingError: the file no longer exists, is no take, or cannot be written.
    """
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
    return path


def length_s(path: Path) -> float | None:
    """How much sound is in a take, finished or not; ``None``: it is no take of ours.

    Raises:
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        rate_hz = _rate_hz(file.read(HEADER_BYTES))
    if rate_hz is None:
        return None
    return (path.stat().st_size - HEADER_BYTES) // BYTES_PER_SAMPLE / rate_hz


def is_held(path: Path) -> bool:
    """Whether a running process writes this take or works on it.

    Raises:
        OSError: it no longer exists.
    """
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
            return time.time() - path.stat().st_mtime < _STILL_WRITTEN_S
    return False


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
    """The sample rate in a header that `_header` wrote; ``None``: another program wrote it."""
    if len(header) < HEADER_BYTES or header[:4] != b"RIFF" or header[36:40] != b"data":
        return None
    kind, channels, rate_hz, _, _, bits = struct.unpack("<HHIIHH", header[20:36])
    return int(rate_hz) if (kind, channels, bits) == (1, 1, 16) and rate_hz > 0 else None
