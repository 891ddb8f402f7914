"""Reading lexicon YAML, safely and strictly."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from pronunciation.errors import LexiconError
from pronunciation.phones import VOWELS, base_phone
from pronunciation.strict_yaml import read_yaml, yaml_files
from pronunciation.terms import Lexicon, Term

__all__ = [
    "BUILT_IN_FOLDER",
    "field_faults",
    "load_lexicon",
    "read_terms",
    "stress_faults",
    "with_terms",
]

BUILT_IN_FOLDER: Final = Path(__file__).parent / "lexicon"


def load_lexicon(extra: Sequence[Path] = ()) -> Lexicon:
    """The built-in lexicon, with the terms of ``extra`` added or replaced by name.

    Args:
        extra: YAML files, or folders of them; the later wins.

    Raises:
        LexiconError: a file is missing, unreadable or not valid.
    """
    return with_terms(_built_in(), *(read_terms(path) for path in extra))


def with_terms(under: Iterable[Term], *over: Iterable[Term]) -> Lexicon:
    """A lexicon of these terms, those of ``over`` added or replacing by name; the later wins."""
    merged = {term.term.casefold(): term for term in under}
    for layer in over:
        merged.update((term.term.casefold(), term) for term in layer)
    terms = tuple(merged.values())
    content = json.dumps([term.model_dump(mode="json") for term in terms], sort_keys=True)
    return Lexicon(version=hashlib.sha256(content.encode()).hexdigest()[:12], terms=terms)


@lru_cache(maxsize=1)
def _built_in() -> tuple[Term, ...]:
    return read_terms(BUILT_IN_FOLDER)


def read_terms(path: Path) -> tuple[Term, ...]:
    """All terms of one YAML file or of the files of one folder.

    Raises:
        LexiconError: one line for each fault, each naming file, entry and field.
    """
    faults: list[str] = []
    terms: dict[str, Term] = {}
    seen_in: dict[str, str] = {}
    for file in yaml_files(path):
        for place, entry in _entries(file):
            try:
                term = Term.model_validate(entry)
            except ValidationError as error:
                faults += [f"{place}: {fault}" for fault in field_faults(error)]
                continue
            faults += [f"{place}: {fault}" for fault in _faults(term)]
            key = term.term.casefold()
            if key in terms:
                faults.append(f"{place}: term: {term.term!r} stands already in {seen_in[key]}")
            terms[key], seen_in[key] = term, file.name
    if faults:
        raise LexiconError("\n".join(faults))
    return tuple(terms.values())


def _entries(file: Path) -> list[tuple[str, dict[str, Any]]]:
    document = read_yaml(file)
    if not isinstance(document, list):
        raise LexiconError(f"{file.name}: must be a list of terms")
    entries: list[tuple[str, dict[str, Any]]] = []
    for number, entry in enumerate(document, start=1):
        if not isinstance(entry, dict):
            raise LexiconError(f"{file.name}: entry {number}: must be a mapping of fields")
        entries.append((f"{file.name}: {str(entry.get('term', f'entry {number}'))[:80]}", entry))
    return entries


def _faults(term: Term) -> list[str]:
    """What a single field cannot see: the fields of one term against each other."""
    faults: list[str] = []
    for index, reading in enumerate(term.readings):
        faults += [f"readings[{index}]: {fault}" for fault in stress_faults(reading)]
    for index, mistake in enumerate(term.mistakes):
        faults += [f"mistakes[{index}].phones: {f}" for f in stress_faults(mistake.phones)]
    if len(set(term.readings)) < len(term.readings):
        faults.append("readings: one stands there twice")
    for index, mistake in enumerate(term.mistakes):
        if mistake.phones in term.readings:
            faults.append(f"mistakes[{index}].phones: is also an accepted reading")
    wrong = [mistake.phones for mistake in term.mistakes]
    if len(set(wrong)) < len(wrong):
        faults.append("mistakes: one stands there twice")
    spellings = [spelling.casefold() for spelling in term.written_as]
    if len(set(spellings)) < len(spellings):
        faults.append("written_as: one stands there twice")
    return faults


def stress_faults(phones: str) -> list[str]:
    """What is wrong with the stress of a reading: it is taught, spoken and judged.

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


def field_faults(error: ValidationError) -> list[str]:
    """What Pydantic found, for people: ``mistakes[0].tip: Field required``."""
    return [
        f"{_where(each['loc'])}{each['msg'].removeprefix('Value error, ')}"
        for each in error.errors()
    ]


def _where(location: tuple[int | str, ...]) -> str:
    path = ""
    for part in location:
        path += f"[{part}]" if isinstance(part, int) else (f".{part}" if path else part)
    return f"{path}: " if path else ""
