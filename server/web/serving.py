"""Runs the server: one process, or several on the same address."""

import gc
import ipaddress
import os
import sys
import tempfile
from collections.abc import Callable
from typing import Final

from fastapi import FastAPI

from server.core.settings import ServerSettings
from server.operations.logs import set_up_logs
from server.operations.metrics import SHARED_FOLDER_VARIABLE
from server.web.app import create_app

_PROTOCOL: Final = "server.web.http.timed_requests:TimedRequests"
_SWITCH_S: Final = 0.0005
"""How long a thread that grades may keep the interpreter while others wait: ten times shorter than
Python's own choice, because a request hands it over many times."""

_OBJECTS_TO_COLLECT: Final = 10_000
"""New objects after which Python looks for those that only refer to each other. It looks at bank,
lexicon and libraries only once, at the start (``gc.freeze``): with both, a stored answer takes 0.8
ms of processor time less."""

_HUNG_S: Final = 60
"""Without a sign of life for this long, one of several processes is ended and replaced. The 5 s of
uvicorn itself would kill processes in the middle of an answer on a machine that is only busy."""

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
    settings = ServerSettings.model_validate_json(os.environ[SETTINGS_VARIABLE])
    set_up_logs(settings.log_level)
    return _ready(settings)


def _ready(settings: ServerSettings) -> FastAPI:
    """The app, in a process that is set up for it."""
    sys.setswitchinterval(_SWITCH_S)
    app = create_app(settings, warms_up=True)
    gc.collect()
    gc.freeze()
    gc.set_threshold(_OBJECTS_TO_COLLECT, *gc.get_threshold()[1:])
    return app


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
        set_up_logs(settings.log_level)
        app = _ready(settings)
        tell(line)
        uvicorn.run(app, host=host, port=port, log_config=None, http=_PROTOCOL, ws="none")
        return
    os.environ[SETTINGS_VARIABLE] = settings.model_dump_json()
    tell(f"{line} with {workers} processes")
    set_up_logs(settings.log_level)
    with tempfile.TemporaryDirectory(prefix="aloud-metrics-") as folder:
        os.environ[SHARED_FOLDER_VARIABLE] = folder
        uvicorn.run(
            "server.web.serving:app_of_worker",
            factory=True,
            host=host,
            port=port,
            workers=workers,
            timeout_worker_healthcheck=_HUNG_S,
            log_config=None,
            http=_PROTOCOL,
            ws="none",
        )
