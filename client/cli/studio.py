"""``aloud`` without a command: the studio in the browser."""

import socket
import threading
import webbrowser
from pathlib import Path
from typing import Final

import typer

from client.cli.common import errors, expected_failures, load_settings_of
from client.core.errors import ClientError

_DEFAULT_PORT: Final = 8018
_HOST: Final = "127.0.0.1"


class StudioError(ClientError):
    """The studio cannot be served."""


def open_studio(
    bank: list[Path] | None,
    lexicon: list[Path] | None,
    server: str | None,
    *,
    engine: str | None,
    model: str | None,
    port: int | None,
    browser: bool,
) -> None:
    """Serve the studio until interrupted; without a port at the usual one, or a free one."""
    with expected_failures():
        settings = load_settings_of(bank, lexicon, server)
        listener = _listen(port)
        address = f"http://{_HOST}:{listener.getsockname()[1]}/"
        listener.listen()  # takes connections: the browser may come before the server answers
        typer.echo(f"Aloud is at {address} – Ctrl+C ends it")
        if browser:
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
        with listener:
            # Only now, with all it imports: the browser starts meanwhile.
            from client.studio.app import serve

            serve(
                settings,
                listener,
                engine=engine,
                model=model,
                tell=lambda line: errors().print(line, style="yellow", markup=False),
            )


def _listen(port: int | None) -> socket.socket:
    tries = (_DEFAULT_PORT, 0) if port is None else (port,)
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
