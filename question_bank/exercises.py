"""Speaking exercises on top of a bank: tasks of a working day, and terms to explain in a sentence.

They belong to no role and no interview: whoever practices their English chooses them.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict

from question_bank.errors import BankError
from question_bank.files import compiled, version_of
from question_bank.models import Bank, FieldOfWork, KeyPhrase, Question, Role, RoundGuide
from question_bank.source import read_source
from question_bank.strict_yaml import read_yaml

FIELD: Final = "speaking"
DEFINITIONS: Final = "definitions"
DEFINITION_SECONDS: Final = 20
_FOLDER: Final = Path(__file__).parent / "speaking_tasks"
_TASKS: Final = _FOLDER / "speaking.yaml"
_TERMS: Final = _FOLDER / "definitions.yaml"
_SCENARIOS: Final = _FOLDER / "scenarios.yaml"
_DEFINE: Final = RoundGuide(id=DEFINITIONS, title="One sentence", minutes=(1, 1), kind="explain")


class _Definition(BaseModel):
    """What a sentence about a term must have; a spotlight term's sentence is its role's."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sentence: str = ""
    parts: tuple[str, ...]


class _Exercises(BaseModel):
    """The content of the exercises; ``definitions`` by the term as its role writes it."""

    field: FieldOfWork
    tasks: tuple[Question, ...]
    definitions: dict[str, _Definition]


def with_exercises(bank: Bank, cache: Path | None = None) -> Bank:
    """The bank with the exercises; its version changes with them.

    Args:
        bank: the roles whose terms are asked about.
        cache: a folder that keeps the compiled exercises for the next start.
    """
    known = _exercises(cache)
    return bank.model_copy(
        update={
            "version": version_of(f"{bank.version}{_digest()}"),
            "fields": (*bank.fields, known.field),
            "rounds": (*bank.rounds, *known.field.rounds),
            "questions": (*bank.questions, *known.tasks, *_definitions(bank, known.definitions)),
        }
    )


def definitions(bank: Bank, role: Role) -> dict[str, Question]:
    """Each term of the role that this bank has explained → the exercise."""
    found = (
        (each, bank.question(_id(f"{each} ({role.id})")) or bank.question(_id(each)))
        for each in _terms(role)
    )
    return {term: exercise for term, exercise in found if exercise}


@cache
def _exercises(cache: Path | None) -> _Exercises:
    if cache is None:
        return _read()
    return compiled(_Exercises, (_TASKS, _TERMS), cache, _read, (Path(__file__),))


def _read() -> _Exercises:
    source = read_source(_TASKS)
    if source.faults:
        raise BankError(*source.faults)
    [field] = source.fields
    rounds = (*field.value.rounds, _DEFINE)
    return _Exercises(
        field=field.value.model_copy(update={"rounds": rounds}),
        tasks=tuple(each.value for each in source.questions),
        definitions=read_yaml(_TERMS).data,
    )


@cache
def _digest() -> str:
    content = _TASKS.read_bytes() + _TERMS.read_bytes()
    return hashlib.sha256(content).hexdigest()


def told_scenarios(bank: Bank, role: Role) -> list[tuple[str, Question | None]]:
    """The role's scenarios, each with the task of this bank in which it is told."""
    tasks = [bank.question(each) for each in read_yaml(_SCENARIOS).data.get(role.id, ())]
    return list(zip(role.scenarios, (*tasks, *(None for _ in role.scenarios)), strict=False))


def _definitions(bank: Bank, known: Mapping[str, _Definition]) -> tuple[Question, ...]:
    """The spotlight terms and the vocabulary of the bank's roles, each once.

    A role's own sense of a term is a question by itself.
    """
    found: dict[str, Question] = {}
    for role in bank.roles:
        spotlight = {each.term: each.definition for each in role.spotlight}
        for term in _terms(role):
            own = f"{term} ({role.id})"
            name, sense = (own, f", for the role of {role.title}") if own in known else (term, "")
            wanted = known.get(name)
            sentence = wanted and (wanted.sentence or spotlight.get(term))
            if wanted is None or not sentence or _id(name) in found:
                continue
            found[_id(name)] = Question(
                id=_id(name),
                field=FIELD,
                round=_DEFINE.id,
                kind="explain",
                topic=_DEFINE.title,
                difficulty=1,
                prompt=f"Explain “{term}” in one sentence{sense}.",
                answer_seconds=DEFINITION_SECONDS,
                model_answer=sentence,
                key_phrases=tuple(_phrase(*each.split(" / ")) for each in wanted.parts),
            )
    return tuple(found.values())


def _terms(role: Role) -> Iterator[str]:
    yield from (each.term for each in role.spotlight)
    yield from (term for group in role.vocabulary for term in group.terms)


def _id(name: str) -> str:
    return f"define-{re.sub(r'[^a-z0-9]+', '-', name.casefold()).strip('-')}"


def _phrase(phrase: str, *others: str) -> KeyPhrase:
    return KeyPhrase(phrase=phrase, aliases=others)
