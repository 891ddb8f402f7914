"""Every hostile file has the outcome that is stated for it, here and through the commands."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from client.audio.files import SoundFile
from client.audio.sound_meter import SoundMeter
from client.audio.voice_activity import check_for_speech, speech_segments
from client.core.errors import AudioFileError, ClientError, NoSpeech
from pronunciation.clip import SAMPLE_RATE_HZ
from server.grading.summary import sound_notice
from tests.client.cli.conftest import Run
from tests.worlds.hostile_audio import HOSTILE, SPEECH_S, Hostile, encoded, with_hole

by_name = pytest.mark.parametrize("hostile", HOSTILE, ids=lambda hostile: hostile.name)
UNREAD = tuple(each for each in HOSTILE if each.outcome in ("refused", "no speech"))


def outcome_of(path: Path) -> str:
    try:
        sound = SoundFile(path)
        check_for_speech(sound.blocks())
    except AudioFileError as error:
        assert str(path) in str(error)
        assert "\n" not in str(error)
        return "refused"
    except NoSpeech:
        return "no speech"
    clip = sound.clip()
    assert clip.duration_s == pytest.approx(sound.duration_s, abs=0.001)
    meter = SoundMeter()
    meter.feed(clip.samples)
    quality = meter.quality(speech_segments(clip), sound.condition)
    return "read with a notice" if quality.problems else "read"


@by_name
def test_each_file_has_its_outcome(hostile: Hostile, tmp_path: Path) -> None:
    path = tmp_path / hostile.name
    hostile.make(path)

    assert outcome_of(path) == hostile.outcome


@pytest.mark.parametrize("hostile", UNREAD, ids=lambda hostile: hostile.name)
def test_the_commands_refuse_in_one_line_and_load_no_engine(
    hostile: Hostile, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("client.cli.loading.begin_loading", lambda *_, **__: pytest.fail("loaded"))
    path = tmp_path / hostile.name
    hostile.make(path)

    for command in (
        ("transcribe", str(path)),
        ("assess", str(path), "--question", "roce-vs-infiniband", "--no-save"),
    ):
        result = run(*command)
        assert result.exit_code == 1, result.stdout
        assert len(result.stderr.strip().splitlines()) == 1
        assert "Traceback" not in result.stderr
        assert result.stdout.strip() == ""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    made = {}
    for hostile in HOSTILE:
        if hostile.name in ("mp3.mp3", "wrong-name.mp3", "length-unknown.wav"):
            path = tmp_path_factory.mktemp("whole") / hostile.name
            hostile.make(path)
            made[hostile.name] = path.read_bytes()
    return made


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    name=st.sampled_from(["mp3.mp3", "wrong-name.mp3", "length-unknown.wav"]),
    changes=st.lists(st.tuples(st.floats(0, 1), st.binary(max_size=40)), max_size=6),
    keep=st.floats(0.01, 1),
)
def test_a_file_changed_anywhere_is_read_or_refused(
    whole: dict[str, bytes],
    tmp_path: Path,
    name: str,
    changes: list[tuple[float, bytes]],
    keep: float,
) -> None:
    content = bytearray(whole[name])
    for place, put in changes:
        # headers are short: half of the changes are there
        at = int(place * 2 * 200) if place < 0.5 else int(place * len(content))
        content[at : at + len(put)] = put
    path = tmp_path / name
    path.write_bytes(content[: round(keep * len(content))])

    try:
        clip = SoundFile(path, allow_truncated=True).clip()
    except ClientError as error:
        assert "\n" not in str(error)
    else:
        assert np.isfinite(clip.samples).all()
        assert np.abs(clip.samples).max(initial=0.0) <= 1.0


@pytest.mark.parametrize(
    ("name", "codec", "rate_hz", "lost_s"),
    [
        ("a.flac", "flac", SAMPLE_RATE_HZ, 0.2),
        ("a.m4a", "aac", SAMPLE_RATE_HZ, 0.2),
        ("a.ogg", "libopus", 48_000, 1.0),  # it is lost by the page, which holds a second
        ("a.webm", "libopus", 48_000, 1.6),  # by the rest of the cluster
    ],
)
def test_what_a_hole_takes_is_silent_named_and_moves_nothing(
    tmp_path: Path, name: str, codec: str, rate_hz: int, lost_s: float
) -> None:
    path = tmp_path / name
    encoded(codec, rate_hz)(path)
    whole = SoundFile(path).clip().samples
    path.write_bytes(with_hole(bytearray(path.read_bytes())))

    sound = SoundFile(path)

    ((start_s, end_s),) = sound.missing
    assert end_s - start_s == pytest.approx(lost_s, abs=0.1)
    samples = sound.clip().samples
    assert samples.size == pytest.approx(whole.size, abs=2)
    first, last = round(start_s * SAMPLE_RATE_HZ), round(end_s * SAMPLE_RATE_HZ)
    assert np.abs(samples[first + 400 : last - 400]).max() < 0.01
    tail = min(samples.size, whole.size) - SAMPLE_RATE_HZ // 2
    np.testing.assert_allclose(samples[tail:][:7900], whole[tail:][:7900], atol=0.01)
    meter = SoundMeter()
    notice = sound_notice(meter.quality([], sound.condition))
    assert f"{end_s - start_s:.1f} s cannot be read and count as silence" in notice


@pytest.mark.parametrize("keep", [0.5, 0.99])
def test_an_mp4_without_its_whole_index_says_what_to_do(tmp_path: Path, keep: float) -> None:
    path = tmp_path / "a.m4a"
    encoded("aac")(path)
    content = path.read_bytes()
    path.write_bytes(content[: round(keep * len(content))])

    with pytest.raises(AudioFileError, match="copy the whole file again") as error:
        SoundFile(path, allow_truncated=True)

    assert "index" in str(error.value)


def test_an_mp4_whose_index_comes_first_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    path = tmp_path / "a.m4a"
    encoded("aac", movflags="faststart")(path)
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])

    sound = SoundFile(path, allow_truncated=True)

    assert sound.breaks_off
    assert sound.duration_s == pytest.approx(SPEECH_S / 2, abs=0.4)
    assert sound.declared_s == pytest.approx(SPEECH_S, abs=0.1)
