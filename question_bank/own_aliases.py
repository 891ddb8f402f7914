"""Your own aliases and ways: other words for a key phrase, on top of a bank.

The file maps a question's id to its phrases, and each phrase to other words that say it::

    infiniband-or-roce:
      pause storms:
      - the pause frames spread
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Final

import yaml
from pydantic import Field, StringConstraints, TypeAdapter, ValidationError

from question_bank.errors import BankError, Fault, FileError, field_faults
from question_bank.files import version_of
from question_bank.models import Bank, KeyPhrase, Question, Slug
from question_bank.strict_yaml import Entry, read_yaml

MAX_ALIASES: Final = 50
MAX_ALIAS_WORDS: Final = 12
"""A key phrase has two to six words. Up to twice as many words are another name for it; more are a
way of saying it, which counts by meaning and not word by word."""
MAX_WORDS: Final = 60
"""Anything longer is an answer."""

_Alias = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500)]
_Phrase = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500)]
_FILE: Final = TypeAdapter(
    dict[Slug, dict[_Phrase, Annotated[tuple[_Alias, ...], Field(max_length=MAX_ALIASES)]]]
)

_FUNCTION_WORDS: Final = frozenset({
    "a", "an", "the", "this", "that", "these", "those", "it", "its", "i", "you", "he", "she", "we",
    "they", "me", "him", "her", "us", "them", "my", "your", "our", "their", "is", "are", "was",
    "were", "be", "been", "am", "do", "does", "did", "have", "has", "had", "can", "could", "will",
    "would", "should", "may", "might", "must", "and", "or", "but", "so", "if", "then", "than", "as",
    "of", "to", "in", "on", "at", "by", "for", "from", "with", "into", "not", "no", "there", "here",
    "what", "which", "who", "how", "when", "where", "why", "just", "very", "also", "um", "uh",
})  # fmt: skip
"""Words in nearly every answer; an alias of only these would always cover its phrase."""


@dataclass(frozen=True)
class OwnAliases:
    """The aliases by question and phrase."""

    entries: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)

    def of(self, question_id: str, phrase: str) -> tuple[str, ...]:
        return self.entries.get(question_id, {}).get(phrase, ())

    def added(self, question_id: str, phrase: str, alias: str) -> "OwnAliases":
        """These aliases and one more; the same if it is already there.

        Raises:
            BankError: these words cannot be an alias, or the phrase has too many.
        """
        alias = " ".join(alias.split())
        fault = alias_fault(alias)
        if fault:
            raise BankError(Fault(f"{alias!r} {fault}"))
        there = self.of(question_id, phrase)
        if alias.casefold() in {each.casefold() for each in there}:
            return self
        if len(there) >= MAX_ALIASES:
            raise BankError(Fault(f"{phrase!r} already has {MAX_ALIASES} aliases of your own"))
        entries = {each: dict(phrases) for each, phrases in self.entries.items()}
        entries.setdefault(question_id, {})[phrase] = (*there, alias)
        return OwnAliases(entries)

    def removed(self, question_id: str, phrase: str, alias: str) -> "OwnAliases":
        """These aliases without this one; the same if it is not there."""
        left = tuple(each for each in self.of(question_id, phrase) if each != alias)
        if left == self.of(question_id, phrase):
            return self
        entries = {each: dict(phrases) for each, phrases in self.entries.items()}
        entries[question_id][phrase] = left
        if not left:
            del entries[question_id][phrase]
        if not entries[question_id]:
            del entries[question_id]
        return OwnAliases(entries)

    def to_yaml(self) -> str:
        plain = {
            question_id: {phrase: list(aliases) for phrase, aliases in phrases.items()}
            for question_id, phrases in self.entries.items()
        }
        return yaml.safe_dump(plain, allow_unicode=True, sort_keys=False)


def alias_fault(alias: str) -> str:
    """Why these words cannot be an alias; empty if they can."""
    words = _words(alias)
    if not words:
        return "has no letter or digit, so nobody can say it"
    if len(words) > MAX_WORDS:
        return f"is longer than {MAX_WORDS} words"
    if all(word in _FUNCTION_WORDS for word in words):
        return "would be found in every answer; choose words that carry the meaning"
    return ""


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.casefold())


def read_own_aliases(path: Path) -> OwnAliases:
    """The aliases in a file; none if there is no such file.

    Raises:
        BankError: the file is not valid; with every fault found.
    """
    if not path.exists():
        return OwnAliases()
    try:
        document = read_yaml(path)
    except FileError as error:
        raise BankError(*error.faults) from error
    try:
        entries = _FILE.validate_python(document.data or {})
    except ValidationError as error:
        raise BankError(
            *(_fault(document, says, *at) for at, says in field_faults(error))
        ) from error
    faults = [
        _fault(document, f"{alias!r} {fault}", question_id, phrase, index)
        for question_id, phrases in entries.items()
        for phrase, aliases in phrases.items()
        for index, alias in enumerate(aliases)
        if (fault := alias_fault(alias))
    ]
    if faults:
        raise BankError(*faults)
    return OwnAliases(entries)


def with_own_aliases(bank: Bank, own: OwnAliases) -> Bank:
    """The bank with the aliases added to its phrases; its version changes with them.

    A reworded phrase keeps its aliases if its old wording is now one of its names, ways or
    ``formerly``. Aliases of a question or phrase that the bank does not have are ignored; the file
    keeps them in case it comes back.
    """
    applied: dict[str, dict[str, list[str]]] = {}
    questions = tuple(_extended(question, own, applied) for question in bank.questions)
    if not applied:
        return bank
    canonical = json.dumps([bank.version, applied], ensure_ascii=False, sort_keys=True)
    version = version_of(canonical)
    return bank.model_copy(update={"questions": questions, "version": version})


def _extended(
    question: Question, own: OwnAliases, applied: dict[str, dict[str, list[str]]]
) -> Question:
    if question.id not in own.entries:
        return question
    known = {text.casefold() for key in question.key_phrases for text in (key.phrase, *key.aliases)}
    phrases: list[KeyPhrase] = []
    for key in question.key_phrases:
        # A phrase's own words may not cover another phrase of the same question.
        names = dict.fromkeys((key.phrase, *key.formerly, *key.aliases, *key.any_of, *key.ways))
        mine = dict.fromkeys(alias for name in names for alias in own.of(question.id, name))
        new = [alias for alias in mine if alias.casefold() not in known]
        if new:
            known.update(alias.casefold() for alias in new)
            applied.setdefault(question.id, {})[key.phrase] = sorted(new)
            aliases = [each for each in new if len(_words(each)) <= MAX_ALIAS_WORDS]
            ways = [each for each in new if each not in aliases]
            key = key.model_copy(
                update={
                    "aliases": (*key.aliases, *aliases),
                    "ways": (*key.ways, *ways),
                    "own": tuple(aliases),
                }
            )
        phrases.append(key)
    if question.id not in applied:
        return question
    return question.model_copy(update={"key_phrases": tuple(phrases)})


def _fault(document: Entry, says: str, *at: str | int) -> Fault:
    entry = ": ".join(str(part) for part in at[:2])
    return replace(document.fault(says, *at), entry=entry, field=at[2:])
