"""A small file that several windows change is changed by one at a time."""

import errno
import os
import stat
from pathlib import Path

import pytest
from filelock import FileLock, Timeout

from client.core import durable_file
from client.core.durable_file import rewrite_durably, write_durably


def test_what_is_there_is_read_under_the_lock(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    path.write_bytes(b"one")

    def more() -> bytes:
        with pytest.raises(Timeout):
            FileLock(path.with_name("own.yaml.lock"), timeout=0, is_singleton=False).acquire()
        return path.read_bytes() + b" two"

    rewrite_durably(path, more)
    assert path.read_bytes() == b"one two"


def test_a_file_that_another_window_changes_stays_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(durable_file, "_LOCK_TIMEOUT_S", 0.0)
    path = tmp_path / "own.yaml"
    path.write_bytes(b"one")
    with FileLock(path.with_name("own.yaml.lock")), pytest.raises(Timeout):
        rewrite_durably(path, lambda: b"two")
    assert path.read_bytes() == b"one"


def test_a_full_disk_leaves_no_draft(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    path = tmp_path / "a.txt"
    path.write_bytes(b"old")
    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_durably(path, b"new")
    assert [each.name for each in tmp_path.iterdir()] == ["a.txt"]
    assert path.read_bytes() == b"old"


@pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions")
def test_a_private_file_is_nobody_elses_even_after_a_draft_that_a_crash_left(
    tmp_path: Path,
) -> None:
    path = tmp_path / "entry.json"
    path.with_name("entry.json.tmp").touch(mode=0o644)
    write_durably(path, b"{}", private=True)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
