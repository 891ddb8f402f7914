"""The server inside this process, on the user's own data folder.

The one module of the client that imports the server's insides.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from client.backend import Progress, RejectedError, UnavailableError
from client.settings import ClientSettings
from question_bank.models import Bank, Question, RoundName
from server.assembly import create_service
from server.contract import (
    Archive,
    ArchivedAttempt,
    Attempt,
    HistoryPage,
    HistoryQuery,
    ImportResult,
    PurgeRequest,
    PurgeResult,
    RegradeResult,
    Report,
    Submission,
)
from server.drill_contract import (
    DrillCard,
    DrillImport,
    DrillQuery,
    DrillQueue,
    DrillReview,
    ReviewedDrill,
)
from server.errors import ServerError, StoreError
from server.service import Service
from server.settings import ServerSettings, sqlite_url

__all__ = ["EmbeddedBackend", "check_bank", "serve"]

_LOOPBACK: Final = ("127.0.0.1", "::1", "localhost")


class EmbeddedBackend:
    """A backend in this process. The database is opened when it is made."""

    def __init__(
        self,
        settings: ClientSettings,
        *,
        create: Callable[[ServerSettings], Service] = create_service,
    ) -> None:
        """Opens the database, making folder and tables where they lack.

        Raises:
            UnavailableError: the database cannot be used; the text says why and what to do.
        """
        try:
            # One's own answers: for no other user of the machine.
            settings.home.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not settings.database.exists():
                settings.database.touch(mode=0o600)
        except OSError as error:
            raise UnavailableError(
                f"the data folder {settings.home} cannot be used ({error.strerror}); "
                "name another one with ALOUD_HOME"
            ) from error
        with _plain():
            self._service = create(
                ServerSettings(
                    database_url=sqlite_url(settings.database),
                    bank=settings.bank,
                    lexicon=settings.lexicon,
                    own_aliases=settings.own_aliases,
                )
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the database."""
        self._service.close()

    def bank(self) -> Bank:
        """Everything in the bank."""
        with _plain():
            return self._service.bank

    def question(self, question_id: str) -> Question:
        """One question of the bank."""
        with _plain():
            return self._service.question(question_id)

    def questions(
        self,
        *,
        role: str | None = None,
        round: RoundName | None = None,
        topic: str | None = None,
    ) -> tuple[Question, ...]:
        """The bank's questions of one role, round or topic, or all."""
        with _plain():
            return self._service.questions(role=role, round=round, topic=topic)

    def grade(self, submission: Submission) -> Report:
        """Grades an answer; nothing is stored."""
        with _plain():
            return self._service.grade(submission)

    def submit(self, submission: Submission) -> Attempt:
        """Grades and stores an answer; the same submission is stored only once."""
        with _plain():
            return self._service.submit(submission)

    def history(self, query: HistoryQuery | None = None) -> HistoryPage:
        """A page of the stored attempts, newest first."""
        with _plain():
            return self._service.history(query)

    def attempt(self, attempt_id: int) -> Attempt:
        """One attempt with its latest report."""
        with _plain():
            return self._service.attempt(attempt_id)

    def delete(self, attempt_id: int) -> None:
        """Deletes one attempt for good."""
        with _plain():
            self._service.delete(attempt_id)

    def purge(self, request: PurgeRequest) -> PurgeResult:
        """Deletes attempts for good: by id, before a time, or all."""
        with _plain():
            return self._service.purge(request)

    def regrade(
        self,
        *,
        dry_run: bool = False,
        question_id: str | None = None,
        progress: Progress | None = None,
    ) -> RegradeResult:
        """Grades all stored answers anew, or those to one question."""
        with _plain():
            return self._service.regrade(
                dry_run=dry_run, question_id=question_id, progress=progress
            )

    def export_all(self) -> Archive:
        """Everything that is stored."""
        with _plain():
            return self._service.export_all()

    def export_one(self, attempt_id: int) -> Archive:
        """One attempt with all its reports."""
        with _plain():
            return self._service.export_one(attempt_id)

    def import_attempts(self, attempts: Sequence[ArchivedAttempt]) -> ImportResult:
        """Stores exported attempts; what is there already is left as it is."""
        with _plain():
            return self._service.import_attempts(attempts)

    def review_drill(self, review: DrillReview) -> ReviewedDrill:
        """Stores a take of a drill item, once, and schedules the item."""
        with _plain():
            return self._service.drills.review(review)

    def drill_queue(self, query: DrillQuery | None = None) -> DrillQueue:
        """What is due now, the longest overdue first."""
        with _plain():
            return self._service.drills.queue(query)

    def drill_cards(self, drill_set: str | None = None) -> tuple[DrillCard, ...]:
        """All cards, of one set or over all."""
        with _plain():
            return self._service.drills.cards(drill_set)

    def import_reviews(self, reviews: Sequence[DrillReview]) -> DrillImport:
        """Stores exported drill reviews; what is there already is left as it is."""
        with _plain():
            return self._service.drills.import_reviews(reviews)


@contextmanager
def _plain() -> Iterator[None]:
    try:
        yield
    except StoreError as error:
        raise UnavailableError(str(error)) from error
    except ServerError as error:
        raise RejectedError(str(error), error.code) from error


def check_bank(path: Path, lexicon: Sequence[Path] = ()) -> tuple[int, list[str]]:
    """Check a bank's form and grade its model answers: how many questions, and the faults.

    Raises:
        BankError, LexiconError: a file is not valid.
    """
    from server.bank_check import check_bank_path

    return check_bank_path(path, lexicon)


def serve(settings: ClientSettings, *, host: str, port: int) -> None:
    """Serve the same database to others until interrupted.

    Raises:
        RejectedError: the address is beyond this machine.
    """
    import uvicorn

    from server.app import create_app

    if host not in _LOOPBACK:
        raise RejectedError(
            f"{host} can be reached from other machines, and there are no accounts yet to keep "
            "one person's answers from another: only loopback addresses are served",
            "not-loopback",
        )
    settings.home.mkdir(mode=0o700, parents=True, exist_ok=True)
    app = create_app(
        ServerSettings(
            database_url=sqlite_url(settings.database),
            bank=settings.bank,
            lexicon=settings.lexicon,
        )
    )
    uvicorn.run(app, host=host, port=port, log_level="warning")
