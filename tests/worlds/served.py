"""An app served by uvicorn on a free port of loopback, for a browser."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from fastapi import FastAPI

from tests.worlds.queues import wait_for

__all__ = ["served"]


@contextmanager
def served(app: FastAPI) -> Iterator[str]:
    """Its address, for as long as it runs."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning", loop="asyncio"))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        wait_for(lambda: server.started)
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join()
