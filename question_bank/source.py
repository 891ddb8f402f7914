"""One YAML file of a bank, checked into models; every fault is collected with its place."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from pydantic import BaseModel

from question_bank.errors import Fault, FileError, dotted, like_one_of
from question_bank.models import (
    Faq,
    FieldOfWork,
    KeyPhrase,
    PlanWeek,
    Question,
    Role,
    RoundGuide,
    Signal,
)
from question_bank.strict_yaml import Entry, parse_yaml, read_yaml

T = TypeVar("T")
M = TypeVar("M", bound=BaseModel)

_SHAPES = (
    "must be a list of questions, a mapping with 'role' and 'questions', "
    "a role (with 'id', 'title', …), or a field (with 'field', 'title', …)"
)
_LEXICON = (
    "is a list of terms: keep a lexicon outside of the bank's folder, and check it with "
    "`aloud lexicon validate`"
)
_POINTS: Final = Path(__file__).with_name("points.yaml")


@dataclass(frozen=True)
class Located(Generic[T]):
    """A checked entry and its place."""

    value: T
    entry: Entry


@dataclass
class Source:
    """The content of one file.

    Attributes:
        stem: the file's name without its extension; empty for a text without a file.
        bare: the file is a bare list of questions, which belong to the role called ``stem`` if
            there is one.
        declared_roles: ids of the roles that the file tries to define, valid or not; likewise
            ``declared_fields``.
        faulty: questions that have a fault, which may have others.
        faults: everything that is wrong with it.
    """

    stem: str
    bare: bool = False
    fields: list[Located[FieldOfWork]] = field(default_factory=list)
    roles: list[Located[Role]] = field(default_factory=list)
    questions: list[Located[Question]] = field(default_factory=list)
    rounds: list[Located[RoundGuide]] = field(default_factory=list)
    signals: list[Located[Signal]] = field(default_factory=list)
    plan: list[Located[PlanWeek]] = field(default_factory=list)
    help: list[Located[Faq]] = field(default_factory=list)
    declared_roles: set[str] = field(default_factory=set)
    declared_fields: set[str] = field(default_factory=set)
    faulty: list[Entry] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)


def read_source(path: Path) -> Source:
    """Read and check one file; what is wrong with it is in ``faults``."""
    return _checked(Source(path.stem), lambda: read_yaml(path))


def parse_source(text: str, label: str) -> Source:
    """Check one document of questions, or of a role; ``label`` is how faults name it."""
    return _checked(Source(""), lambda: parse_yaml(text, label))


def _checked(source: Source, read: Callable[[], Entry]) -> Source:
    try:
        _check(source, read())
    except FileError as error:
        source.faults.extend(error.faults)
    return source


def _check(source: Source, document: Entry) -> None:
    match source.stem:
        case "rounds":
            source.rounds = _entries(source, document, RoundGuide, "round", "id")
        case "signals":
            source.signals = _entries(source, document, Signal, "signal", "id")
        case "plan":
            source.plan = _entries(source, document, PlanWeek, "week", "week")
        case "help":
            source.help = _entries(source, document, Faq, "help text", "id")
        case "points":
            _check_points(source, document)
        case _:
            _check_questions_or_role(source, document)


def _check_points(source: Source, document: Entry) -> None:
    """Those of the built-in bank, which ``general_points`` reads."""
    for located in _entries(source, document, KeyPhrase, "point", "phrase"):
        if located.value.phrase not in general_points():
            says = "only the built-in bank has points; write a key phrase in the question"
            source.faults.append(located.entry.fault(says))


def _check_questions_or_role(source: Source, document: Entry) -> None:
    data, questions = document.data, document.get("questions")
    if _is_lexicon(data):
        source.faults.append(document.fault(_LEXICON))
    elif isinstance(data, list):
        source.bare = True
        source.questions = _questions(source, document)
    elif not isinstance(data, dict):
        source.faults.append(document.fault(_SHAPES))
    elif "role" in data:
        role = data["role"]
        for name in sorted(map(str, data.keys() - {"role", "questions"})):
            source.faults.append(document.fault("unknown field beside 'role'", name))
        if not isinstance(role, str) or not role.strip():
            source.faults.append(document.fault("must be the id of a role", "role"))
            return
        source.questions = _questions(source, questions or replace(document, data=None), role=role)
    elif "field" in data and "id" not in data:
        _check_field(source, document, questions)
    elif "id" in data:
        role_id = data["id"]
        source.declared_roles.add(str(role_id))
        fields = {name: value for name, value in data.items() if name != "questions"}
        entry = replace(document, data=fields, name=f"role {role_id!r}")
        checked = entry.check(Role, source.faults)
        if checked is not None:
            source.roles.append(Located(checked, entry))
            _refuse_twice(source, entry, "topics", checked.topics)
        if questions is not None:
            source.questions = _questions(source, questions, role=str(role_id))
    else:
        source.faults.append(document.fault(_SHAPES))


def _check_field(source: Source, document: Entry, questions: Entry | None) -> None:
    """A field with what it has; or, without a title, only questions of a field that is there."""
    data = document.data
    name = data["field"]
    if not isinstance(name, str) or not name.strip():
        source.faults.append(document.fault("must be the id of a field", "field"))
        return
    if questions is None or data.keys() - {"field", "questions"}:
        source.declared_fields.add(name)
        fields = {key: value for key, value in data.items() if key not in ("field", "questions")}
        entry = replace(document, data={"id": name, **fields}, name=f"field {name!r}")
        checked = entry.check(FieldOfWork, source.faults)
        if checked is not None:
            source.fields.append(Located(checked, entry))
            for part in ("rounds", "signals"):
                _refuse_twice(source, entry, part, [each.id for each in getattr(checked, part)])
    if questions is not None:
        source.questions = _questions(source, questions, field=name)


def _is_lexicon(data: Any) -> bool:
    first = data[0] if isinstance(data, list) and data else None
    return isinstance(first, dict) and "term" in first and "id" not in first


def _questions(source: Source, listed: Entry, **owner: str) -> list[Located[Question]]:
    """The questions of a list; ``owner``: the role or the field whose file it is."""
    kept: list[Located[Question]] = []
    if isinstance(listed.data, list):
        listed = replace(listed, data=[_with_points(source, each) for each in listed.items()])
    for located in _entries(source, listed, Question, "question", "id", "questions"):
        question, entry = located.value, located.entry
        _check_phrases(source, entry, question)
        asked = {each.follow_up for each in question.key_phrases} | {e.ask for e in question.beats}
        _refuse_twice(source, entry, "probes", [each.ask for each in question.probes], asked)
        for kind, name in owner.items():
            theirs = getattr(question, kind)
            if theirs not in (None, name):
                says = f"{theirs!r} is not the file's {kind} {name!r}"
                source.faults.append(entry.fault(says, kind))
                break
        else:
            kept.append(Located(question.model_copy(update=owner), entry))
    return kept


@cache
def general_points() -> dict[str, dict[str, Any]]:
    """What any good story says, by its phrase; key phrases take it over by that name."""
    return {each["phrase"]: each for each in read_yaml(_POINTS).data}


def names_point(question: Any) -> bool:
    """Whether a key phrase of this question, as YAML has it, takes over a general point."""
    phrases = question.get("key_phrases") if isinstance(question, dict) else None
    listed = phrases if isinstance(phrases, list) else []
    return any(map(_is_point, listed))


def _is_point(phrase: Any) -> bool:
    return isinstance(phrase, dict) and "point" in phrase


def _with_points(source: Source, entry: Entry) -> Any:
    """Own items of a list come before the point's; of anything else the own value counts."""
    question = entry.data
    if not names_point(question):
        return question
    phrases: list[Any] = []
    for index, own in enumerate(question["key_phrases"]):
        if _is_point(own):
            name = str(own["point"])
            point = general_points().get(name)
            if point is None:
                says = f"unknown point {name!r}{like_one_of(name, general_points())}"
                named = replace(entry, name=f"question {question.get('id')!r}")
                source.faults.append(named.fault(says, "key_phrases", index, "point"))
            lists = {
                key: [*own[key], *value]
                for key, value in (point or {}).items()
                if isinstance(value, list) and isinstance(own.get(key), list)
            }
            own = {"phrase": name, **(point or {}), **own, **lists}
            del own["point"]
        phrases.append(own)
    return {**question, "key_phrases": phrases}


def _check_phrases(source: Source, entry: Entry, question: Question) -> None:
    seen: dict[str, str] = {}
    for index, key in enumerate(question.key_phrases):
        at = ("key_phrases", index)
        named: list[tuple[tuple[str | int, ...], str]] = [((*at, "phrase"), key.phrase)]
        named += [((*at, "aliases", n), alias) for n, alias in enumerate(key.aliases)]
        for path, text in named:
            plain = " ".join(text.casefold().split())
            if not any(char.isalnum() for char in plain):
                says = f"{text!r} has no letter or digit, so nobody can say it"
                source.faults.append(entry.fault(says, *path))
            elif plain in seen:
                source.faults.append(entry.fault(f"{text!r} is already at {seen[plain]}", *path))
            else:
                seen[plain] = dotted(path)


def _refuse_twice(
    source: Source, entry: Entry, name: str, texts: Iterable[str], known: Iterable[str] = ()
) -> None:
    seen = {*known}
    for index, text in enumerate(texts):
        if text in seen:
            source.faults.append(entry.fault(f"{text!r} appears twice", name, index))
        seen.add(text)


def _entries(
    source: Source, listed: Entry, model: type[M], kind: str, key: str, prefix: str = ""
) -> list[Located[M]]:
    """Check each entry of a list separately, so that one bad entry does not hide the next."""
    whole = replace(listed, name=prefix)
    if not isinstance(listed.data, list):
        source.faults.append(whole.fault(f"must be a list of {kind}s"))
        return []
    if not listed.data:
        source.faults.append(whole.fault(f"has no {kind}"))
    found: list[Located[M]] = []
    first_places: dict[Any, int] = {}
    for index, item in enumerate(listed.items()):
        name = item.data.get(key) if isinstance(item.data, dict) else None
        named = isinstance(name, (str, int)) and name != ""
        entry = replace(item, name=f"{kind} {name!r}" if named else f"{prefix}[{index}]")
        if named and name in first_places:
            says = f"is used twice in this file (entries {first_places[name] + 1} and {index + 1})"
            source.faults.append(entry.fault(says, key))
            continue
        if named:
            first_places[name] = index
        value = entry.check(model, source.faults)
        if value is not None:
            found.append(Located(value, entry))
        elif model is Question and isinstance(item.data, dict):
            source.faulty.append(entry)
    return found
