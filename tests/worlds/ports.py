"""Ports for servers that tests start in processes of their own, or start again at one address."""

import random
import socket
from typing import Final

__all__ = ["free_port", "listening"]

_LOWEST: Final = 10_000
_HIGHEST: Final = 32_000
"""Below those that systems give to whoever connects (Linux: 32768 and above): between the look and
the server's start, or while it is away, no connection of another test takes the port."""
_RANDOM: Final = random.SystemRandom()


def listening(port: int = 0) -> socket.socket:
    """A socket bound on loopback; port 0 takes a free one.

    Raises:
        OSError: another process has the port.
    """
    while True:
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("127.0.0.1", port or _RANDOM.randrange(_LOWEST, _HIGHEST)))
        except OSError:
            listener.close()
            if port:
                raise
        else:
            return listener


def free_port() -> int:
    """A port of loopback that nobody has."""
    with listening() as probe:
        number: int = probe.getsockname()[1]
    return number
