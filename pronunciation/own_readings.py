"""Your own readings: ways that you say a term, added to a lexicon as accepted.

The file maps a term to readings in ARPAbet::

    RoCE:
    - R OW1 S
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Final, TypeVar

import yaml
from pydantic import Field, StringConstraints, TypeAdapter, ValidationError

from pronunciation.errors import LexiconError
from pronunciation.phones import base_phone, parse_phones
from pronunciation.terms import Lexicon, Mistake, Phones
from question_bank.errors import Fault, FileError, field_faults
from question_bank.strict_yaml import read_yaml

MAX_READINGS: Final = 20
_VERSION_DIGITS: Final = 12
_Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
OwnReadings = Mapping[str, tuple[str, ...]]
"""Readings by term."""
_FILE: Final = TypeAdapter(
    dict[_Name, Annotated[tuple[Phones, ...], Field(max_length=MAX_READINGS)]]
)
T = TypeVar("T")


def read_own_readings(path: Path) -> OwnReadings:
    """The readings in a file; none if there is no such file.

    Raises:
        LexiconError: the file is not valid.
    """
    if not path.exists():
        return {}
    try:
        document = read_yaml(path)
    except FileError as error:
        raise LexiconError(*error.faults) from error
    try:
        return _FILE.validate_python(document.data or {})
    except ValidationError as error:
        raise LexiconError(
            *(document.fault(says, *at) for at, says in field_faults(error))
        ) from error


def with_reading(own: OwnReadings, term: str, phones: str) -> OwnReadings:
    """These readings and one more.

    Raises:
        LexiconError: the term has too many of them.
    """
    there = own.get(term, ())
    if phones in there:
        return own
    if len(there) >= MAX_READINGS:
        raise LexiconError(Fault(f"{term!r} already has {MAX_READINGS} readings of your own"))
    return {**own, term: (*there, phones)}


def without_readings(own: OwnReadings, term: str) -> OwnReadings:
    """These readings without those of one term."""
    return {name: readings for name, readings in own.items() if name != term}


def to_yaml(own: OwnReadings) -> str:
    """The file's content."""
    plain = {term: list(readings) for term, readings in own.items()}
    return yaml.safe_dump(plain, allow_unicode=True, sort_keys=False)


def with_own_readings(lexicon: Lexicon, own: OwnReadings) -> Lexicon:
    """The lexicon with these readings accepted and no longer mistakes; its version changes.

    The taught reading stays first. Terms that the lexicon does not have are ignored.
    """
    known = {name: readings for name, readings in own.items() if lexicon.get(name) is not None}
    if not known:
        return lexicon
    folded = {name.casefold(): readings for name, readings in known.items()}
    terms = []
    for term in lexicon.terms:
        new = folded.get(term.term.casefold(), ())
        readings, mistakes = accepting(term.readings, term.mistakes, new)
        terms.append(term.model_copy(update={"readings": readings, "mistakes": mistakes}))
    canonical = json.dumps([lexicon.version, known], sort_keys=True)
    version = hashlib.sha256(canonical.encode()).hexdigest()[:_VERSION_DIGITS]
    return Lexicon(version=version, terms=tuple(terms))


def accepting(
    readings: tuple[str, ...], mistakes: tuple[Mistake, ...], own: Iterable[str]
) -> tuple[tuple[str, ...], tuple[Mistake, ...]]:
    """Readings with more of them, and the mistakes that are not among these."""
    accepted = tuple(dict.fromkeys((*readings, *own)))
    if accepted == readings:
        return readings, mistakes
    fine = {_bare(phones) for phones in own}
    return accepted, tuple(each for each in mistakes if _bare(each.phones) not in fine)


def _bare(phones: str) -> tuple[str, ...]:
    return tuple(base_phone(phone) for phone in parse_phones(phones))
