"""A job as clients see it."""

from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from server.contract import Wire

JobState = Literal["queued", "running", "done", "failed", "cancelled"]


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
