"""A lock between processes that the system lets go of when its holder dies."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

__all__ = ["held"]

_POLL_S = 0.05


@contextmanager
def held(path: Path, *, timeout_s: float) -> Iterator[bool]:
    """Holds the lock on this file while the block runs.

    Yields:
        Whether the lock was taken within the time limit; where not, the block runs without it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    deadline = time.monotonic() + timeout_s
    with path.open("a+b") as file:
        while not (taken := _take(file)) and time.monotonic() < deadline:
            time.sleep(_POLL_S)
        try:
            yield taken
        finally:
            if taken:
                _release(file)


if sys.platform == "win32":
    import msvcrt

    def _take(file: IO[bytes]) -> bool:
        file.seek(0)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _release(file: IO[bytes]) -> None:
        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _take(file: IO[bytes]) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _release(file: IO[bytes]) -> None:
        fcntl.flock(file, fcntl.LOCK_UN)
