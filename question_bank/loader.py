"""The bank from YAML: the built-in data, with what a personal bank adds or replaces."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeVar

from question_bank.errors import BankError, Fault, FileError, like_one_of
from question_bank.exercises import with_exercises
from question_bank.files import compiled, version_of, yaml_files
from question_bank.models import EVERYONE, Bank, FieldOfWork, Question, Role, RoundGuide
from question_bank.own_aliases import read_own_aliases, with_own_aliases
from question_bank.source import Located, Source, read_source
from question_bank.stories import read_stories, with_stories
from question_bank.strict_yaml import Entry

_BUILT_IN = Path(__file__).parent
_FOLDERS: Final = ("fields", "roles")
_CODE: Final = tuple(
    _BUILT_IN / f"{name}.py" for name in ("models", "source", "loader", "strict_yaml")
)

T = TypeVar("T")


def load_bank(
    extra: Sequence[Path] = (),
    cache: Path | None = None,
    own_aliases: Path | None = None,
    *,
    stories: Path | None = None,
) -> Bank:
    """The built-in bank with the personal banks in ``extra`` on top, the last one topmost.

    An entry of an extra bank replaces the one with the same id, or is added if there is none. The
    built-in data is read once per process; extra banks are read on every call.

    Args:
        extra: folders laid out like ``question_bank/`` (files in it, in ``fields/`` or in
            ``roles/``), or files.
        cache: a folder that keeps the compiled bank for the next start.
        own_aliases: a file of the candidate's own words for key phrases, on top of all of them.
        stories: a file of the candidate's own stories, which become questions; the speaking
            exercises come with them. ``None``: neither.

    Raises:
        BankError: with every fault found in the first bank that has any.
    """
    bank = _loaded(extra, cache)
    if stories is not None:
        bank = with_stories(with_exercises(bank, cache), read_stories(stories))
    if own_aliases is None or not own_aliases.exists():
        return bank
    return with_own_aliases(bank, read_own_aliases(own_aliases))


def _loaded(extra: Sequence[Path], cache: Path | None) -> Bank:
    if cache is None:
        return _load(extra)
    try:
        files = [file for path in (_BUILT_IN, *extra) for file in yaml_files(Path(path), *_FOLDERS)]
    except FileError:
        return _load(extra)  # which says what is wrong
    return compiled(Bank, files, cache, lambda: _load(extra), _CODE)


def _load(extra: Sequence[Path]) -> Bank:
    bank = _built_in()
    for path in extra:
        bank = lay_over(bank, read_sources(Path(path)))
    return bank


def lay_over(under: Bank, sources: Sequence[Source]) -> Bank:
    """``under`` with one bank on top, as ``load_bank`` does it.

    Args:
        under: the bank below.
        sources: the files of the bank on top.

    Raises:
        BankError: with every fault found.
    """
    faults = [fault for source in sources for fault in source.faults]

    rounds = _gathered((s.rounds for s in sources), _id, faults)
    signals = _gathered((s.signals for s in sources), _id, faults)
    plan = _gathered((s.plan for s in sources), lambda week: week.week, faults)
    help_texts = _gathered((s.help for s in sources), _id, faults)
    fields = _gathered((s.fields for s in sources), _id, faults)
    roles = [
        _in_its_field(each, under) for each in _gathered((s.roles for s in sources), _id, faults)
    ]

    common = {each.id: each for each in _merged(under.rounds, rounds, _id)}
    fields = [
        replace(
            each, value=each.value.model_copy(update={"rounds": _with_texts(each.value, common)})
        )
        for each in fields
    ]
    below = tuple(
        field.model_copy(
            update={
                "rounds": _replaced(field.rounds, rounds),
                "signals": _replaced(field.signals, signals),
                "plan": _merged(field.plan, plan, lambda week: week.week) if field.plan else (),
            }
        )
        for field in under.fields
    )
    all_fields = _merged(below, fields, _id)
    bank = Bank(
        version="",
        fields=all_fields,
        roles=_merged(under.roles, roles, _id),
        rounds=_first_of_each(common.values(), *(each.rounds for each in all_fields)),
        signals=_first_of_each(
            _merged(under.signals, signals, _id), *(each.signals for each in all_fields)
        ),
        plan=_merged(under.plan, plan, lambda week: week.week),
        help=_merged(under.help, help_texts, _id),
        questions=(),
    )

    known = {role.id: role for role in bank.roles}
    declared = set().union(*(source.declared_roles for source in sources))
    declared_fields = set().union(*(source.declared_fields for source in sources))
    guides = {each.id: each for each in bank.rounds}
    questions = [
        _of_kind(each, guides)
        for each in _gathered((_owned(s, known) for s in sources), _id, faults)
    ]
    names = _Names(bank, declared_fields)
    for located in questions:
        # the questions of a faulty role are not reported one by one
        if located.value.role in known or located.value.role not in declared:
            faults.extend(_topic_faults(located, known))
            question = located.value
            faults.extend(names.field_faults(located))
            faults.extend(names.faults(located.entry, vars(question), question.role))
    for entry in (entry for source in sources for entry in source.faulty):
        faults.extend(names.faults(entry, entry.data))
    for role in roles:
        faults.extend(names.field_faults(role))
    for week in plan:
        faults.extend(names.round_faults(week.entry, week.value.rounds))
    for each in fields:
        for number, planned in enumerate(each.value.plan):
            faults.extend(names.round_faults(each.entry, planned.rounds, "plan", number))
    faults.extend(_orphan_faults(under, roles, {q.value.id for q in questions}))

    if faults:
        raise BankError(*sorted(faults, key=lambda fault: (fault.file, fault.line or 0)))
    bank = bank.model_copy(update={"questions": _merged(under.questions, questions, _id)})
    return bank.model_copy(update={"version": _digest(bank)})


def read_sources(path: Path) -> list[Source]:
    """The files of one bank in a fixed order, each entry with its place.

    Raises:
        BankError: there is nothing to read.
    """
    try:
        files = yaml_files(path, *_FOLDERS)
    except FileError as error:
        raise BankError(*error.faults) from error
    return [read_source(file) for file in files]


@cache
def _built_in() -> Bank:
    empty = Bank(version="", roles=(), rounds=(), signals=(), plan=(), help=(), questions=())
    return lay_over(empty, read_sources(_BUILT_IN))


def _owned(source: Source, known: Iterable[str]) -> list[Located[Question]]:
    """The file's questions; a bare list belongs to the role that the file is named after."""
    if not source.bare or source.stem not in known:
        return source.questions
    return [
        q
        if q.value.role is not None
        else replace(q, value=q.value.model_copy(update={"role": source.stem}))
        for q in source.questions
    ]


def _id(entry: Any) -> str:
    return str(entry.id)


def _gathered(
    lists: Iterable[list[Located[T]]], key: Callable[[T], object], faults: list[Fault]
) -> list[Located[T]]:
    """All entries of all files; the same id in two files of one bank is a fault."""
    first: dict[object, Located[T]] = {}
    for located in (located for entries in lists for located in entries):
        name = key(located.value)
        if name in first:
            says = f"is already used in {first[name].entry.file}"
            faults.append(located.entry.fault(says, "id"))
        else:
            first[name] = located
    return list(first.values())


def _merged(
    under: tuple[T, ...], over: list[Located[T]], key: Callable[[T], object]
) -> tuple[T, ...]:
    merged = {key(entry): entry for entry in under}
    merged.update({key(located.value): located.value for located in over})
    return tuple(merged.values())


def _in_its_field(role: Located[Role], under: Bank) -> Located[Role]:
    """A replaced role stays in its field if it does not name another."""
    old = under.role(role.value.id)
    if old is None or old.field is None or role.value.field is not None:
        return role
    return replace(role, value=role.value.model_copy(update={"field": old.field}))


def _replaced(under: tuple[T, ...], over: list[Located[T]]) -> tuple[T, ...]:
    new = {_id(located.value): located.value for located in over}
    return tuple(new.get(_id(entry), entry) for entry in under)


def _first_of_each(*lists: Iterable[T]) -> tuple[T, ...]:
    found: dict[str, T] = {}
    for entry in (entry for entries in lists for entry in entries):
        found.setdefault(_id(entry), entry)
    return tuple(found.values())


def _with_texts(field: FieldOfWork, common: dict[str, RoundGuide]) -> tuple[RoundGuide, ...]:
    """The rounds of a field; one that is only named has the text for everybody."""
    return tuple(
        common.get(each.id, each) if each.model_fields_set <= {"id", "title"} else each
        for each in field.rounds
    )


def _of_kind(located: Located[Question], rounds: dict[str, RoundGuide]) -> Located[Question]:
    guide = rounds.get(located.value.round)
    if guide is None or guide.kind is None or "kind" in located.entry.data:
        return located
    return replace(located, value=located.value.model_copy(update={"kind": guide.kind}))


@dataclass(frozen=True)
class _Names:
    """What entries may name: fields, rounds and signals."""

    bank: Bank
    declared_fields: set[str]

    def faults(
        self, entry: Entry, data: Mapping[str, Any], role_id: str | None = None
    ) -> Iterator[Fault]:
        """What the fields of a question name, whatever else is wrong with it."""
        role = self.bank.role(role_id or "")
        field = self._field(data.get("field") or (role.field if role else None))
        for at, kinds in (("round", "rounds"), ("opens", "rounds"), ("signals", "signals")):
            known = [each.id for each in getattr(self.bank, kinds)]
            near = [each.id for each in getattr(field, kinds, ())] or known
            for number, name in enumerate(_listed(data.get(at))):
                if name not in known:
                    place = (at,) if at == "round" else (at, number)
                    yield entry.fault(_unknown(name, near), *place)

    def field_faults(self, located: Located[Question] | Located[Role]) -> Iterator[Fault]:
        name = located.value.field
        if name and self._field(name) is None and name not in {*self.declared_fields, EVERYONE}:
            known = [each.id for each in self.bank.fields]
            yield located.entry.fault(f"unknown field {name!r}; one of {', '.join(known)}", "field")

    def round_faults(
        self, entry: Entry, names: Iterable[str], *place: str | int
    ) -> Iterator[Fault]:
        known = [each.id for each in self.bank.rounds]
        for number, name in enumerate(names):
            if name not in known:
                yield entry.fault(_unknown(name, known), *place, "rounds", number)

    def _field(self, name: str | None) -> FieldOfWork | None:
        return next((each for each in self.bank.fields if each.id == name), None)


def _listed(names: Any) -> list[str]:
    """The names in a field; anything else is refused elsewhere."""
    names = names if isinstance(names, (list, tuple)) else [names]
    return [name for name in names if isinstance(name, str)]


def _unknown(name: str, known: Sequence[str]) -> str:
    listed = ", ".join(map(repr, known))
    return f"unknown value {name!r}; one of {listed}{like_one_of(name, known)}"


def _topic_faults(located: Located[Question], known: dict[str, Role]) -> list[Fault]:
    question = located.value
    if question.role is None:
        return []
    role = known.get(question.role)
    if role is None:
        says = f"unknown role {question.role!r}; one of {', '.join(known)}"
        return [located.entry.fault(says, "role")]
    if question.topic not in role.topics:
        topics = ", ".join(role.topics)
        says = f"{question.topic!r} is not a topic of {role.id}; one of {topics}"
        return [located.entry.fault(says, "topic")]
    return []


def _orphan_faults(under: Bank, roles: list[Located[Role]], replaced: set[str]) -> list[Fault]:
    """A replaced role must not remove the topic of a question that stays."""
    new = {located.value.id: located for located in roles}
    return [
        new[q.role].entry.fault(
            f"{q.topic!r} is gone, but question {q.id!r} has it; "
            "keep the topic or replace the question too",
            "topics",
        )
        for q in under.questions
        if q.role in new and q.id not in replaced and q.topic not in new[q.role].value.topics
    ]


def _digest(bank: Bank) -> str:
    """A digest of the content alone, whatever the order of files and the layout of the YAML."""
    content = bank.model_dump(mode="json", exclude={"version"})
    for name in ("fields", "roles", "rounds", "signals", "help", "questions"):
        content[name] = sorted(content.get(name, ()), key=lambda entry: str(entry["id"]))
    content["plan"] = sorted(content["plan"], key=lambda week: int(week["week"]))
    canonical = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return version_of(canonical)
