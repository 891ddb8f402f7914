"""Workers that are processes on this machine."""

import contextlib
import multiprocessing
import os
import signal
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Final

from client.bulk.assessor import Assessor, AssessorOptions
from client.bulk.recordings import Recording
from client.bulk.results import Line
from client.bulk.workers import Lost, WorkersError
from client.core.errors import ClientError
from client.transcription.engine_handle import SAME_SUMS
from pronunciation.errors import PronunciationError

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
        """An idle process ends by itself when the pipe is closed; a busy one is not waited for."""
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
        """Have a free worker begin; a lost one is replaced."""
        worker = self._idle.pop() if self._idle else _Worker(self._options)
        self._busy[worker.connection] = (worker, recording)
        with contextlib.suppress(OSError):  # it ended while it was idle: ``take`` will find that
            worker.connection.send(recording)

    def take(self) -> tuple[Recording, Line | Lost]:
        """Wait for the next that is done or lost.

        Raises:
            WorkersError: the engine cannot be loaded, or the server is away.
        """
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
            return recording, Lost(how)
        if isinstance(reply, str):
            raise WorkersError(reply)
        self._idle.append(worker)
        return recording, reply

    def close(self) -> None:
        """End the processes, done or not."""
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
