"""A studio with a scripted engine in a process of its own, for a test that kills it."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn

from client.core.settings import ClientSettings
from client.studio.app import create_studio
from tests.worlds.ports import listening
from tests.worlds.studio_parts import make_studio


@contextmanager
def studio_process(home: Path, port: int = 0) -> Iterator[tuple["subprocess.Popen[str]", str]]:
    """The studio in a process of its own, and its address."""
    process = subprocess.Popen(
        [sys.executable, __file__, str(home), str(port)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
    )
    assert process.stdout is not None
    try:
        yield process, process.stdout.readline().strip()
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


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
