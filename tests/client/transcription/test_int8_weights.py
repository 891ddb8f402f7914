"""The int8 copy of Whisper weights: the same values as CTranslate2 makes of them itself."""

import os
import struct
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from client.audio.files import read_audio
from client.data import demo
from client.transcription import int8_weights
from client.transcription.engines import load_engine
from client.transcription.int8_weights import copy_of
from client.transcription.weights import find_weights
from tests.client.transcription.openai_format import Variables, read_variables

ALIAS = struct.pack("<I", 1) + b"\x06\0alias\0\x05\0name\0"
TYPE_IDS = {"float32": 0, "int8": 1, "float16": 4}

NUMBERS = np.array([[127, -3, 0, 64], [-127, 126, 1, -1], [0, 0, 0, 0]], np.int8)
SCALES = np.array([1024.0, 0.5, 1.0], np.float32)
PLANTED: Variables = {
    "encoder/conv1/weight": np.full((2, 3), 0.3, np.float16),
    "decoder/linear/bias": np.array([0.5, 0.25, 1.0], np.float16),
    "decoder/linear/weight": (NUMBERS / SCALES[:, None]).astype(np.float16),
}


@pytest.fixture
def copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("platformdirs.user_cache_path", lambda *_, **__: tmp_path / "cache")
    return tmp_path / "cache" / "whisper" / "int8"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return put(tmp_path / "weights", PLANTED)


def put(folder: Path, variables: Variables, version: int = 6) -> Path:
    """A folder of weights in CTranslate2's format."""
    folder.mkdir(exist_ok=True)
    (folder / "config.json").write_text("{}")
    (folder / "vocabulary.txt").write_text("a\nb\n")
    (folder / "pytorch_model.bin").write_text("not for CTranslate2")
    file = struct.pack("<I", version) + b"\x0c\0WhisperSpec\0" + struct.pack("<I", 3)
    file += struct.pack("<I", len(variables))
    for name, value in variables.items():
        file += struct.pack("<H", len(name) + 1) + name.encode() + b"\0"
        file += struct.pack(f"<B{value.ndim}I", value.ndim, *value.shape)
        file += struct.pack("<BI", TYPE_IDS[value.dtype.name], value.nbytes) + value.tobytes()
    (folder / "model.bin").write_bytes(file + ALIAS)
    return folder


@pytest.mark.parametrize("rows_at_once", [1, 2, 10])
def test_linear_weights_are_int8_and_all_else_is_as_it_was(
    folder: Path, copies: Path, monkeypatch: pytest.MonkeyPatch, rows_at_once: int
) -> None:
    monkeypatch.setattr(int8_weights, "_BLOCK", 4 * rows_at_once)

    copy = copy_of(folder)

    found = read_variables(copy / "model.bin")
    expected = PLANTED | {
        "decoder/linear/weight": NUMBERS,
        "decoder/linear/weight_scale": SCALES,
    }
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        assert found[name].dtype == value.dtype
        assert np.array_equal(found[name], value)
    assert (copy / "model.bin").read_bytes().endswith(ALIAS)
    names = {"model.bin", "config.json", "vocabulary.txt", "copy_of"}
    assert {path.name for path in copy.iterdir()} == names
    assert list(copies.iterdir()) == [copy], "nothing is left beside it"


def test_a_copy_is_made_once_and_again_for_other_weights(folder: Path, copies: Path) -> None:
    copy = copy_of(folder)
    made_ns = copy.stat().st_mtime_ns

    assert copy_of(folder) == copy
    assert copy.stat().st_mtime_ns == made_ns

    (folder / "config.json").write_text('{"other": 1}')
    assert copy_of(folder) not in {copy, folder}


def test_copies_of_weights_that_are_gone_are_deleted(
    folder: Path, copies: Path, tmp_path: Path
) -> None:
    gone = copy_of(folder)
    folder.rename(tmp_path / "moved")
    (unfinished := copies / "unfinished").mkdir()
    (abandoned := copies / "abandoned").mkdir()
    os.utime(abandoned, (0.0, time.time() - 2 * int8_weights._ABANDONED_S))

    copy = copy_of(tmp_path / "moved")

    assert copy != gone
    assert set(copies.iterdir()) == {copy, unfinished}


def test_weights_that_are_int8_already_are_not_copied(copies: Path, tmp_path: Path) -> None:
    made = {"linear/weight": NUMBERS, "linear/weight_scale": SCALES}
    folder = put(tmp_path / "weights", made)

    assert copy_of(folder) == folder
    assert not copies.exists()


@pytest.mark.parametrize("left", [3, 60, -len(ALIAS)])
def test_weights_cut_short_are_not_copied(folder: Path, copies: Path, left: int) -> None:
    whole = (folder / "model.bin").read_bytes()
    (folder / "model.bin").write_bytes(whole[:left])

    assert copy_of(folder) == folder
    assert not copies.exists() or not list(copies.iterdir())


def test_a_format_that_rounds_otherwise_is_not_copied(copies: Path, tmp_path: Path) -> None:
    folder = put(tmp_path / "weights", PLANTED, version=4)

    assert copy_of(folder) == folder


def test_where_nothing_can_be_written_the_weights_are_used_as_they_are(
    folder: Path, copies: Path
) -> None:
    copies.parent.mkdir(parents=True)
    copies.write_text("in the way")

    assert copy_of(folder) == folder


class TestTinyEn:
    """Real weights, through CTranslate2."""

    def test_the_values_are_the_same_to_the_bit(self, copies: Path) -> None:
        import ctranslate2

        folder = find_weights("tiny.en")
        assert folder is not None
        copy = copy_of(folder)
        assert copy.is_relative_to(copies)
        assert (copy / "model.bin").stat().st_size < 0.6 * (folder / "model.bin").stat().st_size

        def outputs(path: Path) -> tuple[bytes, Any]:
            model = ctranslate2.models.Whisper(str(path), compute_type="int8", intra_threads=1)
            sound = np.random.default_rng(3).normal(0.0, 0.5, (1, 80, 3000)).astype(np.float32)
            encoded = model.encode(ctranslate2.StorageView.from_array(sound))
            tokens = list(range(100, 51_000, 500))  # of all the vocabulary, so of all its rows
            (judged,) = model.align(encoded, [50257], [tokens], 3000)
            return np.array(encoded).tobytes(), judged.text_token_probs

        assert outputs(copy) == outputs(folder)

    def test_a_damaged_copy_is_replaced(self, copies: Path) -> None:
        folder = find_weights("tiny.en")
        assert folder is not None
        damaged = copy_of(folder) / "model.bin"
        damaged.write_bytes(damaged.read_bytes()[:1_000_000])

        engine = load_engine("faster-whisper", "tiny.en", offline=True)

        assert engine.recognize(read_audio(demo.AUDIO).slice(0.0, 4.0))
        assert not damaged.exists()
        assert copy_of(folder) == damaged.parent
