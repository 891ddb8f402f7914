"""Serving the studio on this machine, and opening it in the browser.

Everything heavy is imported only when the address has been printed: the browser starts meanwhile.
"""

import socket
import threading
import webbrowser
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from client.core.errors import ClientError

if TYPE_CHECKING:
    from starlette.applications import Starlette

DEFAULT_PORT: Final = 8018
_HOST: Final = "127.0.0.1"
_MAX_MESSAGE_BYTES: Final = 1 << 20


class StudioError(ClientError):
    """The studio cannot be served."""


def run(
    make_app: Callable[[int], "Starlette"],
    *,
    port: int | None = None,
    open_browser: bool = True,
    tell: Callable[[str], None] = print,
) -> None:
    """Serve until interrupted.

    Args:
        make_app: makes what is served, for the port that it is served on; called once the address
            has been printed.
        port: the port; ``None``: ``DEFAULT_PORT``, or a free one where that is taken.
        open_browser: show the page.
        tell: takes the address, one line.

    Raises:
        StudioError: the port is taken.
    """
    listener = _listen(port)
    number = int(listener.getsockname()[1])
    address = f"http://{_HOST}:{number}/"
    listener.listen()  # takes connections already: the browser may come before the server answers
    tell(f"Aloud is at {address} – Ctrl+C ends it")
    if open_browser:
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    with listener:
        import uvicorn

        app = make_app(number)
        threading.Thread(target=app.state.get_ready, name="aloud-ready", daemon=True).start()
        config = uvicorn.Config(
            app,
            log_level="warning",
            ws_max_size=_MAX_MESSAGE_BYTES,
            timeout_graceful_shutdown=3,
        )
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
