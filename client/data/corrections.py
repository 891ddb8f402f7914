"""“I did say it” and “I said it right”, for good: aliases of key phrases and readings of one's own.

Aliases only if the server runs in this process: a program's shared bank is for it to change.
"""

import re
from collections.abc import Callable

from client.backend.protocol import Backend
from client.core.durable_file import change_own
from client.core.errors import ClientError
from client.core.settings import ClientSettings
from pronunciation.lexicon_loader import (
    LexiconError,
    OwnReadings,
    read_own_readings,
    to_yaml,
    with_reading,
    without_readings,
)
from question_bank.errors import BankError
from question_bank.own_aliases import OwnAliases, read_own_aliases
from server.contract import Attempt, RegradeResult, SaidRight


class AliasError(ClientError):
    """These words cannot become an alias of the phrase; the text says why."""


def add_own_alias(
    backend: Backend, settings: ClientSettings, attempt: Attempt, phrase: str, words: str
) -> RegradeResult:
    """Keep words of an answer as an alias, and grade all answers to the question again.

    Args:
        backend: grades again; it must be the embedded server.
        settings: name the file of your own aliases.
        attempt: the answer in which the words were said.
        phrase: a key phrase of its question, as the bank writes it.
        words: what was said in its place.

    Raises:
        AliasError: the bank is not your own, or the words were not said or say too little.
        BackendError: the question has gone, or grading failed.
    """
    if settings.server is not None:
        raise AliasError(
            "the program's bank decides what counts: tell its coaches, who can add these words"
        )
    question = backend.question(attempt.report.question_id)
    if phrase not in {key.phrase for key in question.key_phrases}:
        raise AliasError(f"the question no longer has a key phrase {phrase!r}")
    if not attempt.report.transcript.places_of(words):
        raise AliasError(
            f"“{' '.join(words.split())}” is not in the transcript: "
            "choose the words as they are written there"
        )
    taken = {
        " ".join(_tokens(text)): key.phrase
        for key in question.key_phrases
        for text in (key.phrase, *key.aliases)
    }
    owner = taken.get(" ".join(_tokens(words)))
    if owner is not None:
        raise AliasError(f"these words already count, for the key phrase “{owner}”")
    _change_aliases(settings, lambda own: own.added(question.id, phrase, words))
    return backend.regrade(question_id=question.id)


def take_back_alias(
    backend: Backend, settings: ClientSettings, question_id: str, phrase: str, alias: str
) -> RegradeResult:
    """Stop counting your own words, and grade all answers to the question again.

    Raises:
        AliasError: the file cannot be read or written.
        BackendError: grading failed.
    """
    _change_aliases(settings, lambda own: own.removed(question_id, phrase, alias))
    return backend.regrade(question_id=question_id)


def _change_aliases(settings: ClientSettings, change: Callable[[OwnAliases], OwnAliases]) -> None:
    path = settings.own_aliases

    def changed() -> bytes:
        return change(read_own_aliases(path)).to_yaml().encode("utf-8")

    change_own(path, changed, AliasError, "words", BankError)


def _tokens(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.casefold().replace("'", "").replace("’", ""))


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

    _change_readings(settings, added)
    return corrected


def take_back_readings(settings: ClientSettings, term: str) -> None:
    """Stop counting your own readings of a term.

    Raises:
        ReadingError: the file cannot be read or written.
    """
    _change_readings(settings, lambda own: without_readings(own, term))


def _change_readings(
    settings: ClientSettings, change: Callable[[OwnReadings], OwnReadings]
) -> None:
    path = settings.own_readings

    def changed() -> bytes:
        return to_yaml(change(read_own_readings(path))).encode("utf-8")

    change_own(path, changed, ReadingError, "readings", LexiconError)
