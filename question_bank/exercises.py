"""Speaking exercises on top of a bank: tasks of a working day, and terms to explain in a sentence.

They belong to no role and no interview: whoever practices their English chooses them.
"""

import hashlib
import re
from functools import cache
from pathlib import Path
from typing import Final

from question_bank.errors import BankError
from question_bank.files import version_of
from question_bank.models import Bank, FieldOfWork, KeyPhrase, Question, Role, RoundGuide
from question_bank.source import read_source
from question_bank.strict_yaml import read_yaml

FIELD: Final = "speaking"
DEFINITION_SECONDS: Final = 20
_FOLDER: Final = Path(__file__).parent / "speaking_tasks"
_TASKS: Final = _FOLDER / "speaking.yaml"
_DEFINITIONS: Final = _FOLDER / "definitions.yaml"
_SCENARIOS: Final = _FOLDER / "scenarios.yaml"
_DEFINE: Final = RoundGuide(id="definitions", title="One sentence", minutes=(1, 1), kind="explain")


@cache
def _tasks() -> tuple[FieldOfWork, tuple[Question, ...]]:
    source = read_source(_TASKS)
    if source.faults:
        raise BankError(*source.faults)
    [field] = source.fields
    rounds = (*field.value.rounds, _DEFINE)
    return field.value.model_copy(update={"rounds": rounds}), tuple(
        each.value for each in source.questions
    )


@cache
def _wanted() -> dict[str, tuple[KeyPhrase, ...]]:
    """Term → what its definition must have."""
    return {
        term: tuple(_phrase(*written.split(" / ")) for written in phrases)
        for term, phrases in read_yaml(_DEFINITIONS).data.items()
    }


@cache
def _digest() -> str:
    content = _TASKS.read_bytes() + _DEFINITIONS.read_bytes()
    return hashlib.sha256(content).hexdigest()


def with_exercises(bank: Bank) -> Bank:
    """The bank with the exercises; its version changes with them."""
    field, tasks = _tasks()
    return bank.model_copy(
        update={
            "version": version_of(f"{bank.version}{_digest()}"),
            "fields": (*bank.fields, field),
            "rounds": (*bank.rounds, *field.rounds),
            "questions": (*bank.questions, *tasks, *_definitions(bank)),
        }
    )


def told_scenarios(bank: Bank, role: Role) -> list[tuple[str, Question | None]]:
    """The role's scenarios, each with the task of this bank in which it is told."""
    tasks = [bank.question(each) for each in read_yaml(_SCENARIOS).data.get(role.id, ())]
    return list(zip(role.scenarios, (*tasks, *(None for _ in role.scenarios)), strict=False))


def _definitions(bank: Bank) -> tuple[Question, ...]:
    """The spotlight terms of the bank's roles, each once; a role's own sense of one by itself."""
    spotlight = {}
    for role, each in ((one, each) for one in bank.roles for each in one.spotlight):
        own = f"{each.term} ({role.id})"
        sense = f", for the role of {role.title}" if own in _wanted() else ""
        spotlight[own if sense else each.term] = each, sense
    return tuple(
        Question(
            id=f"define-{re.sub(r'[^a-z0-9]+', '-', name.casefold()).strip('-')}",
            field=FIELD,
            round=_DEFINE.id,
            kind="explain",
            topic=_DEFINE.title,
            difficulty=1,
            prompt=f"Explain “{each.term}” in one sentence{sense}.",
            answer_seconds=DEFINITION_SECONDS,
            model_answer=each.definition,
            key_phrases=_wanted()[name],
        )
        for name, (each, sense) in spotlight.items()
        if name in _wanted()
    )


def _phrase(phrase: str, *others: str) -> KeyPhrase:
    return KeyPhrase(phrase=phrase, aliases=others)
