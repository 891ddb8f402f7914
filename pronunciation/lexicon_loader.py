"""The lexicon from YAML: the built-in terms, with those that a file adds or replaces.

Your own readings are ways that you say a term, accepted too. Their file maps a term to ARPAbet::

    RoCE:
    - R OW1 S
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Final, TypeVar

import yaml
from pydantic import Field, StringConstraints, TypeAdapter, ValidationError

from pronunciation.errors import PronunciationError
from pronunciation.phones import VOWELS, bare_phones, base_phone
from pronunciation.terms import Lexicon, Mistake, Phones, Term
from question_bank.errors import Fault, FieldPath, FileError, field_faults
from question_bank.files import compiled, version_of, yaml_files
from question_bank.strict_yaml import Entry, parse_yaml, read_yaml


class LexiconError(FileError, PronunciationError):
    """A file of terms or drills is not valid; its faults name file, entry and field."""


BUILT_IN_FOLDER: Final = Path(__file__).parent / "lexicon"
_CODE: Final = tuple(Path(__file__).with_name(f"{name}.py") for name in ("terms", "lexicon_loader"))
SHOWN_NAME: Final = 80
"""At most this much of an entry's name appears in a fault."""


def load_lexicon(extra: Sequence[Path] = (), cache: Path | None = None) -> Lexicon:
    """The built-in lexicon, with the terms of ``extra`` added or replaced by name.

    Args:
        extra: YAML files, or folders of them; the last one wins.
        cache: a folder that keeps the compiled lexicon for the next start.

    Raises:
        LexiconError: a file is missing, unreadable or not valid.
    """
    if cache is None:
        return _load(extra)
    try:
        files = [file for path in (BUILT_IN_FOLDER, *extra) for file in yaml_files(path)]
    except FileError:
        return _load(extra)  # which reports the fault
    return compiled(Lexicon, files, cache, lambda: _load(extra), _CODE)


def _load(extra: Sequence[Path]) -> Lexicon:
    built_in = _built_in()
    return with_terms(built_in, *map(read_terms, extra)) if extra else built_in


def with_terms(under: Iterable[Term], *over: Iterable[Term]) -> Lexicon:
    """A lexicon of these terms, with those of ``over`` added or replaced by name."""
    merged = {term.term.casefold(): term for term in under}
    for layer in over:
        merged.update((term.term.casefold(), term) for term in layer)
    terms = tuple(merged.values())
    content = json.dumps([term.model_dump(mode="json") for term in terms], sort_keys=True)
    return Lexicon(version=version_of(content), terms=terms)


@lru_cache(maxsize=1)
def _built_in() -> Lexicon:
    return with_terms(read_terms(BUILT_IN_FOLDER))


def read_terms(path: Path) -> tuple[Term, ...]:
    """All terms of one YAML file or of the files of one folder.

    Raises:
        LexiconError: with every fault of every entry.
    """
    faults: list[Fault] = []
    return _checked(read_documents(path, faults), faults)


def parse_terms(text: str, label: str) -> tuple[Term, ...]:
    """All terms of a YAML text; ``label`` is how faults name it.

    Raises:
        LexiconError: with every fault of every entry.
    """
    try:
        return _checked([parse_yaml(text, label)], [])
    except FileError as error:
        raise LexiconError(*error.faults) from error


def read_documents(path: Path, faults: list[Fault]) -> list[Entry]:
    """The YAML file, or the files of a folder; those that cannot be read are added to ``faults``.

    Raises:
        LexiconError: there is no such file or folder, or no YAML file in it.
    """
    try:
        files = yaml_files(path)
    except FileError as error:
        raise LexiconError(*error.faults) from error
    documents: list[Entry] = []
    for file in files:
        try:
            documents.append(read_yaml(file, file.name))
        except FileError as error:
            faults += error.faults
    return documents


def _checked(documents: Iterable[Entry], faults: list[Fault]) -> tuple[Term, ...]:
    terms: dict[str, Term] = {}
    seen_in: dict[str, str] = {}
    for document in documents:
        if not isinstance(document.data, list):
            faults.append(document.fault("must be a list of terms"))
        for number, item in enumerate(document.items(), start=1):
            entry = named(item, "term", f"entry {number}")
            term = entry.check(Term, faults)
            if term is None:
                continue
            faults += [entry.fault(says, *field) for field, says in _term_faults(term)]
            key = term.term.casefold()
            if key in terms:
                says = f"{term.term!r} is already in {seen_in[key]}"
                faults.append(entry.fault(says, "term"))
            terms[key], seen_in[key] = term, document.file
    if faults:
        raise LexiconError(*faults)
    return tuple(terms.values())


def named(item: Entry, key: str, otherwise: str) -> Entry:
    """An entry under the name in its field ``key``, or a substitute if it has no such field."""
    name = item.data.get(key) if isinstance(item.data, dict) else None
    return replace(item, name=str(name or otherwise)[:SHOWN_NAME])


def _term_faults(term: Term) -> Iterator[tuple[FieldPath, str]]:
    yield from reading_faults(term.readings, term.mistakes)
    spellings = [spelling.casefold() for spelling in term.written_as]
    if len(set(spellings)) < len(spellings):
        yield ("written_as",), "one appears twice"


def reading_faults(
    readings: Sequence[str], mistakes: Sequence[Mistake]
) -> Iterator[tuple[FieldPath, str]]:
    """Faults that no single field shows, between readings and mistakes.

    Yields:
        The field and what is wrong with it.
    """
    for index, reading in enumerate(readings):
        for says in stress_faults(reading):
            yield ("readings", index), says
    for index, mistake in enumerate(mistakes):
        for says in stress_faults(mistake.phones):
            yield ("mistakes", index, "phones"), says
        if mistake.phones in readings:
            yield ("mistakes", index, "phones"), f"{mistake.phones!r} is also an accepted reading"
    if len(set(readings)) < len(readings):
        yield ("readings",), "one appears twice"
    if len({mistake.phones for mistake in mistakes}) < len(mistakes):
        yield ("mistakes",), "one appears twice"


def stress_faults(phones: str) -> list[str]:
    """What is wrong with the stress of a reading, which is taught, spoken and judged.

    A term of several words may have several primary stresses, so only their absence is a fault.
    """
    vowels = [phone for phone in phones.split() if base_phone(phone) in VOWELS]
    if not vowels:
        return [f"{phones!r} has no vowel"]
    bare = [vowel for vowel in vowels if vowel in VOWELS]
    if bare:
        return [f"the vowel {bare[0]} in {phones!r} carries no stress digit (0, 1 or 2)"]
    if not any(vowel.endswith("1") for vowel in vowels):
        return [f"no vowel in {phones!r} carries the main stress (1)"]
    return []


MAX_READINGS: Final = 20
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
    version = version_of(canonical)
    return Lexicon(version=version, terms=tuple(terms))


def accepting(
    readings: tuple[str, ...], mistakes: tuple[Mistake, ...], own: Iterable[str]
) -> tuple[tuple[str, ...], tuple[Mistake, ...]]:
    """Readings with more of them, and the mistakes that are not among these."""
    accepted = tuple(dict.fromkeys((*readings, *own)))
    if accepted == readings:
        return readings, mistakes
    fine = {bare_phones(phones) for phones in own}
    return accepted, tuple(each for each in mistakes if bare_phones(each.phones) not in fine)
