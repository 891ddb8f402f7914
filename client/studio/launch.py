"""Serving the studio on this machine, and opening it in the browser.

Everything heavy is imported only when the address has been printed: the browser starts meanwhile.
"""

import socket
import threading
import time
import webbrowser
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from client.core.errors import ClientError

if TYPE_CHECKING:
    from client.studio.state.studio import Studio

DEFAULT_PORT: Final = 8018
_HOST: Final = "127.0.0.1"
_FIRST_PAGE_WITHIN_S: Final = 15.0
_READY_AFTER_S: Final = 0.5
"""The first page goes first, with what it links to. Then the other pages are made, and the voice is
loaded and says the first question into its cache, so that it asks without a wait; the database,
which the first page did without, is opened too."""
_MAX_MESSAGE_BYTES: Final = 1 << 20


class StudioError(ClientError):
    """The studio cannot be served."""


def run(
    make_studio: Callable[[], "Studio"],
    *,
    port: int | None = None,
    open_browser: bool = True,
    tell: Callable[[str], None] = print,
) -> None:
    """Serve until interrupted.

    Args:
        make_studio: gives what is served; called when the address is known, closed at the end.
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

        from client.studio.app import create_studio

        studio = make_studio()
        app = create_studio(studio, port=number)

        def get_ready() -> None:
            studio.shown.wait(_FIRST_PAGE_WITHIN_S)
            time.sleep(_READY_AFTER_S)
            app.state.pages.get_ready()
            studio.get_ready()

        threading.Thread(target=get_ready, name="aloud-ready", daemon=True).start()
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
