"""Every hostile file has the outcome that is stated for it, here and through the commands."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from client.audio.files import SoundFile
from client.audio.sound_meter import SoundMeter
from client.audio.speech import check_for_speech, speech_segments
from client.core.errors import AudioFileError, ClientError, NoSpeech
from pronunciation.clip import SAMPLE_RATE_HZ
from tests.client.cli.conftest import Run
from tests.hostile_audio import HOSTILE, Hostile, encoded, speech

by_name = pytest.mark.parametrize("hostile", HOSTILE, ids=lambda hostile: hostile.name)
UNREAD = tuple(each for each in HOSTILE if each.outcome in ("refused", "no speech"))


def outcome_of(path: Path) -> str:
    try:
        sound = SoundFile(path)
        check_for_speech(sound)
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
    quality = meter.quality(speech_segments(clip), sound)
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
    monkeypatch.setattr("client.cli.engine.begin_loading", lambda *_, **__: pytest.fail("loaded"))
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


def test_in_a_manifest_no_hostile_file_stops_the_rest(tmp_path: Path, run: Run) -> None:
    lines = [
        "",
        "[]",
        "null",
        "{",
        '{"audio": 3}',
        '{"audio": "a.wav"}',
        "\u2028",
        '{"text": "RoCE"}',
    ]
    lines.append(json.dumps({"audio": "no\0name.wav", "text": "we use RoCE"}))
    lines.append(json.dumps({"audio": "/dev/zero", "text": "we use RoCE"}))
    lines.append(json.dumps({"audio": ".", "text": "we use RoCE"}))
    lines.append('{"audio": "x.wav", "text": "RoCE", "terms": [{"term": "RoCE", "readings": []}]}')
    lines.append('{"audio": "x.wav", "text": "' + "RoCE " * 5000 + '"}')
    for hostile in UNREAD:
        hostile.make(tmp_path / hostile.name)
        lines.append(json.dumps({"audio": hostile.name, "text": "we use RoCE here"}))
    manifest = tmp_path / "manifest.jsonl"
    manifest.write_text("\n".join(lines), encoding="utf-8")

    result = run("pronounce", "--manifest", str(manifest))

    assert result.exit_code == 0, result.stderr
    results = [json.loads(line) for line in result.stdout.splitlines()]
    assert len(results) == sum(1 for line in "\n".join(lines).split("\n") if line.strip())
    assert all("error" in each for each in results)
    assert all("\n" not in each["error"] for each in results)


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
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
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


def test_bad_packets_are_read_past_and_what_follows_keeps_its_time(tmp_path: Path) -> None:
    """FLAC frames whose start is gone: their sound is missing, not moved."""
    path = tmp_path / "a.flac"
    encoded("flac")(path)
    content = bytearray(path.read_bytes())
    middle = len(content) // 2
    content[middle : middle + len(content) // 20] = bytes(len(content) // 20)
    path.write_bytes(content)

    sound = SoundFile(path, allow_truncated=True)

    assert sound.duration_s == pytest.approx(speech().size / SAMPLE_RATE_HZ, abs=0.5)
    assert sound.missing or sound.breaks_off
