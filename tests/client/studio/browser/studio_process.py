"""A studio with a scripted engine in a process of its own, for a test that kills it."""

import sys
from pathlib import Path

import uvicorn

from client.core.settings import ClientSettings
from client.studio.app import create_studio
from tests.client.conftest import listening
from tests.client.studio.studio_parts import make_studio


def main() -> None:
    home, port = Path(sys.argv[1]), int(sys.argv[2])
    listener = listening(port)
    listener.listen()
    number = listener.getsockname()[1]
    app = create_studio(make_studio(ClientSettings(home=home)), port=number)
    sys.stdout.write(f"http://127.0.0.1:{number}\n")
    sys.stdout.flush()
    uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listener])


if __name__ == "__main__":
    main()
