"""The bank from YAML: the built-in data, with what a personal bank adds or replaces."""

import gc
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from question_bank.errors import BankError, Fault, FileError
from question_bank.files import compiled, yaml_files
from question_bank.models import Bank, Question, Role

if TYPE_CHECKING:  # they import the YAML reader, which a compiled bank does not need
    from question_bank.source import Located, Source

_BUILT_IN = Path(__file__).parent
_ROLES_FOLDER = "roles"
_CODE: Final = tuple(
    _BUILT_IN / f"{name}.py" for name in ("models", "source", "loader", "strict_yaml")
)
_VERSION_DIGITS = 12
"""48 bits of SHA-256: enough to distinguish all banks a person may use, and short enough to
read."""

T = TypeVar("T")


def load_bank(
    extra: Sequence[Path] = (), cache: Path | None = None, own_aliases: Path | None = None
) -> Bank:
    """The built-in bank with the personal banks in ``extra`` on top, the last one topmost.

    An entry of an extra bank replaces the one with the same id, or is added if there is none. The
    built-in data is read once per process; extra banks are read on every call.

    Args:
        extra: folders laid out like ``question_bank/`` (files beside or in ``roles/``), or files.
        cache: a folder that keeps the compiled bank for the next start.
        own_aliases: a file of the candidate's own words for key phrases, on top of all of them.

    Raises:
        BankError: with every fault found in the first bank that has any.
    """
    with _no_collection():
        bank = _loaded(extra, cache)
    if own_aliases is None or not own_aliases.exists():
        return bank
    # imports the YAML reader, which a compiled bank does not need
    from question_bank.own_aliases import read_own_aliases, with_own_aliases

    return with_own_aliases(bank, read_own_aliases(own_aliases))


@contextmanager
def _no_collection() -> Iterator[None]:
    """Searches for no garbage meanwhile.

    Among hundreds of thousands of new objects that stay, the search takes more than half of the
    time and finds nothing.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _loaded(extra: Sequence[Path], cache: Path | None) -> Bank:
    if cache is None:
        return _load(extra)
    try:
        files = [
            file for path in (_BUILT_IN, *extra) for file in yaml_files(Path(path), _ROLES_FOLDER)
        ]
    except FileError:
        return _load(extra)  # which says what is wrong
    return compiled(Bank, files, cache, lambda: _load(extra), _CODE)


def _load(extra: Sequence[Path]) -> Bank:
    bank = _built_in()
    for path in extra:
        bank = lay_over(bank, _sources(Path(path)))
    return bank


def lay_over(under: Bank, sources: "Sequence[Source]") -> Bank:
    """``under`` with one bank on top, as ``load_bank`` does it.

    Args:
        under: the bank below.
        sources: the files of the bank on top.

    Raises:
        BankError: with every fault found.
    """
    faults = [fault for source in sources for fault in source.faults]

    roles = _gathered((s.roles for s in sources), lambda role: role.id, faults)
    known = {role.id: role for role in under.roles} | {r.value.id: r.value for r in roles}
    declared = set().union(*(source.declared_roles for source in sources))
    questions = _gathered((_owned(s, known) for s in sources), lambda q: q.id, faults)
    for located in questions:
        # the questions of a faulty role are not reported one by one
        if located.value.role in known or located.value.role not in declared:
            faults.extend(_topic_faults(located, known))
    faults.extend(_orphan_faults(under, roles, {q.value.id for q in questions}))

    bank = Bank(
        version="",
        roles=_merged(under.roles, roles, lambda role: role.id),
        rounds=_merged(
            under.rounds, _gathered((s.rounds for s in sources), _id, faults), lambda r: r.id
        ),
        signals=_merged(
            under.signals, _gathered((s.signals for s in sources), _id, faults), lambda s: s.id
        ),
        plan=_merged(
            under.plan,
            _gathered((s.plan for s in sources), lambda week: week.week, faults),
            lambda week: week.week,
        ),
        help=_merged(under.help, _gathered((s.help for s in sources), _id, faults), lambda h: h.id),
        questions=_merged(under.questions, questions, lambda q: q.id),
    )
    if faults:
        raise BankError(*faults)
    return bank.model_copy(update={"version": _digest(bank)})


def located_questions(path: Path) -> "list[Located[Question]]":
    """The questions of one bank, each with its place in a file.

    Raises:
        BankError: there is nothing to read.
    """
    return [located for source in _sources(path) for located in source.questions]


@cache
def _built_in() -> Bank:
    empty = Bank(version="", roles=(), rounds=(), signals=(), plan=(), help=(), questions=())
    return lay_over(empty, _sources(_BUILT_IN))


def _sources(path: Path) -> "list[Source]":
    """The files of a bank, in a fixed order."""
    from question_bank.source import read_source

    try:
        files = yaml_files(path, _ROLES_FOLDER)
    except FileError as error:
        raise BankError(*error.faults) from error
    return [read_source(file) for file in files]


def _owned(source: "Source", known: Iterable[str]) -> "list[Located[Question]]":
    """The file's questions; a bare list belongs to the role that the file is named after."""
    from question_bank.source import Located

    if not source.bare or source.stem not in known:
        return source.questions
    return [
        q
        if q.value.role is not None
        else Located(q.value.model_copy(update={"role": source.stem}), q.entry)
        for q in source.questions
    ]


def _id(entry: Any) -> str:
    return str(entry.id)


def _gathered(
    lists: "Iterable[list[Located[T]]]", key: Callable[[T], object], faults: list[Fault]
) -> "list[Located[T]]":
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
    under: tuple[T, ...], over: "list[Located[T]]", key: Callable[[T], object]
) -> tuple[T, ...]:
    merged = {key(entry): entry for entry in under}
    merged.update({key(located.value): located.value for located in over})
    return tuple(merged.values())


def _topic_faults(located: "Located[Question]", known: dict[str, Role]) -> list[Fault]:
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


def _orphan_faults(under: Bank, roles: "list[Located[Role]]", replaced: set[str]) -> list[Fault]:
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
    for name in ("roles", "rounds", "signals", "help", "questions"):
        content[name] = sorted(content[name], key=lambda entry: str(entry["id"]))
    content["plan"] = sorted(content["plan"], key=lambda week: int(week["week"]))
    canonical = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()[:_VERSION_DIGITS]
