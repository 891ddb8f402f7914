"""An engine in a process of its own.

Nothing here waits for it but who asked it: PocketSphinx holds Python's global lock for seconds, and
so do the other engines' imports. It can be killed at any moment, and its memory goes back to the
system when it ends. Parent and child send each other pickles through the child's standard input and
output; a request is answered by tuples whose first item says what they are.
"""

import contextlib
import os
import pickle
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import traceback
import weakref
from collections.abc import Callable, Sequence
from typing import IO, Any, Final, TypeVar

from client.core.errors import ClientError, EngineError
from client.transcription.bank_vocabulary import BankVocabulary
from client.transcription.base import Transcriber
from client.transcription.engines import AUTO, imported, silent
from client.transcription.weights import DownloadProgress
from pronunciation.clip import Clip
from server.contract import Word

T = TypeVar("T")

IDLE_S: Final = 300.0
"""A process that is asked for nothing for so long ends. Reading a report takes a few minutes; the
next answer finds the engine loaded again before its first words are complete."""

MAX_TRIES: Final = 3
"""A process killed once may be bad luck; a segment that ended three would end the fourth."""

_LOADER: Final = "client.transcription.engines:load_engine"
_BOOT: Final = (
    "import sys; loader, idle_s, sys.path[:] = sys.argv[1], float(sys.argv[2]), sys.argv[3:]; "
    f"from {__name__} import serve; serve(loader, idle_s)"
)
"""The child imports from where the parent does, and nothing of the program that the parent is."""


class _ChildEndedError(Exception):
    """The process is gone; the text says how it ended."""


class EngineProcess(Transcriber):
    """An engine that is loaded, and works, in a process of its own.

    The process begins to load at once. It ends when this object is no longer used, when nobody asks
    it for ``idle_s``, and when the parent ends, however that happens. Where it is gone, the next
    use starts another one with the same weights. All methods may be called from any thread; clips
    are recognized one after the other.

    Args:
        name: an engine's name, or ``auto``; see ``engines.load_engine``.
        model: a weights name or a path.
        offline: fetch nothing.
        vocabulary: makes the bank-wide vocabulary, called in this process where the engine needs
            it; ``None``: that of the built-in bank and lexicon.
        idle_s: the process ends after so long without a request.
        loader: import string of what loads the engine; another one only in tests.

    Attributes:
        name: once it is loaded, the engine's; before, as asked for.
        model: likewise.
    """

    def __init__(
        self,
        name: str = AUTO,
        model: str | None = None,
        *,
        offline: bool = False,
        vocabulary: Callable[[], BankVocabulary] | None = None,
        idle_s: float = IDLE_S,
        loader: str = _LOADER,
    ) -> None:
        self.name, self.model = name, model or ""
        self._request = (name, model, offline, vocabulary is not None)
        self._vocabulary = vocabulary
        self._arguments = (loader, str(idle_s))
        self._lock = threading.Lock()
        self._is_loaded = False
        self._child = _Child(self._arguments, self._request)

    @property
    def pid(self) -> int | None:
        """The number of the process; ``None`` while there is none."""
        return self._child.pid if self._child.is_alive else None

    def warm(
        self,
        notify: Callable[[str], None] = silent,
        on_download: DownloadProgress | None = None,
    ) -> None:
        """Wait until the engine is loaded; where its process has ended, load it again.

        Args:
            notify: takes one line for the user, e.g. why a rougher engine is used.
            on_download: takes bytes done and bytes in all while weights are fetched.

        Raises:
            EngineError, WeightsError: as ``engines.load_engine`` does, or the process was ended
                ``MAX_TRIES`` times.
        """
        if self._is_loaded and self._child.is_alive:
            return
        with self._lock:
            self._trying(lambda: self._load(notify, on_download))

    def recognize(self, clip: Clip) -> Sequence[Word]:
        """See ``Transcriber``; where the process is killed, another one does the work again.

        Raises:
            EngineError: the engine failed, or its process was ended ``MAX_TRIES`` times.
        """
        with self._lock:
            return self._trying(lambda: self._recognize(clip))

    def _recognize(self, clip: Clip) -> tuple[Word, ...]:
        self._load()
        self._child.send(clip)
        words: tuple[Word, ...] = self._reply()
        return words

    def _load(
        self,
        notify: Callable[[str], None] = silent,
        on_download: DownloadProgress | None = None,
    ) -> None:
        if self._is_loaded and self._child.is_alive:
            return
        if self._is_loaded or not self._child.end.alive:
            # one that could not load has ended as well, but first it is asked why
            self._child.end()
            self._is_loaded, self._child = False, _Child(self._arguments, self._request)
        _, model, _, is_taught = self._request
        self.name, self.model, self.max_segment_s = self._reply(notify, on_download)
        # a process that follows does not choose, and has nothing to fetch
        self._request = (self.name, model or self.model, True, is_taught)
        self._is_loaded = True

    def _reply(
        self,
        notify: Callable[[str], None] = silent,
        on_download: DownloadProgress | None = None,
    ) -> Any:
        """What the child has done, once it has; until then do what it asks for."""
        while True:
            match self._child.receive():
                case "note", line:
                    notify(line)
                case "download", done, total:
                    if on_download is not None:
                        on_download(done, total)
                case "vocabulary", _:
                    assert self._vocabulary is not None
                    self._child.send(self._vocabulary())
                case "failed", error:
                    raise error
                case "done", result:
                    return result

    def _trying(self, work: Callable[[], T]) -> T:
        """Do it with a fresh process where one ends in the middle of it."""
        ends = ""
        for _ in range(MAX_TRIES):
            try:
                return work()
            except _ChildEndedError as end:
                self._child.end()
                ends = str(end)
            except BaseException:
                # also Ctrl-C: what the child says now would answer no question
                self._child.end()
                raise
        raise EngineError(
            f"the engine {self.name} ended {MAX_TRIES} times in the middle of its work ({ends}); "
            "if memory is short, close other programs, or choose smaller weights: --model tiny.en"
        )


class _Child:
    """One process; it ends with this object at the latest.

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
        return self._process.poll() is None

    def send(self, message: object) -> None:
        """Send a message; one that does not arrive has no answer, and ``receive`` says why."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            pickle.dump(message, self._process.stdin)
            self._process.stdin.flush()

    def receive(self) -> Any:
        """The next message.

        Raises:
            _ChildEndedError: it ended before it had sent one.
        """
        assert self._process.stdout is not None
        try:
            return pickle.load(self._process.stdout)
        except (EOFError, OSError, pickle.UnpicklingError):
            raise _ChildEndedError(self._how_it_ended()) from None

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
    """Kill it, whatever it does, and give back what it held."""
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout, printed):
        assert stream is not None
        with contextlib.suppress(OSError):
            stream.close()


def serve(loader: str, idle_s: float) -> None:
    """What the child does: load an engine, then recognize clips. Ends the process.

    Args:
        loader: import string of what loads the engine.
        idle_s: how long it waits for a clip.
    """
    try:
        replies = os.fdopen(os.dup(1), "wb")
        os.dup2(2, 1)  # what libraries print is no reply

        def send(kind: str, *values: object) -> None:
            pickle.dump((kind, *values), replies)
            replies.flush()

        requests: queue.SimpleQueue[Any] = queue.SimpleQueue()
        threading.Thread(target=_listen, args=(requests,), daemon=True).start()
        try:
            _work(loader, idle_s, requests, send)
        except ClientError as error:
            send("failed", error)
        except Exception as error:
            traceback.print_exc()
            send("failed", EngineError(f"the engine failed ({type(error).__name__}: {error})"))
    finally:
        os._exit(0)  # at once: a library's last rites take long, and nothing is left to save


def _listen(requests: queue.SimpleQueue[Any]) -> None:
    """Take requests until the parent closes the pipe or is gone; then there is nothing to do."""
    try:
        while True:
            requests.put(pickle.load(sys.stdin.buffer))
    finally:
        os._exit(0)


def _work(
    loader: str, idle_s: float, requests: queue.SimpleQueue[Any], send: Callable[..., None]
) -> None:
    name, model, offline, is_taught = requests.get()

    def vocabulary() -> Any:
        send("vocabulary", None)
        return requests.get()

    engine: Transcriber = imported(loader)(
        name,
        model,
        offline=offline,
        notify=lambda line: send("note", line),
        on_download=lambda done, total: send("download", done, total),
        vocabulary=vocabulary if is_taught else None,
    )
    send("done", (engine.name, engine.model, engine.max_segment_s))
    with contextlib.suppress(queue.Empty):
        while True:
            send("done", tuple(engine.recognize(requests.get(timeout=idle_s))))
