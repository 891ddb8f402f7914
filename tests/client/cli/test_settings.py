import json
from pathlib import Path

import pytest

from client.audio.wav import read_wav
from client.core.preferences import NAMES, POSSIBLE, preferences_file
from client.core.settings import data_folder, load_settings
from tests.client.cli.conftest import Run


def test_settings_are_set_shown_and_reset(run: Run) -> None:
    assert run("settings", "get", "speed").stdout == "1\n"
    assert run("settings", "set", "speed", "1.25").exit_code == 0
    assert run("settings", "set", "interview-date", "2027-03-01").exit_code == 0
    assert run("settings", "get", "interview_date").stdout == "2027-03-01\n"
    listed = {each["name"]: each for each in json.loads(run("settings", "list", "--json").stdout)}
    assert listed["speed"] == {"name": "speed", "value": "1.25", "source": "file"}
    assert listed["theme"] == {"name": "theme", "value": "system", "source": "default"}
    assert "1.25" in run("settings", "list").stdout
    assert run("settings", "reset", "speed").exit_code == 0
    assert run("settings", "get", "speed").stdout == "1\n"
    assert run("settings", "get", "interview_date").stdout == "2027-03-01\n"
    assert run("settings", "reset").exit_code == 0
    assert load_settings().preferences.interview_date is None


def test_what_the_environment_decides_is_said(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALOUD_THEME", "dark")
    done = run("settings", "set", "theme", "light")
    assert "ALOUD_THEME is set in the environment and takes precedence" in done.stderr
    assert run("settings", "get", "theme").stdout == "dark\n"


def test_a_mother_tongue_that_drills_do_not_know_is_kept_and_told(run: Run) -> None:
    done = run("settings", "set", "mother-tongue", "Klingon")
    assert done.exit_code == 0
    assert "Drills know no hard sounds of Klingon" in done.stderr.replace("\n", " ")
    assert run("settings", "get", "mother_tongue").stdout == "Klingon\n"
    assert run("settings", "set", "mother-tongue", "korean").stderr == ""


def test_the_list_says_what_each_setting_can_be(run: Run) -> None:
    assert set(POSSIBLE) == set(NAMES)
    shown = " ".join(run("settings", "list").stdout.split())
    assert "system, light, dark" in shown
    assert "0.5 to 2" in shown


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("set", "speed", "-0.5"), "speed must be a number from 0.5 to 2, not '-0.5'"),
        (("set", "thinking_s", "-1"), "thinking_s must be whole seconds from 0 to 600, or empty"),
        (("set", "keys", "--off"), "keys must be on or off, not '--off'"),
        (("set", "colour", "red"), "no setting 'colour'"),
        (("get", "colour"), "no setting 'colour'"),
        (("reset", "colour"), "no setting 'colour'"),
    ],
)
def test_what_cannot_be_is_one_clear_line(run: Run, arguments: tuple[str, ...], says: str) -> None:
    done = run("settings", *arguments)
    assert done.exit_code == 1
    assert says in done.stderr.replace("\n", " ")


def test_a_damaged_file_stops_commands_and_reset_mends_it(run: Run) -> None:
    path = preferences_file(data_folder())
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text('{"speed": "fast"}')
    done = run("plan")
    assert done.exit_code == 1
    assert f"{path}: speed must be a number" in done.stderr.replace("\n", " ")
    assert run("settings", "reset").exit_code == 0
    assert run("plan", "--role", "ml-platform-engineer").exit_code == 0


def test_say_takes_voice_and_speed_from_settings_and_options(run: Run, tmp_path: Path) -> None:
    def said(*options: str) -> tuple[int, float]:
        assert run("say", "We measure.", "--out", str(tmp_path / "x.wav"), *options).exit_code == 0
        clip = read_wav(tmp_path / "x.wav")
        return clip.sample_rate_hz, clip.duration_s

    usual = said()
    run("settings", "set", "speed", "2")
    fast = said()
    assert usual[0] == fast[0] == 24_000
    assert fast[1] < 0.75 * usual[1]
    assert said("--speed", "1") == usual
    assert said("--voice", "system")[0] == 22_050
