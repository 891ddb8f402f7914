"""Workers on the machines of a Ray cluster (https://docs.ray.io)."""

import os
import socket
from typing import Any, Final

from client.bulk.assessor import Assessor, AssessorOptions
from client.bulk.recordings import Recording
from client.bulk.results import Line
from client.bulk.workers import Lost, WorkersError
from client.core.errors import ClientError
from client.transcription.engine_handle import SAME_SUMS
from pronunciation.errors import PronunciationError

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
        """Have a free actor begin; a lost one is replaced."""
        actor = self._idle.pop() if self._idle else self._make(self._options)
        self._busy[actor.assess.remote(recording)] = (actor, recording)

    def take(self) -> tuple[Recording, Line | Lost]:
        """Wait for the next that is done or lost.

        Raises:
            WorkersError: the engine cannot be loaded, or the server is away.
        """
        done, _ = self._ray.wait(list(self._busy), num_returns=1)
        actor, recording = self._busy.pop(done[0])
        try:
            reply = self._ray.get(done[0])
        except self._ray.exceptions.RayActorError:
            return recording, Lost("the cluster lost this recording")
        if isinstance(reply, str):
            raise WorkersError(reply)
        self._idle.append(actor)
        return recording, reply

    def close(self) -> None:
        """Leave the cluster; its actors end."""
        self._ray.shutdown()


def _reach(address: str) -> None:
    """Try the address first: Ray itself tries for minutes.

    Raises:
        OSError: nothing answers there.
    """
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdecimal():
        with socket.create_connection((host, int(port)), timeout=_ANSWERS_WITHIN_S):
            pass


class _Actor:
    """An assessor, made at the first recording so that what fails then has a text."""

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
