"""Workers, and the run that keeps them busy."""

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from client.bulk.recordings import Recording, Unusable
from client.bulk.results import Line, Results
from client.core.errors import ClientError


class WorkersError(ClientError):
    """No worker is available; the text says why."""


@dataclass(frozen=True)
class Lost:
    """A worker that ended before its recording was done.

    Attributes:
        reason: how it ended.
    """

    reason: str


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

    def take(self) -> tuple[Recording, Line | Lost]:
        """Wait for the next that is done or lost.

        Raises:
            ClientError: the engine cannot be loaded, or the server is away.
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
        if not isinstance(outcome, Lost):
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
                    "error": f"two workers ended over this recording ({outcome.reason})",
                }
            )
