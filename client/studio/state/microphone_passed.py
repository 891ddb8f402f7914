"""Whether somebody has heard their own voice in the microphone check."""

import json
from datetime import UTC, datetime
from pathlib import Path

from client.core.durable_file import write_durably
from client.core.settings import ClientSettings


def microphone_passed(settings: ClientSettings) -> bool:
    """Whether the check was passed; quick."""
    return _path(settings).is_file()


def remember_microphone(settings: ClientSettings) -> None:
    """Note that the check was passed now."""
    noted = {"passed_at": datetime.now(UTC).isoformat(timespec="seconds")}
    write_durably(_path(settings), json.dumps(noted).encode())


def forget_microphone(settings: ClientSettings) -> None:
    """Note that it has to be passed again."""
    _path(settings).unlink(missing_ok=True)


def _path(settings: ClientSettings) -> Path:
    return settings.home / "microphone.json"
