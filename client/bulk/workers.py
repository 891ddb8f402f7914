"""Workers with an engine each, on this machine or a Ray cluster, and the run that keeps them busy.

Ray: https://docs.ray.io
"""

import contextlib
import json
import multiprocessing
import os
import signal
import socket
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any, Final, Protocol

from client.answer.hearing import load_hearing, vocabulary
from client.answer.session import Session
from client.audio.files import SoundFile
from client.backend.opening import open_direct
from client.backend.protocol import UnavailableError
from client.bulk.recordings import Recording, Unusable
from client.bulk.results import Line, Results
from client.core.errors import ClientError
from client.core.settings import ClientSettings
from client.engines.engine_process import SAME_SUMS
from client.engines.engines import EngineOptions, load_engine
from client.judging.judge import judge_of
from pronunciation.errors import PronunciationError
from server.contract import LanguageRequest


@dataclass(frozen=True)
class AssessorOptions:
    """What makes an assessor, sent to the process that it runs in.

    Attributes:
        settings: name the bank, the lexicon, the server and the judge.
        engine: as on the command line.
        model: likewise.
        threads: how many of the processor's cores the engine may use.
    """

    settings: ClientSettings
    engine: str
    model: str | None
    threads: int


class Assessor:
    """Assesses recordings one by one, with one engine.

    Raises:
        ClientError, PronunciationError: engine, server or lexicon cannot be opened.
    """

    def __init__(self, options: AssessorOptions) -> None:
        settings = options.settings
        self._session = Session(
            open_direct(settings),
            lambda: load_engine(
                options.engine,
                EngineOptions(
                    options.model,
                    offline=True,  # the run has fetched the weights before it started
                    threads=options.threads,
                    vocabulary=lambda: vocabulary(settings),
                ),
            ),
            load_hearing(settings),
            judge_of(settings),
            LanguageRequest(),  # whose recordings they are is not known
        )
        self._session.warm()

    def assess(self, recording: Recording) -> Line:
        """The line of a recording; what is wrong with the recording is the line's ``error``.

        The report has no ``created_at``: the same recording always gives the same line.

        Raises:
            UnavailableError: the server is away, which is no fault of the recording.
        """
        line: Line = {"id": recording.id, "audio": recording.audio, "question": recording.question}
        try:
            submission = self._session.prepare(SoundFile(recording.path), recording.question)
            outcome = self._session.submit(submission, save=False)
        except UnavailableError:
            raise
        except (ClientError, PronunciationError) as error:
            return line | {"error": str(error)}
        except Exception as error:  # a defect in one answer never stops the rest
            return line | {"error": f"{type(error).__name__}: {error}"}
        assert outcome.report is not None, "an answer that is not stored is graded at once"
        return line | {"report": json.loads(outcome.report.model_dump_json(exclude={"created_at"}))}


class WorkersError(ClientError):
    """No worker is available; the text says why."""


class LostWorker(str):
    """How a worker ended before its recording was done."""


class Workers(Protocol):
    """Processes with an engine each.

    Attributes:
        count: how many recordings they work on at a time.
    """

    count: int

    def give(self, recording: Recording) -> None:
        """Have a free worker begin; a lost one is replaced.

        Raises:
            ClientError: a worker cannot be started.
        """

    def take(self) -> tuple[Recording, Line | LostWorker]:
        """Wait for the next that is done or lost.

        Raises:
            WorkersError: the engine cannot be loaded, or the server is away.
        """

    def close(self) -> None:
        """End the workers, done or not."""


def assess_all(
    recordings: Iterable[Recording | Unusable],
    workers: Workers,
    results: Results,
    on_done: Callable[[Line], None] = lambda _: None,
) -> None:
    """Assess the recordings that have no line yet, each once.

    A recording whose worker was lost goes to another one; if that is lost too, the recording's
    line says so.

    Args:
        recordings: read as workers become free, so that any number of them will do.
        workers: have one recording each at a time.
        results: takes the lines, in the order in which they are done.
        on_done: called with each line that is written.

    Raises:
        ClientError: no worker can be started, the server is away, the results cannot be written.
    """

    def write(line: Line) -> None:
        results.add(line)
        on_done(line)

    left = iter(recordings)
    again: deque[Recording] = deque()
    lost_once: set[str] = set()
    at_work = 0
    while True:
        while at_work < workers.count:
            each = again.popleft() if again else next(left, None)
            if each is None:
                break
            if each.id in results.done:
                continue
            if isinstance(each, Unusable):
                write({"id": each.id, "audio": None, "question": None, "error": each.error})
            else:
                workers.give(each)
                at_work += 1
        if not at_work:
            return
        recording, outcome = workers.take()
        at_work -= 1
        if not isinstance(outcome, LostWorker):
            write(outcome)
        elif recording.id not in lost_once:
            lost_once.add(recording.id)
            again.append(recording)
        else:
            write(
                {
                    "id": recording.id,
                    "audio": recording.audio,
                    "question": recording.question,
                    "error": f"two workers failed on this recording ({outcome})",
                }
            )


_SPAWN = multiprocessing.get_context("spawn")  # a fork would copy the threads' locks as they are
_ENDS_WITHIN_S: Final = 5.0


class _Worker:
    """A process and the pipe to it."""

    def __init__(self, options: AssessorOptions) -> None:
        self.connection, theirs = _SPAWN.Pipe()
        self.process: SpawnProcess = _SPAWN.Process(
            target=_work, args=(theirs, options), name="aloud-assess", daemon=True
        )
        self.process.start()
        theirs.close()  # so that reading ends where the process does

    def end(self) -> None:
        """An idle process ends by itself when the pipe is closed; a busy one is killed."""
        self.connection.close()
        self.process.join(_ENDS_WITHIN_S)
        self.process.kill()
        self.process.join()


class ProcessWorkers:
    """Up to ``count`` processes, started as they are needed."""

    def __init__(self, count: int, options: AssessorOptions) -> None:
        os.environ.update(SAME_SUMS)  # a spawned process takes over this one's
        self.count = count
        self._options = options
        self._idle: list[_Worker] = []
        self._busy: dict[Connection, tuple[_Worker, Recording]] = {}

    def give(self, recording: Recording) -> None:
        worker = self._idle.pop() if self._idle else _Worker(self._options)
        self._busy[worker.connection] = (worker, recording)
        with contextlib.suppress(OSError):  # it ended while it was idle: ``take`` will find that
            worker.connection.send(recording)

    def take(self) -> tuple[Recording, Line | LostWorker]:
        ready = wait(list(self._busy))[0]
        assert isinstance(ready, Connection)
        worker, recording = self._busy.pop(ready)
        try:
            reply = ready.recv()
        except (EOFError, OSError):
            worker.process.join()
            status = worker.process.exitcode or 0
            worker.end()
            how = f"signal {-status}" if status < 0 else f"status {status}"
            return recording, LostWorker(how)
        if isinstance(reply, str):
            raise WorkersError(reply)
        self._idle.append(worker)
        return recording, reply

    def close(self) -> None:
        for worker, _ in self._busy.values():
            worker.process.kill()
        for worker in [*self._idle, *(worker for worker, _ in self._busy.values())]:
            worker.end()
        self._idle, self._busy = [], {}


def _work(connection: Connection, options: AssessorOptions) -> None:
    """Assess what comes over the pipe until it is closed; a text in reply ends the run."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the run, which ends this process
    try:
        assessor = Assessor(options)
        while True:
            connection.send(assessor.assess(connection.recv()))
    except EOFError:
        return  # the run has ended
    except (ClientError, PronunciationError) as error:
        connection.send(str(error))


_ANSWERS_WITHIN_S: Final = 10.0


class ClusterWorkers:
    """Actors on a running Ray cluster, one engine each.

    Every machine of the cluster has Aloud and the weights installed, and sees the recordings under
    the same path.

    Args:
        address: of the cluster, e.g. ``10.0.0.1:6379``; ``auto``: the one this machine is part of.
        count: how many actors; ``None``: as many as the cluster's processors hold.
        options: what makes an assessor. Ray reserves its ``threads`` processors for each actor.

    Raises:
        WorkersError: Ray is not installed, or the cluster cannot be reached.
    """

    def __init__(self, address: str, count: int | None, options: AssessorOptions) -> None:
        # Else, under `uv run`, Ray sends this folder to the machines and looks for an environment
        # there. It reads the variable when it is imported.
        os.environ.setdefault("RAY_ENABLE_UV_RUN_RUNTIME_ENV", "0")
        try:
            import ray
        except ImportError as error:
            raise WorkersError(
                "--cluster needs Ray: install aloud with its extra `cluster`"
            ) from error
        self._ray: Any = ray
        try:
            _reach(address)
            self._ray.init(address=address, log_to_driver=False, logging_level="error")
        except (OSError, ValueError, RuntimeError) as error:
            raise WorkersError(f"no Ray cluster at {address}: {error}") from error
        processors = int(self._ray.cluster_resources().get("CPU", 1))
        self.count = count or max(1, processors // options.threads)
        self._options = options
        self._make = self._ray.remote(
            num_cpus=options.threads, runtime_env={"env_vars": SAME_SUMS}
        )(_Actor).remote
        self._idle: list[Any] = []
        self._busy: dict[Any, tuple[Any, Recording]] = {}

    def give(self, recording: Recording) -> None:
        actor = self._idle.pop() if self._idle else self._make(self._options)
        self._busy[actor.assess.remote(recording)] = (actor, recording)

    def take(self) -> tuple[Recording, Line | LostWorker]:
        done, _ = self._ray.wait(list(self._busy), num_returns=1)
        actor, recording = self._busy.pop(done[0])
        try:
            reply = self._ray.get(done[0])
        except self._ray.exceptions.RayActorError:
            return recording, LostWorker("the cluster lost this recording")
        if isinstance(reply, str):
            raise WorkersError(reply)
        self._idle.append(actor)
        return recording, reply

    def close(self) -> None:
        """Leave the cluster; its actors end."""
        self._ray.shutdown()


def _reach(address: str) -> None:
    """Try the address first: Ray itself tries for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdecimal():
        with socket.create_connection((host, int(port)), timeout=_ANSWERS_WITHIN_S):
            pass


class _Actor:
    """An assessor, made at the first recording, so that a failure can be returned as a text."""

    def __init__(self, options: AssessorOptions) -> None:
        self._options = options
        self._assessor: Assessor | None = None

    def assess(self, recording: Recording) -> Line | str:
        try:
            if self._assessor is None:
                self._assessor = Assessor(self._options)
            return self._assessor.assess(recording)
        except (ClientError, PronunciationError) as error:
            return str(error)
