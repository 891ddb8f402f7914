"""Runs the server: one process, or several on the same address."""

import ipaddress
import os
from collections.abc import Callable
from typing import Final

from fastapi import FastAPI

from server.app import create_app
from server.settings import ServerSettings

__all__ = ["SETTINGS_VARIABLE", "app_of_worker", "is_loopback", "run"]

SETTINGS_VARIABLE: Final = "ALOUD_SERVER_SETTINGS"
"""How the settings come into the processes that uvicorn starts."""


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach what listens there."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:  # a name: wherever it leads to
        return False


def app_of_worker() -> FastAPI:
    """The app in one of several processes, from the settings of the one that started it."""
    return create_app(ServerSettings.model_validate_json(os.environ[SETTINGS_VARIABLE]))


def run(
    settings: ServerSettings, *, host: str, port: int, workers: int, tell: Callable[[str], None]
) -> None:
    """Serves until interrupted.

    Raises:
        StoreError, BankError, LexiconError: the server cannot start; the text says why.
    """
    import uvicorn

    shown = f"[{host}]" if ":" in host else host
    line = f"Aloud serves on http://{shown}:{port}"
    if workers == 1:
        app = create_app(settings)
        tell(line)
        uvicorn.run(app, host=host, port=port, log_level="warning")
        return
    os.environ[SETTINGS_VARIABLE] = settings.model_dump_json()
    tell(f"{line} with {workers} processes")
    uvicorn.run(
        "server.serving:app_of_worker",
        factory=True,
        host=host,
        port=port,
        workers=workers,
        log_level="warning",
    )
