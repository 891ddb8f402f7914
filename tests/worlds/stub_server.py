"""The tests' server as a process of its own that dies at a bad moment.

``python stub_server.py DATABASE PORT``: the process ends, as in a power cut, the moment it would
answer a POST, when its work is done and stored.
"""

import os
import sys
from pathlib import Path

import uvicorn
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tests.client.conftest import make_app
from tests.worlds.ports import listening


class DiesBeforeAnswering:
    """Passes a request on, and ends the process between the work and its answer."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def dying(message: Message) -> None:
            if scope["type"] == "http" and scope["method"] == "POST":
                os._exit(9)
            await send(message)

        await self._app(scope, receive, dying)


def main() -> None:
    app, _ = make_app(Path(sys.argv[1]))
    listener = listening(int(sys.argv[2]))
    listener.listen()
    sys.stdout.write("listening\n")
    sys.stdout.flush()
    config = uvicorn.Config(DiesBeforeAnswering(app), log_level="warning")
    uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main()
