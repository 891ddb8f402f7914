import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from datetime import date
from pathlib import Path

import pytest

from client.core.errors import SettingsError
from client.core.preferences import (
    ENGINES,
    NAMES,
    Preferences,
    change_preferences,
    load_preferences,
    preferences_file,
    reset_preferences,
    source_of,
    variable,
    written,
)
from client.core.settings import load_settings
from client.engines.engines import AUTO
from client.engines.engines import ENGINES as KNOWN_ENGINES

CHOSEN = {
    "voice": "system",
    "speed": "1.25",
    "theme": "dark",
    "microphone": "Headset",
    "engine": "pocketsphinx",
    "model": "base",
    "thinking_s": "30",
    "mother_tongue": "German",
    "role": "ml-platform-engineer",
    "interview_date": "2027-03-01",
    "plan_start": "2027-02-01",
    "plan_minutes": "20",
    "keys": "off",
}
READ = Preferences(
    voice="system",
    speed=1.25,
    theme="dark",
    microphone="Headset",
    engine="pocketsphinx",
    model="base",
    thinking_s=30,
    mother_tongue="German",
    role="ml-platform-engineer",
    interview_date=date(2027, 3, 1),
    plan_start=date(2027, 2, 1),
    plan_minutes=20,
    keys=False,
)


def write(home: Path, content: object) -> None:
    preferences_file(home).write_text(json.dumps(content), encoding="utf-8")


def test_every_setting_can_be_chosen_kept_and_taken_back(tmp_path: Path) -> None:
    assert load_preferences(tmp_path, {}) == Preferences()
    change_preferences(tmp_path, CHOSEN)
    assert load_preferences(tmp_path, {}) == READ
    assert {name: written(READ, name) for name in NAMES} == CHOSEN
    change_preferences(tmp_path, {"speed": None, "theme": "light"})
    changed = load_preferences(tmp_path, {})
    assert (changed.speed, changed.theme, changed.voice) == (1.0, "light", "system")
    reset_preferences(tmp_path)
    assert load_preferences(tmp_path, {}) == Preferences()


def test_many_writers_at_once_lose_nothing(tmp_path: Path) -> None:
    with ThreadPoolExecutor(len(CHOSEN)) as pool:
        list(pool.map(lambda one: change_preferences(tmp_path, dict([one])), CHOSEN.items()))
    assert load_preferences(tmp_path, {}) == READ


def test_the_names_are_the_fields() -> None:
    assert {field.name for field in fields(Preferences)} == set(NAMES)
    assert set(ENGINES) == {AUTO, *KNOWN_ENGINES}


def test_the_environment_goes_before_the_file(tmp_path: Path) -> None:
    change_preferences(tmp_path, {"speed": "1.5", "theme": "dark"})
    env = {"ALOUD_SPEED": "0.75", "ALOUD_THEME": " "}
    settings = load_settings(home=tmp_path, env=env)
    assert (settings.preferences.speed, settings.preferences.theme) == (0.75, "dark")
    assert [source_of(tmp_path, name, env) for name in ("speed", "theme", "keys")] == [
        "environment",
        "file",
        "default",
    ]


def test_people_may_write_numbers_and_switches_without_quotes(tmp_path: Path) -> None:
    write(tmp_path, {"speed": 1.5, "keys": False, "thinking_s": 0, "interview_date": None})
    assert load_preferences(tmp_path, {}) == Preferences(speed=1.5, keys=False, thinking_s=0)


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("voice", "robot", "voice must be one of natural, system, not 'robot'"),
        ("speed", "3", "speed must be a number from 0.5 to 2, not '3'"),
        ("speed", "nan", "speed must be a number"),
        ("theme", "pink", "theme must be one of system, light, dark"),
        ("microphone", "a\nb", "microphone must be one line"),
        ("engine", "siri", "engine must be one of auto, faster-whisper"),
        ("thinking_s", "601", "thinking_s must be whole seconds from 0 to 600"),
        ("thinking_s", "²", "thinking_s must be whole seconds"),
        ("interview_date", "tomorrow", "interview_date must be a date such as 2027-03-01"),
        ("keys", "maybe", "keys must be on or off, not 'maybe'"),
    ],
)
def test_a_value_that_cannot_be_used_is_named_with_its_place(
    tmp_path: Path, name: str, value: str, says: str
) -> None:
    with pytest.raises(SettingsError, match=says):
        change_preferences(tmp_path, {"model": "base", name: value})
    assert not preferences_file(tmp_path).exists()  # nothing is half stored
    write(tmp_path, {name: value})
    with pytest.raises(SettingsError, match=rf"settings.json: {says}.* settings reset {name}"):
        load_preferences(tmp_path, {})
    with pytest.raises(SettingsError, match=says.replace(name, variable(name), 1)):
        load_preferences(tmp_path / "other", {variable(name): value})


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("{", "settings.json cannot be read"),
        ("[]", "settings.json must be one object"),
        ('{"colour": "dark"}', "settings.json: no setting 'colour'; there are voice, speed"),
    ],
)
def test_a_damaged_file_is_named_and_can_be_reset(tmp_path: Path, content: str, says: str) -> None:
    preferences_file(tmp_path).write_text(content)
    with pytest.raises(SettingsError, match=says):
        load_preferences(tmp_path, {})
    reset_preferences(tmp_path)
    assert load_preferences(tmp_path, {}) == Preferences()


def test_options_go_before_the_chosen_engine_and_its_weights() -> None:
    chosen = Preferences(engine="faster-whisper", model="base")
    assert chosen.engine_or(None, None) == ("faster-whisper", "base")
    assert chosen.engine_or(None, "tiny.en") == ("faster-whisper", "tiny.en")
    assert chosen.engine_or("pocketsphinx", None) == ("pocketsphinx", None)
    assert Preferences().engine_or(None, None) == ("auto", None)
