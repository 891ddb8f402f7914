"""Serving the studio on this machine, and opening it in the browser."""

import socket
import threading
import webbrowser
from collections.abc import Callable
from typing import Final

import uvicorn

from client.core.errors import ClientError
from client.studio.app import create_studio
from client.studio.state.studio import Studio

DEFAULT_PORT: Final = 8018
_HOST: Final = "127.0.0.1"
_VOICE_AFTER_S: Final = 2.0
"""The first page goes first; then the voice is loaded, so that it asks without a wait."""
_MAX_MESSAGE_BYTES: Final = 1 << 20


class StudioError(ClientError):
    """The studio cannot be served."""


def run(
    studio: Studio,
    *,
    port: int | None = None,
    open_browser: bool = True,
    tell: Callable[[str], None] = print,
) -> None:
    """Serve until interrupted.

    Args:
        studio: what is served; closed at the end.
        port: the port; ``None``: ``DEFAULT_PORT``, or a free one where that is taken.
        open_browser: show the page.
        tell: takes the address, one line.

    Raises:
        StudioError: the port is taken.
    """
    listener = _listen(port)
    number = int(listener.getsockname()[1])
    address = f"http://{_HOST}:{number}/"
    app = create_studio(studio, port=number)
    config = uvicorn.Config(
        app, log_level="warning", ws_max_size=_MAX_MESSAGE_BYTES, timeout_graceful_shutdown=3
    )
    tell(f"Aloud is at {address} – Ctrl+C ends it")
    # the listener takes connections already: the browser may come before the server answers
    listener.listen()
    if open_browser:
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    voice = threading.Timer(_VOICE_AFTER_S, lambda: studio.speaker().warm_up())
    voice.daemon = True
    voice.start()
    with listener:
        uvicorn.Server(config).run(sockets=[listener])


def _listen(port: int | None) -> socket.socket:
    tries = (DEFAULT_PORT, 0) if port is None else (port,)
    for number in tries:
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((_HOST, number))
        except OSError as error:
            listener.close()
            if number == tries[-1]:
                raise StudioError(
                    f"port {number} of {_HOST} cannot be used ({error.strerror}); "
                    "name another one with --port"
                ) from error
        else:
            return listener
    raise AssertionError("the last try returns or raises")
