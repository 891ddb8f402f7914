"""An engine in its own process.

Only its caller waits for it: PocketSphinx holds Python's global lock for seconds, and
so do the other engines' imports. It can be killed at any moment, and its memory goes back to the
system when it ends. ``engine_child`` says what it does.
"""

import contextlib
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any, Final, TypeVar

from client.core.errors import EngineError
from client.engines.bank_vocabulary import BankVocabulary
from client.engines.base import Transcriber
from client.engines.engines import AUTO, silent
from client.engines.weights import DownloadProgress
from pronunciation.clip import Clip, LogProbs, Passage
from server.contract import Word

_BOOT: Final = (
    "import sys; loader, idle_s, sys.path[:] = sys.argv[1], float(sys.argv[2]), sys.argv[3:]; "
    "from client.engines.engine_child import serve; serve(loader, idle_s)"
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


STILL_S: Final = 60.0
"""A process that is asked for something and uses no processor for this long will not answer:
on a busy machine too it would get some of a minute."""

LOADING_STILL_S: Final = 180.0
"""While it loads it may wait for a network or a slow disk, which have limits of their own."""

LONGEST_S: Final = 1800.0
"""Nothing takes longer to load on any machine that this is meant for: such work is a loop."""

LEAST_WORK_S: Final = 120.0
WORK_PER_SOUND_S: Final = 60.0
"""Processor time that a segment may take: so much in any case, and so much for each second of it.
``tiny.en`` takes 0.1 s a second and ``base`` 0.3 s; the largest weights some thirty times that, and
Whisper decodes again up to five times what comes out badly."""

DECODING_STILL_S: Final = 10.0
DECODING_S: Final = 20.0
"""An answer is judged without the decoder if it uses no processor for so long, or more processor
time than this for each passage. ``tiny.en`` takes 0.04 s, the largest weights some thirty times
that."""

_TICK_S: Final = 1 / os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 0.01
_PROGRESS_TICKS: Final = 2
"""Clock ticks (0.01 s on Linux) of a minute: a sleeping process that wakes for nothing has less."""

T = TypeVar("T")

IDLE_S: Final = 300.0
"""A process that is asked for nothing for this long ends. Reading a report takes a few minutes; the
next answer finds the engine loaded again before its first words are complete."""

MAX_TRIES: Final = 3
"""A process killed once may be bad luck; a segment that ended three would end the fourth."""

MAX_HANGS: Final = 2
"""A process that hung once may have had bad luck with its machine; each costs a minute or more."""

_LOADER: Final = "client.engines.engines:load_engine"


class EngineProcess(Transcriber):
    """An engine that is loaded and runs in its own process.

    The process begins to load at once. It ends when this object is no longer used, after ``idle_s``
    without a request, and when the parent ends, however that happens. The next use then starts
    another one with the same weights. All methods may be called from any thread; clips
    are recognized one by one.

    Args:
        name: an engine's name, or ``auto``; see ``engines.load_engine``.
        model: a weights name or a path.
        offline: fetch nothing.
        vocabulary: makes the bank-wide vocabulary, called in this process where the engine needs
            it; ``None``: that of the built-in bank and lexicon.
        idle_s: the process ends after this long without a request.
        still_s: an engine that should be working and uses no processor for this long is ended.
        loading_still_s: the same while it loads.
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
        still_s: float = STILL_S,
        loading_still_s: float = LOADING_STILL_S,
        loader: str = _LOADER,
    ) -> None:
        self.name, self.model = name, model or ""
        self._request = (name, model, offline, vocabulary is not None)
        self._vocabulary = vocabulary
        self._still_s, self._loading_still_s = still_s, loading_still_s
        self._arguments = (loader, str(idle_s))
        self._lock = threading.Lock()
        self._is_loaded = False
        self._child = Child(self._arguments, self._request)

    @property
    def pid(self) -> int | None:
        """The number of the process; ``None`` while there is none."""
        return self._child.pid if self._child.is_alive else None

    def warm(
        self, notify: Callable[[str], None] = silent, on_download: DownloadProgress | None = None
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
        """See ``Transcriber``; where the process is killed or hangs, another one does it again.

        Raises:
            EngineError: the engine failed, or hung ``MAX_HANGS`` times with this sound, or its
                process was ended ``MAX_TRIES`` times.
        """
        with self._lock:
            return self._trying(lambda: self._recognize(clip))

    def decode(self, passages: Sequence[Passage]) -> Sequence[Sequence[LogProbs]] | None:
        """See ``Transcriber``; not tried again, and not done by a process that is not there.

        Words are worth waiting for. This only helps to judge them, so nobody waits for another
        engine to load.
        """
        with self._lock:
            if not (self._is_loaded and self._child.is_alive):
                return None
            try:
                decoded: Sequence[Sequence[LogProbs]] | None = self._reply(
                    min(self._still_s, DECODING_STILL_S), asks=passages
                )
                return decoded
            except (ChildEndedError, EngineError):
                self._child.end()
                return None
            except BaseException:
                self._child.end()
                raise

    def rest(self) -> None:
        """Release its memory; the next use loads it again."""
        with self._lock:
            self._child.end()

    def _recognize(self, clip: Clip) -> tuple[Word, ...]:
        self._load()
        words: tuple[Word, ...] = self._reply(self._still_s, asks=clip)
        return words

    def _load(
        self, notify: Callable[[str], None] = silent, on_download: DownloadProgress | None = None
    ) -> None:
        if self._is_loaded and self._child.is_alive:
            return
        if self._is_loaded or not self._child.end.alive:
            # one that could not load has ended as well, but first it is asked why
            self._child.end()
            self._is_loaded, self._child = False, Child(self._arguments, self._request)
        _, model, _, is_taught = self._request
        self.name, self.model, self.max_segment_s = self._reply(
            self._loading_still_s, notify, on_download
        )
        # a process that follows does not choose, and has nothing to fetch
        self._request = (self.name, model or self.model, True, is_taught)
        self._is_loaded = True

    def _reply(
        self,
        still_s: float,
        notify: Callable[[str], None] = silent,
        on_download: DownloadProgress | None = None,
        asks: Clip | Sequence[Passage] | None = None,
    ) -> Any:
        """The child's result; answers its requests until then."""
        child = self._child
        longest_s = LONGEST_S
        if isinstance(asks, Clip):
            longest_s = longest_work_s(asks.duration_s)
        elif asks is not None:
            longest_s = DECODING_S * len(asks)
        with HangWatch(child.pid, child.kill, still_s, longest_s) as watch:
            if asks is not None:
                child.send(asks)  # more than a pipe holds: waits for a child that takes it
            while True:
                try:
                    message = child.receive()
                except ChildEndedError:
                    if watch.after_s is not None:
                        is_at_work = asks is not None
                        raise _hung(self.name, watch.after_s, is_at_work=is_at_work) from None
                    raise
                watch.note()
                match message:
                    case "note", line:
                        notify(line)
                    case "download", done, total:
                        if on_download is not None:
                            on_download(done, total)
                    case "vocabulary", _:
                        assert self._vocabulary is not None
                        child.send(self._vocabulary())
                    case "failed", error:
                        raise error
                    case "done", result:
                        return result

    def _trying(self, work: Callable[[], T]) -> T:
        """Repeat the work with a new process if one ends in the middle of it."""
        ends, hangs = "", 0
        for _ in range(MAX_TRIES):
            try:
                return work()
            except _HungError:
                self._child.end()
                hangs += 1
                if hangs == MAX_HANGS:
                    raise
            except ChildEndedError as end:
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


class _HungError(EngineError):
    """The engine hung; another process may succeed."""


def _hung(name: str, after_s: float, *, is_at_work: bool) -> EngineError:
    return (_HungError if is_at_work else EngineError)(
        f"the engine {name} stopped working without ending and was ended after {after_s:.0f} s; "
        "the recording is not touched: try again, and if it happens again choose smaller weights "
        "(--model tiny.en) or another engine (--engine)"
    )


def longest_work_s(sound_s: float) -> float:
    """How long an engine may work on this much sound; anything longer is a loop."""
    return LEAST_WORK_S + WORK_PER_SOUND_S * sound_s


class HangWatch:
    """Ends a process that stopped working while somebody waits for it; use it in ``with``.

    Args:
        pid: the process.
        end: ends it.
        still_s: after this long without processor time.
        longest_s: after this much processor time; after this long in any case where the system does
            not tell another process's processor time (not Linux).
    """

    def __init__(
        self,
        pid: int,
        end: Callable[[], None],
        still_s: float = STILL_S,
        longest_s: float = LONGEST_S,
    ) -> None:
        self.after_s: float | None = None
        """After how long it was ended; ``None`` if it was not."""
        self._pid = pid
        self._end = end
        self._still_s = still_s
        self._longest_s = longest_s
        self._moved_s = time.monotonic()
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="aloud-hang-watch", daemon=True)

    def __enter__(self) -> "HangWatch":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join()

    def note(self) -> None:
        """Notes a sign of life."""
        self._moved_s = time.monotonic()

    def _watch(self) -> None:
        began_s = time.monotonic()
        first = ticks = _ticks(self._pid)
        while not self._is_over.wait(min(1.0, self._still_s / 10, self._longest_s / 10)):
            now_s, now = time.monotonic(), _ticks(self._pid)
            if ticks is None or now is None or now - ticks > _PROGRESS_TICKS:
                # where the system does not tell, only the longest time counts
                ticks, self._moved_s = now, now_s
            worked_s = now_s - began_s
            if first is not None and now is not None:
                worked_s = (now - first) * _TICK_S
            if now_s - self._moved_s > self._still_s or worked_s > self._longest_s:
                self.after_s = now_s - began_s
                self._end()
                return


def _ticks(pid: int) -> int | None:
    """The processor time of a process in clock ticks; ``None`` if the system does not tell."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return int(fields[11]) + int(fields[12])
