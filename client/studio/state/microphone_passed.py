"""Whether somebody has heard their own voice in the microphone check."""

from pathlib import Path

from client.core.settings import ClientSettings


def microphone_passed(settings: ClientSettings) -> bool:
    """Whether the check was passed; quick."""
    return _path(settings).is_file()


def remember_microphone(settings: ClientSettings) -> None:
    """Note that the check was passed now."""
    _path(settings).write_text("{}", encoding="utf-8")


def forget_microphone(settings: ClientSettings) -> None:
    """Note that it has to be passed again."""
    _path(settings).unlink(missing_ok=True)


def _path(settings: ClientSettings) -> Path:
    return settings.home / "microphone.json"
