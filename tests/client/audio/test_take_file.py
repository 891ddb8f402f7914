import errno
import os
import stat
import sys
import wave
from pathlib import Path

import numpy as np
import pytest

from client.audio.take_file import (
    TakeHeldError,
    TakeWriter,
    finish_take,
    held,
    is_held,
    length_s,
    read_take,
)
from client.core.errors import RecordingError

RATE_HZ = 22050
RAMP = np.linspace(-0.9, 0.9, RATE_HZ, dtype=np.float32)


def test_a_finished_take_is_an_ordinary_wav_file(tmp_path: Path) -> None:
    writer = TakeWriter(tmp_path, RATE_HZ, label="kv-cache")
    for piece in np.array_split(RAMP, 7):
        writer.append(piece)
    path = writer.finish()
    with wave.open(str(path)) as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getframerate()) == (1, 2, RATE_HZ)
        assert file.getnframes() == RAMP.size
    samples, rate_hz = read_take(path)
    assert rate_hz == RATE_HZ
    np.testing.assert_allclose(samples, RAMP, atol=1 / 32767)
    assert path.name.endswith("-kv-cache.wav")
    assert list(tmp_path.iterdir()) == [path]


def test_it_can_be_read_while_it_is_written(tmp_path: Path) -> None:
    writer = TakeWriter(tmp_path, RATE_HZ)
    writer.append(RAMP)
    samples, _ = read_take(writer.part_path)
    np.testing.assert_allclose(samples, RAMP, atol=1 / 32767)
    writer.discard()
    assert list(tmp_path.iterdir()) == []


def test_a_take_in_progress_is_held(tmp_path: Path) -> None:
    writer = TakeWriter(tmp_path, RATE_HZ)
    writer.append(RAMP)
    assert is_held(writer.part_path)
    with pytest.raises(TakeHeldError), held(writer.part_path):
        pass
    writer.abandon()
    assert not is_held(writer.part_path)
    with held(writer.part_path):
        assert is_held(writer.part_path)
        with pytest.raises(TakeHeldError), held(writer.part_path):
            pass


def test_what_a_crash_left_is_repaired(tmp_path: Path) -> None:
    writer = TakeWriter(tmp_path, RATE_HZ)
    writer.append(RAMP)
    writer.abandon()
    with writer.part_path.open("ab") as file:
        file.write(b"\x01")  # the crash came in the middle of a sample
    assert length_s(writer.part_path) == pytest.approx(1.0)
    with wave.open(str(finish_take(writer.part_path))) as file:
        assert file.getnframes() == RAMP.size
    assert [path.suffix for path in tmp_path.iterdir()] == [".wav"]


def test_a_stranger_s_file_is_no_take(tmp_path: Path) -> None:
    stranger = tmp_path / "3-c.wav.part"
    stranger.write_bytes(b"x" * 1000)
    assert length_s(stranger) is None
    for use in (read_take, finish_take):
        with pytest.raises(RecordingError, match="not a recording of Aloud"):
            use(stranger)
    assert stranger.read_bytes() == b"x" * 1000


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_only_the_owner_can_read_it(tmp_path: Path) -> None:
    writer = TakeWriter(tmp_path / "takes", RATE_HZ)
    path = writer.finish()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(RecordingError, match=r"cannot be written to .*file"):
        TakeWriter(tmp_path / "file" / "takes", RATE_HZ)


def test_a_label_never_leaves_the_folder(tmp_path: Path) -> None:
    path = TakeWriter(tmp_path, RATE_HZ, label="../../etc/passwd").finish()
    assert path.parent == tmp_path
    assert path.name.endswith("-etc-passwd.wav")


def test_a_disk_that_is_full_from_the_start_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_space(descriptor: int, content: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", no_space)
    with pytest.raises(RecordingError, match="make room on the disk"):
        TakeWriter(tmp_path, RATE_HZ)
    assert list(tmp_path.iterdir()) == []
