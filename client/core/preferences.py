"""The user's settings: voice, theme, engine and so on, in one file of the data folder.

An option of a command goes before the environment (``ALOUD_SPEED`` and so on), the environment
before the file, the file before the default.
"""

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Final, Literal

from filelock import Timeout

from client.core.durable_file import rewrite_durably
from client.core.errors import SettingsError

Source = Literal["default", "file", "environment"]

VOICES: Final = ("natural", "system")
THEMES: Final = ("system", "light", "dark")
ENGINES: Final = ("auto", "faster-whisper", "openai-whisper", "pocketsphinx")
SPEEDS: Final = (0.5, 2.0)
"""The natural voice's own limits."""
MAX_THINKING_S: Final = 600
MINUTES: Final = (5, 240)
"""For a day of the plan: one question, or four hours."""
_LONGEST: Final = 200


@dataclass(frozen=True)
class Preferences:
    """The choices in force.

    Attributes:
        voice: who asks the questions, one of ``VOICES``.
        speed: of speaking; 1 is the voice's own pace.
        theme: one of ``THEMES``; ``system``: what the system shows.
        microphone: its name or a part of it; empty: the system's own choice.
        engine: the transcription engine, one of ``ENGINES``.
        model: its weights by name or folder; empty: the engine's own choice.
        thinking_s: seconds to think before recording begins by itself; ``None``: the studio waits
            for the button, the terminal takes its own default.
        mother_tongue: of the candidate, as they write it; empty: not given.
        role: the id of the role that the plan is for; empty: the one practiced last.
        interview_date: the day of the interview; ``None``: not given.
        plan_start: the first day of the plan; ``None``: it begins today, every day.
        plan_minutes: how long the plan makes an ordinary day.
        keys: keyboard shortcuts of the studio are on.
    """

    voice: str = "natural"
    speed: float = 1.0
    theme: str = "system"
    microphone: str = ""
    engine: str = "auto"
    model: str = ""
    thinking_s: int | None = None
    mother_tongue: str = ""
    role: str = ""
    interview_date: date | None = None
    plan_start: date | None = None
    plan_minutes: int = 15
    keys: bool = True

    def engine_or(self, engine: str | None, model: str | None) -> tuple[str, str | None]:
        """Engine and weights, those of a command's options first.

        The chosen weights go with the chosen engine only.
        """
        own_model = self.model if engine in (None, self.engine) else ""
        return engine or self.engine, model or own_model or None


def _one_of(*names: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in names:
            raise ValueError(f"must be one of {', '.join(names)}")
        return text

    return read


def _speed(text: str) -> float:
    try:
        speed = float(text)
    except ValueError:
        speed = 0.0
    if not SPEEDS[0] <= speed <= SPEEDS[1]:
        raise ValueError(f"must be a number from {SPEEDS[0]:g} to {SPEEDS[1]:g}")
    return speed


def _name(text: str) -> str:
    if len(text) > _LONGEST or not text.isprintable():
        raise ValueError(f"must be one line of at most {_LONGEST} characters")
    return text


def _seconds(text: str) -> int | None:
    if not text:
        return None
    if not (text.isascii() and text.isdigit()) or int(text) > MAX_THINKING_S:
        raise ValueError(f"must be whole seconds from 0 to {MAX_THINKING_S}, or empty")
    return int(text)


def _minutes(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or not MINUTES[0] <= int(text) <= MINUTES[1]:
        raise ValueError(f"must be whole minutes from {MINUTES[0]} to {MINUTES[1]}")
    return int(text)


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        raise ValueError("must be a date such as 2027-03-01, or empty") from None


def _switch(text: str) -> bool:
    if text not in ("on", "off"):
        raise ValueError("must be on or off")
    return text == "on"


_READ: Final[dict[str, Callable[[str], Any]]] = {
    "voice": _one_of(*VOICES),
    "speed": _speed,
    "theme": _one_of(*THEMES),
    "microphone": _name,
    "engine": _one_of(*ENGINES),
    "model": _name,
    "thinking_s": _seconds,
    "mother_tongue": _name,
    "role": _name,
    "interview_date": _day,
    "plan_start": _day,
    "plan_minutes": _minutes,
    "keys": _switch,
}
NAMES: Final = tuple(_READ)
POSSIBLE: Final[Mapping[str, str]] = {
    "voice": ", ".join(VOICES),
    "speed": f"{SPEEDS[0]:g} to {SPEEDS[1]:g}",
    "theme": ", ".join(THEMES),
    "microphone": "a name or part of it",
    "engine": ", ".join(ENGINES),
    "model": "a name of `aloud models list`, or a folder",
    "thinking_s": f"0 to {MAX_THINKING_S}, in seconds",
    "mother_tongue": "a language",
    "role": "an ID of `aloud bank list`",
    "interview_date": "a date such as 2027-03-01",
    "plan_start": "a date such as 2027-02-01",
    "plan_minutes": f"{MINUTES[0]} to {MINUTES[1]}, a day",
    "keys": "on, off",
}
"""The values that each setting takes, in words."""


def preferences_file(home: Path) -> Path:
    """Where they are stored."""
    return home / "settings.json"


def load_preferences(home: Path, env: Mapping[str, str] = os.environ) -> Preferences:
    """The choices in force, from environment, file and defaults.

    Raises:
        SettingsError: a value cannot be used; names the file and the key, or the variable.
    """
    stored = _stored(home)
    values = {name: _value(home, name, text) for name, text in stored.items()}
    for name in NAMES:
        if text := env.get(variable(name), "").strip():
            values[name] = _read(name, text, variable(name))
    return Preferences(**values)


def source_of(home: Path, name: str, env: Mapping[str, str] = os.environ) -> Source:
    """Where the value of a setting comes from.

    Raises:
        SettingsError: the file cannot be read.
    """
    if env.get(variable(name), "").strip():
        return "environment"
    return "file" if name in _stored(home) else "default"


def change_preferences(home: Path, changes: Mapping[str, str | None]) -> None:
    """Store choices in the file.

    Args:
        home: the data folder.
        changes: texts by name; ``None`` takes a choice back. Other choices stay as they are.

    Raises:
        SettingsError: no such setting, a value that cannot be used, or a file that cannot be read
            or written; then nothing is changed.
    """
    for name, text in changes.items():
        check_name(name)
        if text is not None:
            _read(name, text.strip(), name)

    def merged() -> dict[str, str]:
        stored: dict[str, str | None] = {**_stored(home), **changes}
        return {name: text.strip() for name, text in stored.items() if text is not None}

    _rewrite(home, merged)


def reset_preferences(home: Path) -> None:
    """Restore every default, even if the file is damaged.

    Raises:
        SettingsError: the file cannot be written.
    """
    _rewrite(home, dict)


def written(preferences: Preferences, name: str) -> str:
    """A setting as people type it: ``1.25``, ``on``, ``2027-03-01``; empty if nothing is chosen."""
    value = getattr(preferences, name)
    if isinstance(value, bool):
        return "on" if value else "off"
    if value is None:
        return ""
    return f"{value:g}" if isinstance(value, float) else str(value)


def variable(name: str) -> str:
    """The environment variable of a setting."""
    return f"ALOUD_{name.upper()}"


def check_name(name: str) -> None:
    """Refuse what is no setting.

    Raises:
        SettingsError: with the names that there are.
    """
    if name not in _READ:
        raise SettingsError(f"no setting {name!r}; there are {', '.join(NAMES)}")


def _stored(home: Path) -> dict[str, str]:
    path = preferences_file(home)
    remedy = "correct it, or restore the defaults with `aloud settings reset`"
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise SettingsError(f"{path} cannot be read ({error}); {remedy}") from error
    if not isinstance(content, dict):
        raise SettingsError(f"{path} must be one object of names and values; {remedy}")
    for name in content:
        if name not in _READ:
            raise SettingsError(f"{path}: no setting {name!r}; there are {', '.join(NAMES)}")
    return {name: _text(value) for name, value in content.items()}


def _text(value: object) -> str:
    """A value as typed; people who edit the file may write 1.25 and true without quotes."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return "" if value is None else str(value).strip()


def _value(home: Path, name: str, text: str) -> Any:
    path = preferences_file(home)
    try:
        return _read(name, text, name)
    except SettingsError as error:
        raise SettingsError(f"{path}: {error}; or `aloud settings reset {name}`") from error


def _read(name: str, text: str, shown: str) -> Any:
    try:
        return _READ[name](text)
    except ValueError as error:
        raise SettingsError(f"{shown} {error}, not {text[:_LONGEST]!r}") from error


def _rewrite(home: Path, content: Callable[[], Mapping[str, str]]) -> None:
    """Replace the file by ``content``, which reads it: no other Aloud writes it in between."""
    path = preferences_file(home)

    def text() -> bytes:
        stored = content()
        ordered = {name: stored[name] for name in NAMES if name in stored}
        return (json.dumps(ordered, indent=2, ensure_ascii=False) + "\n").encode()

    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        rewrite_durably(path, text)
    except Timeout as error:
        raise SettingsError(f"{path} is being written by another Aloud; try again") from error
    except OSError as error:
        raise SettingsError(f"{path} cannot be written ({error.strerror})") from error
