"""One YAML file of a bank, checked into models; every problem kept as one line."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from question_bank.errors import BankError
from question_bank.models import Faq, PlanWeek, Question, Role, RoundGuide, Signal
from question_bank.plain_yaml import read_yaml

__all__ = ["Located", "Source", "read_source"]

T = TypeVar("T")
M = TypeVar("M", bound=BaseModel)

_SHAPES = (
    "must be a list of questions, a mapping with 'role' and 'questions', "
    "or a role (with 'id', 'title', …)"
)


@dataclass(frozen=True)
class Located(Generic[T]):
    """A checked entry and where it stands: ``where`` is the start of an error line about it."""

    value: T
    where: str


@dataclass
class Source:
    """What one file holds.

    Attributes:
        label: how error lines name the file.
        stem: the file's name without its ending.
        bare: the file is a bare list of questions, which belong to the role called ``stem`` where
            there is one.
        declared_roles: ids of the roles the file means to define, valid or not.
        problems: one line each.
    """

    label: str
    stem: str
    bare: bool = False
    roles: list[Located[Role]] = field(default_factory=list)
    questions: list[Located[Question]] = field(default_factory=list)
    rounds: list[Located[RoundGuide]] = field(default_factory=list)
    signals: list[Located[Signal]] = field(default_factory=list)
    plan: list[Located[PlanWeek]] = field(default_factory=list)
    help: list[Located[Faq]] = field(default_factory=list)
    declared_roles: set[str] = field(default_factory=set)
    problems: list[str] = field(default_factory=list)


def read_source(path: Path, label: str) -> Source:
    """Read and check one file; what is wrong with it stands in ``problems``."""
    source = Source(label=label, stem=path.stem)
    try:
        data = read_yaml(path, label)
    except BankError as error:
        source.problems.extend(error.problems)
        return source
    match path.stem:
        case "rounds":
            source.rounds = _entries(source, data, RoundGuide, "round", "id")
        case "signals":
            source.signals = _entries(source, data, Signal, "signal", "id")
        case "plan":
            source.plan = _entries(source, data, PlanWeek, "week", "week")
        case "help":
            source.help = _entries(source, data, Faq, "help text", "id")
        case _:
            _read_questions_or_role(source, data)
    return source


def _read_questions_or_role(source: Source, data: Any) -> None:
    if isinstance(data, list):
        source.bare = True
        source.questions = _questions(source, data, role=None)
    elif not isinstance(data, dict):
        source.problems.append(f"{source.label}: {_SHAPES}")
    elif "role" in data:
        role = data["role"]
        for name in sorted(map(str, data.keys() - {"role", "questions"})):
            source.problems.append(f"{source.label}: {name}: unknown field beside 'role'")
        if not isinstance(role, str) or not role.strip():
            source.problems.append(f"{source.label}: role: must be the id of a role")
            return
        source.questions = _questions(source, data.get("questions"), role)
    elif "id" in data:
        fields = {name: value for name, value in data.items() if name != "questions"}
        role_id = data["id"]
        source.declared_roles.add(str(role_id))
        where = f"{source.label}: role {role_id!r}"
        role = _checked(source, where, Role, fields)
        if role is not None:
            source.roles.append(Located(role, where))
            _refuse_twice(source, where, "topics", role.topics)
        if "questions" in data:
            source.questions = _questions(source, data["questions"], str(role_id))
    else:
        source.problems.append(f"{source.label}: {_SHAPES}")


def _questions(source: Source, data: Any, role: str | None) -> list[Located[Question]]:
    found = _entries(source, data, Question, "question", "id", prefix="questions")
    kept: list[Located[Question]] = []
    for located in found:
        question, where = located.value, located.where
        _check_phrases(source, where, question)
        if role is not None and question.role not in (None, role):
            source.problems.append(
                f"{where} role: {question.role!r} is not the file's role {role!r}"
            )
            continue
        owned = question if role is None else question.model_copy(update={"role": role})
        kept.append(Located(owned, where))
    return kept


def _check_phrases(source: Source, where: str, question: Question) -> None:
    seen: dict[str, str] = {}
    for index, key in enumerate(question.key_phrases):
        named = [(f"key_phrases[{index}].phrase", key.phrase)]
        named += [(f"key_phrases[{index}].aliases[{n}]", a) for n, a in enumerate(key.aliases)]
        for place, text in named:
            plain = " ".join(text.casefold().split())
            if not any(char.isalnum() for char in plain):
                source.problems.append(
                    f"{where} {place}: {text!r} holds no letter or digit, so nobody can say it"
                )
            elif plain in seen:
                source.problems.append(f"{where} {place}: {text!r} stands already at {seen[plain]}")
            else:
                seen[plain] = place


def _refuse_twice(source: Source, where: str, name: str, texts: Iterable[str]) -> None:
    seen: set[str] = set()
    for index, text in enumerate(texts):
        if text in seen:
            source.problems.append(f"{where} {name}[{index}]: {text!r} stands there twice")
        seen.add(text)


def _entries(
    source: Source,
    data: Any,
    model: type[M],
    kind: str,
    key: str,
    prefix: str = "",
) -> list[Located[M]]:
    """Check each entry of a list by itself, so that one bad entry does not hide the next."""
    if not isinstance(data, list):
        field_name = f" {prefix}:" if prefix else ""
        source.problems.append(f"{source.label}:{field_name} must be a list of {kind}s")
        return []
    if not data:
        field_name = f" {prefix}:" if prefix else ""
        source.problems.append(f"{source.label}:{field_name} holds no {kind}")
    found: list[Located[M]] = []
    first_places: dict[Any, int] = {}
    for index, entry in enumerate(data):
        name = entry.get(key) if isinstance(entry, dict) else None
        named = isinstance(name, (str, int)) and name != ""
        where = f"{source.label}: " + (f"{kind} {name!r}" if named else f"{prefix}[{index}]")
        if named and name in first_places:
            source.problems.append(
                f"{where} {key}: is used twice in this file "
                f"(entries {first_places[name] + 1} and {index + 1})"
            )
            continue
        if named:
            first_places[name] = index
        value = _checked(source, where, model, entry)
        if value is not None:
            found.append(Located(value, where))
    return found


def _checked(source: Source, where: str, model: type[M], data: Any) -> M | None:
    try:
        return model.model_validate(data)
    except ValidationError as error:
        for detail in error.errors(include_url=False):
            place = _place(detail["loc"])
            separator = " " if place else ""
            source.problems.append(f"{where}{separator}{place}: {_says(detail)}")
        return None


def _place(location: tuple[int | str, ...]) -> str:
    text = ""
    for part in location:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text


_PLAIN_WORDS: dict[str, Callable[[ErrorDetails], str]] = {
    "missing": lambda _: "is required",
    "string_too_short": lambda _: "must not be empty",
    "string_type": lambda detail: (
        "must be text"
        if detail["input"] is None or isinstance(detail["input"], (list, dict))
        else f"must be text; put {detail['input']!s} in quotes"
    ),
    "string_pattern_mismatch": lambda detail: (
        f"{detail['input']!r} must be lower-case words joined by hyphens, like 'kv-cache'"
    ),
    "extra_forbidden": lambda _: "unknown field",
    "invalid_key": lambda _: "the field's name must be text",
    "tuple_type": lambda _: "must be a list",
    "model_type": lambda _: "must be a mapping of fields",
    "model_attributes_type": lambda _: "must be a mapping of fields",
    "literal_error": lambda detail: (
        f"unknown value {detail['input']!r}; one of {detail['ctx']['expected']}"
    ),
}


def _says(detail: ErrorDetails) -> str:
    plain = _PLAIN_WORDS.get(detail["type"])
    if plain is not None:
        return plain(detail)
    message = " ".join(detail["msg"].split())
    return message[:1].lower() + message[1:]
