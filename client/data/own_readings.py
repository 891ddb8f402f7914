"""“I said it right”, always: the reading that was heard counts as right from now on."""

from collections.abc import Callable

from filelock import Timeout

from client.backend.protocol import Backend
from client.core.durable_file import rewrite_durably
from client.core.errors import ClientError
from client.core.settings import ClientSettings
from pronunciation.errors import LexiconError
from pronunciation.own_readings import (
    OwnReadings,
    read_own_readings,
    to_yaml,
    with_reading,
    without_readings,
)
from server.contract import Attempt, SaidRight


class ReadingError(ClientError):
    """This reading cannot count as right; the text says why."""


def add_own_readings(
    backend: Backend, settings: ClientSettings, attempt: Attempt, term: str
) -> Attempt:
    """Let a term count as right as it was heard in this answer, here and from now on.

    Other answers keep their reports until they are graded again; drills know it at once.

    Args:
        backend: keeps that this answer said it right; it must be the embedded server.
        settings: name the file of your own readings.
        attempt: the answer.
        term: one that its report calls mispronounced.

    Raises:
        ReadingError: the lexicon is not your own, or nothing was heard of the term.
        BackendError: the report does not call it mispronounced.
    """
    if settings.server is not None:
        raise ReadingError("the program's lexicon decides what is right: tell its coaches")
    heard = [
        each.phones
        for each in attempt.report.pronunciation.terms
        if each.term == term and each.verdict == "mispronounced" and each.phones
    ]
    if not heard:
        raise ReadingError(f"no way of saying {term!r} was heard in this answer")
    corrected = backend.said_right(attempt.id, SaidRight(term=term))

    def added(own: OwnReadings) -> OwnReadings:
        for phones in heard:
            own = with_reading(own, term, phones)
        return own

    _change(settings, added)
    return corrected


def take_back_readings(settings: ClientSettings, term: str) -> None:
    """Stop counting your own readings of a term.

    Raises:
        ReadingError: the file cannot be read or written.
    """
    _change(settings, lambda own: without_readings(own, term))


def _change(settings: ClientSettings, change: Callable[[OwnReadings], OwnReadings]) -> None:
    path = settings.own_readings
    try:
        rewrite_durably(path, lambda: to_yaml(change(read_own_readings(path))).encode("utf-8"))
    except Timeout as error:
        raise ReadingError("another window is changing your readings; try again") from error
    except LexiconError as error:
        raise ReadingError(str(error)) from error
    except OSError as error:
        raise ReadingError(f"{path} cannot be written: {error.strerror}") from error
