"""A job as its function sees it, and as clients see it."""

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Literal, Protocol

from pydantic import Field
from sqlalchemy.orm import Session

from server.contract import Wire
from server.ui.exports import media_type_of

JobState = Literal["queued", "running", "done", "failed", "cancelled"]
UNFINISHED = ("queued", "running")
"""The states of an unfinished job."""


class JobFile(Wire):
    """The file that a job made; stored for a day."""

    name: str
    media_type: str
    size_bytes: int


class Job(Wire):
    """Work that takes longer than a request, and its progress.

    ``result`` is what it found, once it is done; ``problem`` one line for a person, once it failed.
    """

    id: int
    kind: str
    state: JobState
    progress_done: int = 0
    progress_total: int = Field(default=0, description="0 until it is known")
    result: dict[str, Any] | None = None
    problem: str | None = None
    file: JobFile | None = None
    begun: int = Field(
        default=0, description="how often it was started; more than once after a crash"
    )
    created_at: datetime
    started_at: datetime | None = None
    finished_at: datetime | None = None

    @property
    def is_over(self) -> bool:
        """Whether it is finished and will not change."""
        return self.state in ("done", "failed", "cancelled")


class JobList(Wire):
    """An owner's jobs, newest first."""

    jobs: tuple[Job, ...]


PROGRESS_EVERY_S: Final = 0.5
"""Nobody reads faster, and every write is a transaction."""


class JobStoppedError(Exception):
    """The job no longer belongs to this process: canceled, taken over, or the server ends."""


@dataclass(frozen=True)
class MadeFile:
    """A file that was made; its name's extension says what it is.

    Attributes:
        answers: the attempts in it; it is dropped when one of them may no longer be read.
    """

    name: str
    content: bytes = field(repr=False)
    answers: tuple[int, ...] = ()

    @property
    def media_type(self) -> str:
        """The content, for the person who downloads it."""
        return media_type_of(self.name)


@dataclass(frozen=True)
class JobInput:
    """What a job works on, as received for an attempt. It is deleted when the job ends."""

    attempt_id: int
    content: bytes = field(repr=False)


@dataclass(frozen=True)
class Outcome:
    """The outcome of a job.

    Attributes:
        result: a JSON object.
        file: the file it made, to download.
        within: what else is stored in the transaction that ends the job: all of it or, if the job
            is no longer ours, nothing.
    """

    result: dict[str, Any] = field(default_factory=dict)
    file: MadeFile | None = None
    within: Callable[[Session], None] | None = None


@dataclass
class Work:
    """One job as its function sees it.

    Attributes:
        payload: what it was enqueued with.
        owner_id: the owner; ``None``: the only user of a server without accounts.
        ends: set when the server ends.
        stop: set when the job is no longer ours.
        write: stores the progress; false if the job is no longer ours.
        store: stores what to resume from; false if the job is no longer ours.
        load: returns what the job works on; ``None``: it no longer exists, and neither does the
            job.
        checkpoint: what an earlier run of this job stored last.
    """

    payload: Mapping[str, Any]
    owner_id: int | None
    write: Callable[[int, int], bool]
    store: Callable[[dict[str, Any]], bool]
    load: Callable[[], bytes | None] = lambda: None
    checkpoint: dict[str, Any] | None = None
    ends: threading.Event = field(default_factory=threading.Event)
    stop: threading.Event = field(default_factory=threading.Event)
    _written_at_s: float = -PROGRESS_EVERY_S

    def progress(self, done: int, total: int) -> None:
        """Reports the progress. Call it between steps: it is also where a job is stopped.

        Raises:
            JobStoppedError: the job was cancelled or must end; let it pass through.
        """
        self.check()
        now_s = time.monotonic()
        if done < total and now_s - self._written_at_s < PROGRESS_EVERY_S:
            return
        self._written_at_s = now_s
        if not self.write(done, total):
            self.stop.set()
        self.check()

    def save(self, state: dict[str, Any]) -> None:
        """Stores what to resume from if this process ends, as ``checkpoint``.

        Raises:
            JobStoppedError: the job was cancelled or must end; let it pass through.
        """
        if not self.store(state):
            self.stop.set()
        self.check()

    def input(self) -> bytes:
        """What the job works on, as received.

        Raises:
            JobStoppedError: it no longer exists, because the job is over.
        """
        content = self.load()
        if content is None:
            raise JobStoppedError
        return content

    def check(self) -> None:
        """Raises if the work has to stop.

        Raises:
            JobStoppedError: it has to.
        """
        if self.stop.is_set() or self.ends.is_set():
            raise JobStoppedError


class Task(Protocol):
    """A kind of job. It may start again after a crash, so running it twice must be harmless."""

    def __call__(self, work: Work) -> Outcome:
        """Does the work.

        Raises:
            ServerError, BankError, LexiconError: it cannot be done; the text is for a person.
            JobStoppedError: passed on from ``work.progress``.
        """


Kinds = Mapping[str, Task]
