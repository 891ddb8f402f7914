"""The server inside this process, on the user's own data folder.

The one module of the client that imports the server's insides.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from pydantic import ValidationError

from client.backend.protocol import Progress, RejectedError, UnavailableError
from client.core.settings import ClientSettings
from question_bank.models import Bank, Question, RoundName
from server.attempts.service import Service, create_service
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
    MergedReview,
    PurgeRequest,
    PurgeResult,
    RegradeResult,
    Report,
    ReviewDocument,
    ReviewedDrill,
    Submission,
)
from server.core.errors import ServerError, StoreError
from server.core.settings import ServerSettings, sqlite_url

__all__ = [
    "EmbeddedBackend",
    "EmbeddedReviews",
    "back_up",
    "check_bank",
    "open_accounts",
    "open_reviews",
    "restore",
    "serve",
    "server_settings",
]

if TYPE_CHECKING:
    from server.accounts.service import AccountService
    from server.review.merging import ReviewMerger


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
        _make_home(settings)
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


def _make_home(settings: ClientSettings) -> None:
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
    from server.bank_versions.check import check_bank_path

    return check_bank_path(path, lexicon)


def back_up(settings: ClientSettings, path: Path, *, replace: bool = False) -> dict[str, int]:
    """Write the whole database that ``aloud serve`` uses to a file: how many rows, by table.

    Raises:
        RejectedError: the file is there already or cannot be written.
        UnavailableError: the database cannot be used.
    """
    from server.operations.backup import back_up as write

    with _plain():
        return dict(write(server_settings(settings).database_url, path, replace=replace).rows)


def restore(settings: ClientSettings, path: Path) -> dict[str, int]:
    """Fill the empty database that ``aloud serve`` uses: how many rows, by table.

    Raises:
        RejectedError: the file is no backup, or not whole.
        UnavailableError: the database is not empty, or cannot be used.
    """
    from server.operations.backup import restore as fill

    with _plain():
        return dict(fill(server_settings(settings).database_url, path).rows)


@contextmanager
def open_accounts(settings: ClientSettings) -> Iterator["AccountService"]:
    """The accounts in the database that ``aloud serve`` uses too.

    Raises:
        BackendError: whatever the accounts refuse, and a database that cannot be used.
    """
    from server.accounts.service import AccountService
    from server.db.database import Database

    with _plain():
        chosen = server_settings(settings)
        database = Database(chosen.database_url, busy_timeout_s=chosen.busy_timeout_s)
        try:
            yield AccountService(database, secret=chosen.secret)
        finally:
            database.close()


class EmbeddedReviews:
    """What was written about one's own answers, in the embedded server's database."""

    def __init__(self, merger: "ReviewMerger") -> None:
        self._merger = merger

    def document(self, attempt_id: int) -> ReviewDocument:
        """Comments, scores and corrected verdicts of one attempt."""
        with _plain():
            return self._merger.document(attempt_id)

    def merge(self, document: ReviewDocument) -> MergedReview:
        """Adds what came back in a file, each part once."""
        with _plain():
            return self._merger.merge(document)


@contextmanager
def open_reviews(settings: ClientSettings) -> Iterator[EmbeddedReviews]:
    """What was written about one's own answers.

    Raises:
        UnavailableError: the embedded server's database cannot be used.
    """
    from server.db.database import Database
    from server.review.merging import ReviewMerger

    with _plain():
        _make_home(settings)
        database = Database(sqlite_url(settings.database))
        try:
            yield EmbeddedReviews(ReviewMerger(database, None))
        finally:
            database.close()


def server_settings(
    settings: ClientSettings,
    *,
    hosts: Sequence[str] = (),
    reachable: bool = False,
    env: Mapping[str, str] = os.environ,
) -> ServerSettings:
    """The settings of a server on this machine: from the environment, else the embedded database.

    Raises:
        RejectedError: a variable has a value that cannot be used.
        UnavailableError: the data folder cannot be made.
    """
    url = env.get("ALOUD_DATABASE_URL", "")
    if not url:
        _make_home(settings)
        url = sqlite_url(settings.database)
    try:
        named = ServerSettings.from_env({**env, "ALOUD_DATABASE_URL": url})
        return named.model_copy(
            update={
                "bank": settings.bank,
                "lexicon": settings.lexicon,
                "hosts": (*named.hosts, *hosts),
                "reachable": reachable,
            }
        )
    except ValidationError as error:
        first = error.errors()[0]
        name = "ALOUD_" + str(first["loc"][0]).upper()
        raise RejectedError(f"{name} cannot be used: {first['msg']}", "settings") from error


def serve(
    settings: ClientSettings,
    *,
    host: str,
    port: int,
    names: Sequence[str] = (),
    workers: int = 1,
    tell: Callable[[str], None] = lambda _: None,
) -> None:
    """Serve to others until interrupted.

    Args:
        settings: the client's, for bank, lexicon and the embedded database.
        host: the address to listen on.
        port: the port to listen on.
        names: the names that the server goes by, besides this machine's own.
        workers: how many processes answer.
        tell: is given a line for a person when it is about to listen.

    Raises:
        RejectedError: the address is beyond this machine and there is no account, or no name.
    """
    from server.web.serving import is_loopback, run

    reachable = not is_loopback(host)
    chosen = server_settings(settings, hosts=names, reachable=reachable)
    with _plain(), open_accounts(settings) as accounts:
        count = accounts.count()
    if chosen.needs_accounts and not count:
        raise RejectedError(
            f"{host if reachable else ', '.join(chosen.hosts)} can be reached from other machines, "
            "and without accounts whoever reaches a server reads and deletes everything on it: "
            "make the first one with `aloud user add NAME --role admin`",
            "no-accounts",
        )
    if reachable and not chosen.hosts:
        raise RejectedError(
            f"on {host} the server answers only to the names it is told: "
            "add `--name aloud.example.org`, or ALOUD_HOSTS",
            "no-names",
        )
    if workers > 1 and chosen.database_url.startswith("sqlite"):
        raise RejectedError(
            "several processes need PostgreSQL: name it in ALOUD_DATABASE_URL, as in "
            "postgresql+psycopg://user@host/aloud",
            "sqlite-workers",
        )
    with _plain():
        run(chosen, host=host, port=port, workers=workers, tell=tell)
