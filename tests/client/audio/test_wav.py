import wave
from pathlib import Path

import numpy as np
import pytest

from client.audio.wav import read_wav, write_wav
from client.core.errors import SpeakingError
from pronunciation.clip import Clip


def test_what_is_written_is_read(tmp_path: Path) -> None:
    ramp = np.linspace(-0.9, 0.9, 2205, dtype=np.float32)
    path = tmp_path / "new" / "folder" / "x.wav"
    write_wav(Clip(ramp, 22050), path)
    clip = read_wav(path)
    assert clip.sample_rate_hz == 22050
    np.testing.assert_allclose(clip.samples, ramp, atol=1e-4)
    assert [file.name for file in path.parent.iterdir()] == ["x.wav"]


def test_channels_are_mixed(tmp_path: Path) -> None:
    path = tmp_path / "stereo.wav"
    with wave.open(str(path), "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(np.array([[16384, 0], [0, -16384]], dtype="<i2").tobytes())
    np.testing.assert_allclose(read_wav(path).samples, [0.25, -0.25])


@pytest.mark.parametrize("content", [b"", b"RIFF", b"no wav at all"])
def test_a_broken_file_is_an_error(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.wav"
    path.write_bytes(content)
    with pytest.raises(SpeakingError, match=r"x\.wav"):
        read_wav(path)


def test_a_file_without_sound_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "x.wav"
    write_wav(Clip(np.zeros(0, dtype=np.float32), 8000), path)
    with pytest.raises(SpeakingError, match="holds no sound"):
        read_wav(path)


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(SpeakingError, match="cannot be written"):
        write_wav(Clip(np.ones(8, dtype=np.float32)), tmp_path / "file" / "x.wav")
