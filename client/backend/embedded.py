"""The server inside this process, on the user's data folder.

Of the client, only this module and ``shared_server.py`` import the server's internals.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, cast

from pydantic import ValidationError

from client.backend.protocol import (
    Backend,
    RejectedError,
    Reviews,
    UnavailableError,
    Wrapped,
    failure,
)
from client.core.settings import ClientSettings
from server.attempts.service import create_service
from server.core import ServerError, ServerSettings, sqlite_url

if TYPE_CHECKING:
    from pronunciation.terms import Lexicon
    from question_bank.models import Bank, Question
    from server.accounts.service import AccountService
    from server.bank_versions.posting import Posting as Posting
    from server.bank_versions.posting import Proposal as Proposal


def open_embedded(
    settings: ClientSettings, *, create: Callable[[ServerSettings], Backend] | None = None
) -> Backend:
    """The server in this process, making folder and tables if they are missing.

    Args:
        settings: name the database, bank and lexicon.
        create: makes the service; by default the server's own way.

    Raises:
        UnavailableError: the database cannot be used; the text says why and what to do.
    """
    make_home(settings)
    with client_errors():
        service: Backend = (create or create_service)(_own_settings(settings))
    return cast(Backend, Wrapped(service, client_errors))


def open_at_first_use(settings: ClientSettings) -> Backend:
    """The server in this process; its database is opened by the first call that needs it.

    Bank and grading need none: they start in half of the time.
    """
    service: Backend = create_service(
        _own_settings(settings), before_opening=lambda: make_home(settings)
    )
    return cast(Backend, Wrapped(service, client_errors))


def _own_settings(settings: ClientSettings) -> ServerSettings:
    return ServerSettings(
        database_url=sqlite_url(settings.database),
        bank=settings.bank,
        own_questions=settings.own_questions,
        stories=settings.stories,
        lexicon=settings.lexicon,
        cache=settings.cache,
        own_aliases=settings.own_aliases,
        own_readings=settings.own_readings,
    )


def make_home(settings: ClientSettings) -> None:
    """Make the data folder and an empty database where they are missing.

    Raises:
        UnavailableError: the folder cannot be used.
    """
    try:
        # Your answers are private: no other user of the machine may read them.
        settings.home.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not settings.database.exists():
            settings.database.touch(mode=0o600)
    except OSError as error:
        raise UnavailableError(
            f"the data folder {settings.home} cannot be used ({error.strerror}); "
            "name another one with ALOUD_HOME"
        ) from error


@contextmanager
def client_errors() -> Iterator[None]:
    """The server's errors, raised as the client's."""
    try:
        yield
    except ServerError as error:
        raise failure(error.status, error.code, str(error)) from error


def read_posting(text: str, bank: "Bank", lexicon: "Lexicon", *, is_table: bool) -> "Posting":
    """What a posting, or a list of questions, asks for; see ``server.bank_versions.posting``."""
    from server.bank_versions.posting import read_posting as read

    return read(text, bank, lexicon, is_table=is_table)


def answered_by(
    texts: Sequence[str], questions: "Sequence[Question]"
) -> "list[tuple[Question, ...]]":
    """For each story, the questions that it answers best."""
    from server.bank_versions import tellings

    return tellings.answered_by(texts, questions)


def differing_facts(earlier: str, now: str) -> tuple[str, ...]:
    """The numbers that differ between two tellings."""
    from server.bank_versions import tellings

    return tellings.differing_facts(earlier, now)


def phrases_of(text: str) -> tuple[str, ...]:
    """The phrases of a text that say something."""
    from server.bank_versions import posting

    return posting.phrases_of(text)


@contextmanager
def open_accounts(settings: ClientSettings) -> Iterator["AccountService"]:
    """The accounts in the database that ``aloud serve`` uses too.

    Raises:
        BackendError: the accounts refuse, or the database cannot be used.
    """
    from server.accounts.service import AccountService
    from server.db.database import Database

    with client_errors():
        chosen = server_settings(settings)
        database = Database(chosen.database_url, busy_timeout_s=chosen.busy_timeout_s)
        try:
            yield AccountService(database, secret=chosen.secret)
        finally:
            database.close()


@contextmanager
def open_reviews(settings: ClientSettings) -> Iterator[Reviews]:
    """What was written about your answers, in the embedded server's database.

    Raises:
        UnavailableError: the embedded server's database cannot be used.
    """
    from server.db.database import Database
    from server.review.merging import ReviewMerger

    with client_errors():
        make_home(settings)
        database = Database(sqlite_url(settings.database))
        try:
            merger: Reviews = ReviewMerger(database, None)
            yield cast(Reviews, Wrapped(merger, client_errors))
        finally:
            database.close()


def server_settings(
    settings: ClientSettings,
    *,
    hosts: Sequence[str] = (),
    reachable: bool = False,
) -> ServerSettings:
    """The settings of a server on this machine: from the environment, else the embedded database.

    Raises:
        RejectedError: a variable has a value that cannot be used.
        UnavailableError: the data folder cannot be made.
    """
    url = os.environ.get("ALOUD_DATABASE_URL", "")
    if not url:
        make_home(settings)
        url = sqlite_url(settings.database)
    try:
        named = ServerSettings.from_env({**os.environ, "ALOUD_DATABASE_URL": url})
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
