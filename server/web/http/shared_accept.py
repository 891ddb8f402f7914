"""Shares connections evenly among the processes of a server, which listen on one socket.

asyncio accepts all connections that wait, so of clients that connect together, one process would
get most or all. Here a process with more open connections than another lets that one go first.

A socket for each process (``SO_REUSEPORT``) would not do: the kernel chooses by a hash, which is
uneven for a few connections, and those for a process that starts, hangs or has died would wait for
it or be lost.
"""

import asyncio
import errno
import logging
import mmap
import os
import select
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, cast

from filelock import FileLock, Timeout

from server.operations.metrics import SHARED_FOLDER_VARIABLE
from server.web.http.timed_requests import TimedRequests

logger = logging.getLogger(__name__)

MOST_PROCESSES: Final = 256

LOOK_S: Final = 0.001
"""How soon a process looks again whether a connection still waits. A loaded process takes its turn
after some milliseconds."""

PATIENCE_S: Final = 0.25
"""After this long without a sign of a process with fewer connections (it starts, hangs or has died)
the others stop waiting for it until it accepts one."""

_PAUSE_S: Final = 1.0
_NO_ROOM: Final = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)


class Tally:
    """How many connections each process has open, in a file that all of them map.

    Each process has a place in it, locked as long as it runs.
    """

    def __init__(self, folder: Path) -> None:
        """Takes a free place.

        Args:
            folder: shared by the processes.

        Raises:
            RuntimeError: there are more processes than places.
        """
        file = os.open(folder / "connections", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            os.ftruncate(file, 2 * 8 * MOST_PROCESSES)  # keeps what is there
            numbers = memoryview(mmap.mmap(file, 0)).cast("q")
        finally:
            os.close(file)
        self._open, self._accepted = numbers[:MOST_PROCESSES], numbers[MOST_PROCESSES:]
        self._place, self._lock = self._take(folder)
        self._open[self._place] = 0
        self._accepted[self._place] += 1  # tells the others that it is there

    @staticmethod
    def _take(folder: Path) -> tuple[int, FileLock]:
        for place in range(MOST_PROCESSES):
            lock = FileLock(folder / f"process-{place}.lock")
            try:
                lock.acquire(blocking=False)
            except Timeout:
                continue
            return place, lock
        raise RuntimeError(f"there are more than {MOST_PROCESSES} processes")

    def opened(self) -> None:
        """Counts a connection that this process accepts."""
        self._open[self._place] += 1
        self._accepted[self._place] += 1

    def closed(self) -> None:
        """Counts one that ended."""
        self._open[self._place] -= 1

    def with_fewer(self) -> dict[int, int]:
        """The processes that have fewer connections, each with how many it has ever accepted."""
        own = self._open[self._place]
        accepted = list(self._accepted)
        return {
            place: accepted[place]
            for place, count in enumerate(self._open)
            if accepted[place] and count < own
        }


class SharingLoop(asyncio.SelectorEventLoop):
    """The event loop of one of several processes."""

    tally: Tally

    async def create_server(  # type: ignore[override]
        self, factory: Callable[[], asyncio.BaseProtocol], *, sock: socket.socket, **options: Any
    ) -> asyncio.Server:
        """Listens on the socket, as uvicorn asks to, and takes turns with the other processes."""
        self.tally = Tally(Path(os.environ[SHARED_FOLDER_VARIABLE]))
        server = await super().create_server(factory, sock=sock, start_serving=False, **options)
        sock.listen(options["backlog"])
        _Turns(self, factory, sock).wait()
        return server


class SharedRequests(TimedRequests):
    """The protocol of a connection that ``SharingLoop`` accepted."""

    def connection_lost(self, exc: Exception | None) -> None:
        """Another connection may take its place."""
        super().connection_lost(exc)
        cast(SharingLoop, self.loop).tally.closed()


class _Turns:
    """Accepts connections one by one, each when it is this process's turn."""

    def __init__(
        self, loop: SharingLoop, factory: Callable[[], asyncio.BaseProtocol], sock: socket.socket
    ) -> None:
        self._loop, self._factory, self._socket = loop, factory, sock
        self._first: dict[int, int] = {}
        self._since_s = 0.0
        self._silent: dict[int, int] = {}
        self._accepting: set[asyncio.Task[Any]] = set()

    def wait(self) -> None:
        """Waits for the next connection."""
        if self._socket.fileno() >= 0:  # otherwise the server has been closed
            self._loop.add_reader(self._socket, self._look)

    def _look(self) -> None:
        if not self._others_first():
            self._accept()
            return
        self._loop.remove_reader(self._socket)
        self._loop.call_later(LOOK_S, self._look_again)

    def _look_again(self) -> None:
        if self._socket.fileno() < 0:
            return
        if select.select([self._socket], [], [], 0)[0] and self._others_first():
            self._loop.call_later(LOOK_S, self._look_again)
        else:
            self._first = {}
            self.wait()

    def _others_first(self) -> bool:
        """Whether to leave a connection to processes that have fewer and seem to be listening."""
        first = {
            place: accepted
            for place, accepted in self._loop.tally.with_fewer().items()
            if self._silent.get(place) != accepted
        }
        now_s = time.monotonic()
        if first != self._first:
            self._first, self._since_s = first, now_s
        elif first and now_s - self._since_s >= PATIENCE_S:
            self._silent |= first
            return False
        return bool(first)

    def _accept(self) -> None:
        try:
            connection, _ = self._socket.accept()
        except (BlockingIOError, InterruptedError, ConnectionAbortedError):  # another was faster
            return
        except OSError as error:
            if error.errno not in _NO_ROOM:
                raise
            logger.error("no more connections: %s", error.strerror)
            self._loop.remove_reader(self._socket)
            self._loop.call_later(_PAUSE_S, self.wait)
            return
        connection.setblocking(False)
        self._loop.tally.opened()
        made = self._loop.connect_accepted_socket(self._factory, connection)
        task = self._loop.create_task(made)
        self._accepting.add(task)
        task.add_done_callback(self._accepting.discard)
