"""A program's own bank and lexicon as people write them: YAML text in, checked entries out.

The readers of the bank and of the lexicon check it, so a text has the same faults, with line
numbers, as a file has in ``aloud bank validate`` and ``aloud lexicon validate``. One question can
be replaced in place, or added: whatever does not change keeps its lines, comments and line breaks.
A comment is lost only inside a value that changes, or above a list item that is removed.
"""

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import yaml

from pronunciation.lexicon_loader import LexiconError, parse_terms, with_terms
from pronunciation.terms import Lexicon, Term
from question_bank.errors import BankError, FieldPath, FileError
from question_bank.loader import lay_over
from question_bank.models import Bank, Question
from question_bank.source import parse_source
from question_bank.strict_yaml import Entry, parse_yaml
from server.core.errors import InvalidInputError

MAX_TEXT_BYTES: Final = 1024 * 1024
"""The largest built-in role file has 100 kB; nobody types more than this into a form field."""

MAX_DOCUMENTS: Final = 100

_DOCUMENT_START: Final = re.compile(r"^---(?=\s|$)", re.MULTILINE)
_LABEL: Final = "this text"


Part = Literal["bank", "lexicon"]


@dataclass(frozen=True)
class Fault:
    """A fault in a text; ``line`` counts from 1, ``None``: not in any line.

    ``text`` names entry, field and fault; ``path`` is the field, ``says`` the fault.
    """

    part: Part
    line: int | None
    text: str
    path: FieldPath = field(default=(), compare=False)
    says: str = field(default="", compare=False)


class DraftError(Exception):
    """The texts are not a valid bank and lexicon.

    Attributes:
        faults: all of them, in the order of their lines.
    """

    def __init__(self, faults: list[Fault]) -> None:
        self.faults = sorted(faults, key=lambda each: (each.part, each.line or 0))
        super().__init__("\n".join(each.text for each in self.faults))


@dataclass(frozen=True)
class Draft:
    """The content of the texts, on top of the bank and the lexicon below them.

    Attributes:
        bank: the whole bank.
        lexicon: the whole lexicon.
        questions: those that the text adds or replaces.
        terms: likewise for the lexicon.
        answer_lines: the line of each question's model answer in the text.
    """

    bank: Bank
    lexicon: Lexicon
    questions: tuple[Question, ...]
    terms: tuple[Term, ...]
    answer_lines: Mapping[str, int]


def read_draft(below: tuple[Bank, Lexicon], bank_yaml: str, lexicon_yaml: str) -> Draft:
    """Both texts, with their form checked.

    Args:
        below: the bank and the lexicon that they add to.
        bank_yaml: one or more documents, separated by lines of ``---``, each in one of the formats
            of a bank file; may be empty.
        lexicon_yaml: a list of terms; may be empty.

    Raises:
        DraftError: with every fault found.
    """
    bank, lexicon = below
    faults = [
        Fault(part, None, refusal)
        for part, text in _parts(bank_yaml, lexicon_yaml)
        if (refusal := _refusal(text)) is not None
    ]
    if faults:
        raise DraftError(faults)
    sources = [parse_source(document, _LABEL) for document in documents_of(bank_yaml)]
    terms: tuple[Term, ...] = ()
    try:
        if sources:
            bank = lay_over(bank, sources)
    except BankError as error:
        faults += _faults("bank", error)
    try:
        if lexicon_yaml.strip():
            terms = parse_terms(lexicon_yaml, _LABEL)
    except LexiconError as error:
        faults += _faults("lexicon", error)
    if faults:
        raise DraftError(faults)
    was = {question.id: question for question in below[0].questions}
    return Draft(
        bank=bank,
        lexicon=with_terms(lexicon.terms, terms) if terms else lexicon,
        questions=tuple(each for each in bank.questions if was.get(each.id) != each),
        terms=terms,
        answer_lines={
            each.value.id: each.entry.place("model_answer")[0]
            for source in sources
            for each in source.questions
        },
    )


def _parts(bank_yaml: str, lexicon_yaml: str) -> tuple[tuple[Part, str], tuple[Part, str]]:
    return ("bank", bank_yaml), ("lexicon", lexicon_yaml)


def _refusal(text: str) -> str | None:
    try:
        size = len(text.encode("utf-8"))
    except UnicodeEncodeError:
        return "is not text that can be written as UTF-8"
    if size > MAX_TEXT_BYTES:
        return f"is larger than {MAX_TEXT_BYTES // 1024} KiB"
    return None


def documents_of(text: str) -> list[str]:
    """Each document, with empty lines before it so that its line numbers are those of the text.

    A line of ``---`` separates documents wherever it appears in YAML, also in a block of text.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    starts = [0, *(match.start() for match in _DOCUMENT_START.finditer(text)), len(text)]
    documents = [
        "\n" * text.count("\n", 0, start) + text[start:end]
        for start, end in itertools.pairwise(starts)
        if text[start:end].removeprefix("---").strip()
    ]
    if len(documents) > MAX_DOCUMENTS:
        raise DraftError([Fault("bank", None, f"has more than {MAX_DOCUMENTS} documents")])
    return documents


def _faults(part: Part, error: FileError) -> list[Fault]:
    return [Fault(part, each.line, each.text, each.field, each.says) for each in error.faults]


LINE_CHARS: Final = 100
"""The width at which new text is wrapped, as in the built-in bank's files."""

_ORDER: Final = {
    field.alias or name: number
    for number, (name, field) in enumerate(Question.model_fields.items())
}
_NAMES: Final = ("phrase", "name")
"""The field that identifies an item of a list, if it has one."""

_OTHER_LAYOUT: Final = (
    "the question {!r} is written in braces, which the form cannot keep; edit it as text"
)


@dataclass(frozen=True)
class QuestionEntry:
    """A question as it is in the text.

    Attributes:
        data: its fields, as YAML reads them.
        role: the role it belongs to, from its own field or its document's.
        node: the same in the parser's tree, which knows the lines.
    """

    data: Mapping[str, Any]
    role: str | None
    node: yaml.Node


@dataclass(frozen=True)
class EditedText:
    """A text with a question inserted; lines count from 1."""

    text: str
    first_line: int
    last_line: int


@dataclass(frozen=True)
class _Listed:
    """The questions of one document."""

    role: str | None
    data: list[Any]
    node: yaml.SequenceNode


def find_question(text: str, question_id: str) -> QuestionEntry | None:
    """The question in the text; ``None``: the text does not have it, or cannot be read."""
    for listed in _lists(text):
        for data, node in zip(listed.data, listed.node.value, strict=True):
            if isinstance(data, dict) and data.get("id") == question_id:
                return QuestionEntry(data, data.get("role") or listed.role, node)
    return None


def put_question(text: str, wanted: Mapping[str, Any], role: str | None) -> EditedText:
    """The text with a question that replaces the one with its id, or is added.

    Args:
        text: a version's text.
        wanted: the question's fields, as in YAML.
        role: a new question goes to the others of this role; ``None``: to those without a role.

    Raises:
        InvalidInputError: the question is there in a layout that cannot be replaced line by line.
    """
    lines = text.split("\n")
    found = find_question(text, str(wanted.get("id", "")))
    if found is None:
        return _added(lines, wanted, role)
    if not _is_block(found.node) or not _has_dash(lines, found.node):
        raise InvalidInputError(_OTHER_LAYOUT.format(wanted["id"]))
    first, last = found.node.start_mark.line, _last_line(lines, found.node, 0)
    made = _mapping(lines, found.node, found.data, wanted)
    new = [*lines[:first], *made, *lines[last + 1 :]]
    return EditedText("\n".join(new), first + 1, first + len(made))


def _lists(text: str) -> list[_Listed]:
    found = []
    for document in documents_of(text):
        try:
            entry: Entry | None = parse_yaml(document, "")
        except FileError:
            continue
        assert entry is not None
        role: str | None = None
        node: yaml.Node | None = entry.source.node
        if isinstance(entry.data, dict):
            role = entry.data.get("role") or entry.data.get("id")
            pairs = entry.source.node.value
            node = next((value for key, value in pairs if key.value == "questions"), None)
            entry = entry.get("questions")
        if entry is not None and isinstance(node, yaml.SequenceNode):
            found.append(_Listed(role, entry.data, node))
    return found


def _added(lines: list[str], wanted: Mapping[str, Any], role: str | None) -> EditedText:
    """After the last question of the same role, or in a document of its own."""
    for listed in _lists("\n".join(lines)):
        if listed.role == role and listed.node.value and _is_block(listed.node):
            last = _last_line(lines, listed.node, 0)
            made = _item(wanted, listed.node.start_mark.column)
            new = [*lines[: last + 1], *made, *lines[last + 1 :]]
            return EditedText("\n".join(new), last + 2, last + 1 + len(made))
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    head = [*(["---"] if lines else []), *([] if role is None else [f"role: {role}", "questions:"])]
    made = _item(wanted, 0 if role is None else 2)
    before = [*lines, *head]
    return EditedText("\n".join([*before, *made, ""]), len(before) + 1, len(before) + len(made))


def _mapping(
    lines: list[str], node: yaml.Node, old: Mapping[str, Any], wanted: Mapping[str, Any]
) -> list[str]:
    """The lines of a mapping with new content; the first keeps its beginning (``- `` in a list)."""
    first, column = node.start_mark.line, node.start_mark.column
    chunks: dict[str, list[str]] = {}
    at = first
    for key, value in node.value:
        begin, name = key.start_mark.line, key.value
        end = _last_line(lines, value, key.start_mark.column)
        kept = lines[at:begin]  # comments above it
        if name in wanted:
            kept = kept + _field(lines, (key, value), old[name], wanted[name])
        chunks[name] = kept
        at = end + 1
    for name in wanted:
        if name not in chunks:
            place = sum(1 for each in chunks if _ORDER.get(each, 0) < _ORDER.get(name, 99))
            entries = list(chunks.items())
            entries.insert(place, (name, _dumped({name: wanted[name]}, column)))
            chunks = dict(entries)
    made = [line for chunk in chunks.values() for line in chunk]
    made[0] = lines[first][:column] + made[0][column:]
    return made


def _field(lines: list[str], pair: tuple[yaml.Node, yaml.Node], old: Any, wanted: Any) -> list[str]:
    key, node = pair
    begin, column = key.start_mark.line, key.start_mark.column
    if _same(old, wanted):
        return lines[begin : _last_line(lines, node, column) + 1]
    both_lists = isinstance(wanted, list) and isinstance(old, list) and wanted and old
    if both_lists and _is_block(node) and all(_has_dash(lines, each) for each in node.value):
        return [lines[begin], *_sequence(lines, (begin + 1, node), old, wanted)]
    return _dumped({key.value: wanted}, column)


def _sequence(
    lines: list[str], place: tuple[int, yaml.Node], old: list[Any], wanted: Sequence[Any]
) -> list[str]:
    """The lines of a list with new items; a comment above an item moves with it."""
    above: list[list[str]] = []
    at, node = place
    for item in node.value:
        above.append(lines[at : item.start_mark.line])
        at = _last_line(lines, item, node.start_mark.column) + 1
    left = set(range(len(old)))
    made: list[str] = []
    for each in wanted:
        equal = next((n for n in sorted(left) if _same(old[n], each)), None)
        number = next((n for n in sorted(left) if _named(old[n], each)), None)
        number = number if equal is None else equal
        if number is None:
            made += _item(each, node.start_mark.column)
            continue
        left.remove(number)
        item = node.value[number]
        made += above[number]
        if equal is not None:
            end = _last_line(lines, item, node.start_mark.column)
            made += lines[item.start_mark.line : end + 1]
        elif _is_block(item):
            made += _mapping(lines, item, old[number], each)
        else:
            made += _item(each, node.start_mark.column)
    return made


def _named(old: Any, new: Any) -> bool:
    if not isinstance(old, dict) or not isinstance(new, dict):
        return False
    return any(name in old and _same(old[name], new.get(name)) for name in _NAMES)


def _same(old: Any, new: Any) -> bool:
    """Whether the form means what is there; it shows neither line ends nor number formats."""
    if isinstance(old, str) and isinstance(new, str):
        return old.strip() == new.strip()
    if isinstance(old, dict) and isinstance(new, dict):
        return old.keys() == new.keys() and all(_same(old[key], new[key]) for key in old)
    if isinstance(old, list) and isinstance(new, list):
        return len(old) == len(new) and all(map(_same, old, new))
    return bool(old == new) and isinstance(old, bool) == isinstance(new, bool)


def _last_line(lines: list[str], node: yaml.Node, column: int) -> int:
    """The line with the node's last character, from 0; ``column`` is that of its key or hyphen."""
    if isinstance(node, yaml.ScalarNode) and node.style in ("|", ">"):
        last = at = node.start_mark.line
        while at + 1 < len(lines):
            at += 1
            if not lines[at].strip():
                continue
            if len(lines[at]) - len(lines[at].lstrip(" ")) <= column:
                break
            last = at
        return last
    if _is_block(node):
        if isinstance(node, yaml.MappingNode):
            key, value = node.value[-1]
            return _last_line(lines, value, key.start_mark.column)
        return _last_line(lines, node.value[-1], node.start_mark.column)
    end: int = node.end_mark.line
    return end


def _is_block(node: yaml.Node) -> bool:
    """Whether it is a list or a mapping that is written line by line, not in brackets."""
    return isinstance(node, yaml.CollectionNode) and bool(node.value) and not node.flow_style


def _has_dash(lines: list[str], node: yaml.Node) -> bool:
    return lines[node.start_mark.line][: node.start_mark.column].strip() == "-"


class _Dumper(yaml.SafeDumper):
    """Block style throughout; items are indented under their key, and long texts are folded."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.Node:
    style = "|" if "\n" in text else ">" if len(text) > LINE_CHARS - 20 else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)


def _item(value: Any, column: int) -> list[str]:
    return _dumped([value], column)


def _dumped(value: Any, column: int) -> list[str]:
    text = yaml.dump(
        value, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=LINE_CHARS - column
    )
    return [f"{' ' * column}{line}".rstrip() for line in text.rstrip("\n").split("\n")]
