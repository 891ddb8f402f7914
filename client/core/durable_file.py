"""Files that are complete or absent after a crash or a power cut."""

import os
from collections.abc import Callable, Container
from contextlib import suppress
from pathlib import Path
from typing import Final

_LOCK_TIMEOUT_S: Final = 5.0


def write_durably(path: Path, content: bytes, *, private: bool = False) -> None:
    """Write a file, making its folder if it is missing; when this returns it is on the disk.

    Args:
        path: the file's.
        content: all of it.
        private: nobody else on this machine may read it, not even while it is written.

    Raises:
        OSError: it cannot be written; what was there before is still there.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = path.with_name(path.name + ".tmp")
    try:
        if private:  # a draft that a crash left may have other permissions
            draft.unlink(missing_ok=True)
        with open(draft, "wb", opener=_open_private if private else None) as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    except OSError:
        with suppress(OSError):  # part of a draft only takes room on a full disk
            draft.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def changed_ns(path: Path) -> int | None:
    """When a file was changed last; ``None``: there is none, or it cannot be looked at."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return None


def _open_private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def rewrite_durably(path: Path, content: Callable[[], bytes | None]) -> None:
    """Write a small file that several windows change; ``content`` reads what is there.

    Where it gives ``None``, the file is deleted.

    Raises:
        Timeout: another process is changing it.
        OSError: it cannot be written; what was there before is still there.
    """
    from filelock import FileLock  # it brings asyncio, which `aloud --help` need not load

    with FileLock(path.with_name(path.name + ".lock"), timeout=_LOCK_TIMEOUT_S):
        data = content()
        if data is None:
            path.unlink(missing_ok=True)
        else:
            write_durably(path, data)


def change_own(
    path: Path,
    content: Callable[[], bytes | None],
    failure: type[Exception],
    what: str,
    unreadable: type[Exception] | tuple[()] = (),
) -> None:
    """Write a file of the user's own, as ``rewrite_durably`` does.

    Args:
        path: the file.
        content: reads what is there and gives what is to be there.
        failure: the error that is raised where it cannot be done.
        what: names what is in it, for the message: ``stories``.
        unreadable: what ``content`` raises where the file is damaged.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        rewrite_durably(path, content)
    except TimeoutError as error:  # of the lock
        raise failure(f"another window is changing your {what}; try again") from error
    except unreadable as error:
        raise failure(str(error)) from error
    except OSError as error:
        raise failure(f"{path} cannot be written: {error.strerror}") from error


def free_name(name: str, taken: Container[str]) -> str:
    """The name, with the first number behind it that makes it a new one."""
    number, found = 2, name
    while found in taken:
        found, number = f"{name}-{number}", number + 1
    return found


def sync_folder(folder: Path) -> None:
    """Flush a folder's list of names to the disk: new files and deleted ones."""
    if os.name == "nt":  # a folder cannot be opened there; the rename is journalled
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
