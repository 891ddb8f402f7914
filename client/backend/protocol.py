"""What the client asks of a server, wherever it runs: embedded in this process or over HTTP."""

from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Protocol, Self

from client.core.errors import ClientError
from client.core.settings import ClientSettings
from question_bank.models import Bank, Question, RoundName
from server.contract import (
    Archive,
    ArchivedAttempt,
    Attempt,
    DrillCard,
    DrillImport,
    DrillQuery,
    DrillQueue,
    DrillReview,
    HistoryPage,
    HistoryQuery,
    ImportResult,
    PurgeRequest,
    PurgeResult,
    RegradeResult,
    Report,
    ReviewedDrill,
    Submission,
)

__all__ = [
    "Backend",
    "BackendError",
    "Progress",
    "RejectedError",
    "UnavailableError",
    "open_backend",
]

Progress = Callable[[int, int], None]
"""Called with (done, total)."""


class BackendError(ClientError):
    """The server did not do what was asked; the text says why."""


class UnavailableError(BackendError):
    """The server cannot be reached or is not able to answer now. Later it may be."""


class RejectedError(BackendError):
    """The server answered, and refused: asking the same again would be refused again.

    Attributes:
        code: the server's name for the reason, e.g. ``not-found``.
    """

    def __init__(self, message: str, code: str) -> None:
        super().__init__(message)
        self.code = code


class Backend(Protocol):
    """The use cases of a server. Every method raises ``UnavailableError`` or ``RejectedError``."""

    def bank(self) -> Bank:
        """Everything in the bank."""

    def question(self, question_id: str) -> Question:
        """One question of the bank."""

    def questions(
        self,
        *,
        role: str | None = None,
        round: RoundName | None = None,
        topic: str | None = None,
    ) -> tuple[Question, ...]:
        """The bank's questions of one role, round or topic, or all."""

    def grade(self, submission: Submission) -> Report:
        """Grades an answer; nothing is stored."""

    def submit(self, submission: Submission) -> Attempt:
        """Grades and stores an answer; the same submission is stored only once."""

    def history(self, query: HistoryQuery | None = None) -> HistoryPage:
        """A page of the stored attempts, newest first."""

    def attempt(self, attempt_id: int) -> Attempt:
        """One attempt with its latest report."""

    def delete(self, attempt_id: int) -> None:
        """Deletes one attempt for good."""

    def purge(self, request: PurgeRequest) -> PurgeResult:
        """Deletes attempts for good: by id, before a time, or all."""

    def regrade(
        self,
        *,
        dry_run: bool = False,
        question_id: str | None = None,
        progress: Progress | None = None,
    ) -> RegradeResult:
        """Grades all stored answers anew, or those to one question."""

    def export_all(self) -> Archive:
        """Everything that is stored."""

    def export_one(self, attempt_id: int) -> Archive:
        """One attempt with all its reports."""

    def import_attempts(self, attempts: Sequence[ArchivedAttempt]) -> ImportResult:
        """Stores exported attempts; what is there already is left as it is."""

    def review_drill(self, review: DrillReview) -> ReviewedDrill:
        """Stores a take of a drill item, once, and schedules the item."""

    def drill_queue(self, query: DrillQuery | None = None) -> DrillQueue:
        """What is due now, the longest overdue first."""

    def drill_cards(self, drill_set: str | None = None) -> tuple[DrillCard, ...]:
        """All cards, of one set or over all, the one due first at the front."""

    def import_reviews(self, reviews: Sequence[DrillReview]) -> DrillImport:
        """Stores exported drill reviews; what is there already is left as it is."""

    def close(self) -> None:
        """Gives back what it holds."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


def open_backend(settings: ClientSettings, *, tell: Callable[[str], None] | None = None) -> Backend:
    """The backend that the settings name, with an outbox before it.

    What waits in the outbox is sent first; where the server is away it goes on waiting.

    Args:
        settings: name the data folder and the server.
        tell: is given one line for a person when answers that waited went out or were refused.

    Raises:
        UnavailableError: the embedded server's database cannot be used.
    """
    from client.backend.outbox import Outbox
    from client.backend.sending import OutboxBackend

    backend: Backend
    if settings.server is None:
        from client.backend.embedded import EmbeddedBackend

        backend = EmbeddedBackend(settings)
    else:
        from client.backend.remote import RemoteBackend

        backend = RemoteBackend(settings.server, token=settings.token)
    sending = OutboxBackend(
        backend,
        Outbox.for_server(settings.outbox, settings.server or "embedded"),
        direct=settings.server is None,
        tell=tell,
    )
    sending.flush()
    return sending
