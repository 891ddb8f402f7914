"""The parent's side of an engine's process: starts it, sends requests, ends it."""

import contextlib
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import weakref
from collections.abc import Sequence
from typing import IO, Any, Final

from client.core.errors import EngineError

_BOOT: Final = (
    "import sys; loader, idle_s, sys.path[:] = sys.argv[1], float(sys.argv[2]), sys.argv[3:]; "
    "from client.transcription.engine_child import serve; serve(loader, idle_s)"
)
"""The child imports from where the parent does, and nothing of the program that the parent is."""

_MEMORY: Final = {"MALLOC_ARENA_MAX": "1"}
"""For glibc: an engine that keeps a pool of memory for each thread takes 225 MB after two segments
with ``tiny.en``, with one pool 187. Giving memory back at once as well
(``MALLOC_TRIM_THRESHOLD_``) brings 133 MB and costs half of the time again."""

SAME_SUMS: Final = {"OPENBLAS_NUM_THREADS": "1"}
"""With several threads, NumPy's OpenBLAS adds in another order, and int8 Whisper turns a last digit
into another confidence: words must not depend on who transcribes or on the number of processors."""


class ChildEndedError(Exception):
    """The process has ended; the text says how."""


class Child:
    """One process; it ends with this object, if not before.

    Args:
        arguments: the first two of ``serve``, as text.
        request: the first message, which engine to load.
    """

    def __init__(self, arguments: Sequence[str], request: object) -> None:
        # what libraries print belongs on nobody's screen; its last line may say why it ended
        self._printed = tempfile.TemporaryFile()  # noqa: SIM115 - closed by ``end``
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", _BOOT, *arguments, *sys.path],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._printed,
                env=_MEMORY | dict(os.environ) | SAME_SUMS,
                start_new_session=True,  # Ctrl-C in the terminal is for the parent
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )
        except OSError as error:
            self._printed.close()
            raise EngineError(f"no process for the engine can be started ({error})") from error
        self.pid = self._process.pid
        self.end = weakref.finalize(self, _end, self._process, self._printed)
        self.send(request)

    @property
    def is_alive(self) -> bool:
        """Whether it still runs."""
        return self._process.poll() is None

    def kill(self) -> None:
        """End it without waiting; ``receive`` says that it ended. From any thread."""
        self._process.kill()

    def send(self, message: object) -> None:
        """Send a message; one that does not arrive has no answer, and ``receive`` says why."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            pickle.dump(message, self._process.stdin)
            self._process.stdin.flush()

    def receive(self) -> Any:
        """The next message.

        Raises:
            ChildEndedError: it ended before it had sent one.
        """
        assert self._process.stdout is not None
        try:
            return pickle.load(self._process.stdout)
        except (EOFError, OSError, pickle.UnpicklingError):
            raise ChildEndedError(self._how_it_ended()) from None

    def _how_it_ended(self) -> str:
        """By which signal or with which status, and the last line that it printed."""
        status = self._process.wait()
        how = f"exit status {status}"
        if status < 0:
            with contextlib.suppress(ValueError):
                how = signal.Signals(-status).name
        self._printed.seek(0)
        printed = self._printed.read().decode("utf-8", "replace").strip().splitlines()
        return f"{how}: {printed[-1][:200]}" if printed else how


def _end(process: subprocess.Popen[bytes], printed: IO[bytes]) -> None:
    """Kill the process and release its resources."""
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout, printed):
        assert stream is not None
        with contextlib.suppress(OSError):
            stream.close()
