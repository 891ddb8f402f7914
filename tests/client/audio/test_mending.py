"""Damage that FFmpeg stops at, or whose length it hides: what is behind it is read, at its time."""

from pathlib import Path

import numpy as np
import pytest

from client.audio.decoding import LONGEST_GAP_S
from client.audio.files import SoundFile
from client.audio.mending import Piece, PieceFile, pieces_of
from client.audio.sound_meter import SoundMeter
from client.core.errors import BrokenFileError
from pronunciation.clip import SAMPLE_RATE_HZ
from server.grading.summary import sound_notice
from tests.client.audio.test_files import write
from tests.hostile_audio import SPEECH_S, encoded, with_hole

FRAGMENTS = {"movflags": "frag_keyframe+empty_moov", "frag_duration": "500000"}

ABOUT_S = 0.25
"""A hole of 1 s is estimated from the mean bytes per second, which varies with the speech."""


def notice(sound: SoundFile) -> str:
    return sound_notice(SoundMeter().quality([], sound.condition))


@pytest.mark.parametrize(
    ("name", "codec", "options", "says"),
    [
        ("a.mp4", "aac", FRAGMENTS, "s cannot be read and count as silence"),
        ("a.aac", "aac", {}, "s or more cannot be read"),
        ("a.mp3", "libmp3lame", {"write_xing": "0"}, "s or more cannot be read"),
        ("a.mp3", "libmp3lame", {}, "s cannot be read and count as silence"),
    ],
)
def test_what_is_behind_a_hole_keeps_its_time(
    tmp_path: Path, name: str, codec: str, options: dict[str, str], says: str
) -> None:
    path = tmp_path / name
    encoded(codec, 44_100, **options)(path)
    whole = SoundFile(path).clip().samples
    path.write_bytes(with_hole(bytearray(path.read_bytes()), 1.0))

    sound = SoundFile(path)

    assert not sound.breaks_off
    assert sum(end_s - start_s for start_s, end_s in sound.missing) == pytest.approx(1.0, abs=0.6)
    samples = sound.clip().samples
    assert samples.size == pytest.approx(whole.size, abs=ABOUT_S * SAMPLE_RATE_HZ)
    tail = whole[-SAMPLE_RATE_HZ:-800]
    shifts = np.correlate(samples[-round(1.5 * SAMPLE_RATE_HZ) :], tail, "valid")
    shift_s = (int(shifts.argmax()) + tail.size - 1.5 * SAMPLE_RATE_HZ + 800) / SAMPLE_RATE_HZ
    assert shift_s + (samples.size - whole.size) / SAMPLE_RATE_HZ == pytest.approx(0, abs=ABOUT_S)
    assert says in notice(sound)


@pytest.mark.parametrize(("name", "codec"), [("a.aac", "aac"), ("a.mp3", "libmp3lame")])
def test_what_was_cut_out_of_frames_without_times_is_called_unknown(
    tmp_path: Path, name: str, codec: str
) -> None:
    path = tmp_path / name
    encoded(codec, 44_100, **({"write_xing": "0"} if codec == "libmp3lame" else {}))(path)
    content = path.read_bytes()
    middle = len(content) // 2
    path.write_bytes(content[:middle] + content[middle + len(content) // 6 :])

    sound = SoundFile(path)

    assert sound.duration_s == pytest.approx(SPEECH_S * 5 / 6, abs=0.2)
    assert "a part cannot be read (this kind of file does not say how much" in notice(sound)


def test_an_mp3_file_without_a_length_is_not_taken_for_one_that_breaks_off(tmp_path: Path) -> None:
    """FFmpeg guesses its length from the bit rate of the first frames."""
    path = tmp_path / "a.mp3"
    encoded("libmp3lame", 44_100, write_xing="0")(path)

    sound = SoundFile(path)

    assert (sound.declared_s, sound.breaks_off, sound.missing) == (None, False, ())


def test_ogg_is_read_past_more_damage_than_its_demuxer_looks_over(tmp_path: Path) -> None:
    path = write(tmp_path / "a.ogg", "libopus", rate_hz=48_000, duration_s=60.0)
    content = bytearray(path.read_bytes())
    hole = 80_000
    assert hole > 65_536 and len(content) > 4 * hole, "one page more than it looks ahead"
    middle = len(content) // 2
    content[middle : middle + hole] = np.random.default_rng(6).bytes(hole)
    path.write_bytes(content)

    sound = SoundFile(path)

    lost_s = hole / len(content) * 60.0
    ((start_s, end_s),) = sound.missing
    assert end_s - start_s == pytest.approx(lost_s, abs=2.0)
    assert sound.duration_s == pytest.approx(60.0, abs=0.1)
    assert np.abs(sound.clip().slice(end_s + 0.5, 60.0).samples).max() > 0.1


def test_a_gap_of_over_a_minute_is_named_and_left_out_and_needs_to_be_asked_for(
    tmp_path: Path,
) -> None:
    path = write(tmp_path / "a.ogg", "libopus", rate_hz=48_000, duration_s=200.0)
    content = path.read_bytes()
    first, last = len(content) // 4, round(0.75 * len(content))
    path.write_bytes(content[:first] + content[last:])

    with pytest.raises(BrokenFileError, match=r"of 200\.0 s can be read"):
        SoundFile(path)
    sound = SoundFile(path, allow_truncated=True)

    assert sound.breaks_off
    assert sound.missing == (), "a number may be damaged: nothing is filled with so much silence"
    assert sound.declared_s == pytest.approx(200.0, abs=0.1)
    assert sound.duration_s == pytest.approx(100.0, abs=2.0)
    assert sound.condition.missing_s == pytest.approx(100.0, abs=2.0)
    assert sound.condition.missing_s > LONGEST_GAP_S
    assert "s of 200.0 s cannot be read" in notice(sound)


@pytest.mark.parametrize(
    ("name", "codec", "options"),
    [("a.mp4", "aac", FRAGMENTS), ("a.aac", "aac", {}), ("a.mp3", "libmp3lame", {}),
     ("a.wav", "pcm_s16le", {})],
)  # fmt: skip
def test_a_whole_file_has_no_pieces(
    tmp_path: Path, name: str, codec: str, options: dict[str, str]
) -> None:
    path = tmp_path / name
    encoded(codec, 44_100, **options)(path)
    assert pieces_of(path) == ()


def test_a_piece_is_read_as_a_file_with_its_patches(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"0123456789")
    file = PieceFile(path, Piece(2, 8, patches={1: b"ab", 6: b"xyz"}))

    assert file.read(3) == b"b34"
    assert file.read() == b"5xy"
    assert file.seek(-2, 2) == 4
    assert file.read(9) == b"xy"
    file.close()
