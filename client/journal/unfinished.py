"""An answer that something interrupted, as it is offered."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from client.core.errors import RecordingError
from client.journal.entry import EMBEDDED, Entry
from client.journal.kept_answer import KeptAnswer


@dataclass(frozen=True)
class Unfinished:
    """An answer, or a take of a drill, that nobody works on.

    Attributes:
        folder: of the recordings.
        stem: what its files are called, without their suffix.
        name: what it is asked for by.
        entry: what is known of it.
        duration_s: how much was said.
        is_old: an earlier version of Aloud recorded it: what it answers is known only as its label.
    """

    folder: Path
    stem: str
    name: str
    entry: Entry
    duration_s: float
    is_old: bool = False

    @property
    def started_at(self) -> datetime:
        """When the recording began."""
        return self.entry.spoken_at

    @property
    def reason(self) -> str:
        """Why it is unfinished; empty where nobody could tell, as after a crash."""
        return self.entry.reason

    def is_for(self, server: str | None) -> bool:
        """Whether it was spoken for this server (``None``: the embedded one)."""
        return self.entry.server is None or self.entry.server == (server or EMBEDDED)

    def take_up(self) -> KeptAnswer:
        """Work on it.

        Raises:
            TakeHeldError: another program does; RecordingError: it is gone.
        """
        return KeptAnswer(self.folder, self.entry, self.stem).hold()

    def discard(self) -> None:
        """Delete it for good.

        Raises:
            TakeHeldError: another program works on it; RecordingError: it cannot be deleted.
        """
        self.take_up().discard()

    def note(self, reason: str) -> None:
        """Keep the reason why it could not be finished, to show it later."""
        try:
            self.take_up().let_go(reason)
        except RecordingError:
            return
