"""The reader of YAML that people write: strict, bounded, with the place of every value.

The bank, the lexicon, the drills and the server's bank editor use it. It refuses what YAML allows
but nobody means: a repeated key (YAML silently keeps the last), anchors and aliases (a small file
of them expands to gigabytes), tags beyond the safe ones, and deep nesting.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from question_bank.errors import Fault, FieldPath, FileError, field_faults, unreadable

MAX_FILE_BYTES: Final = 2 * 1024 * 1024
"""The built-in role files hold 50 to 100 kB each; a lexicon of 2,000 full entries is about 1 MB."""

MAX_DEPTH: Final = 32
"""The schemas nest seven levels. libyaml's composer recurses, so 200,000 levels crash the
process."""
_TOO_DEEP: Final = f"is nested deeper than {MAX_DEPTH} levels"
_SECOND_DOCUMENT: Final = "but found another document"
"""What PyYAML reports at a line of ``---``."""
_HINTS: Final = {
    "mapping values are not allowed in this context": (
        "if a text has a colon with a space behind it, put the text in quotes; otherwise check how "
        "far the line is indented"
    ),
    "found a tab character that violates indentation": "indent with spaces",
    "did not find expected '-' indicator": "what is on one level is indented alike",
    "did not find expected key": "what is on one level is indented alike",
}
"""What people did who get these messages of libyaml."""
_OPEN_QUOTE: Final = "while scanning a quoted scalar"
_LIMIT_OF_LIBYAML: Final = "exceeded maximum nesting depth"
"""What PyYAML 6.0.4 reports from 1,000 levels on, before it yields an event."""

_OPENING: Final = (yaml.SequenceStartEvent, yaml.MappingStartEvent)
_CLOSING: Final = (yaml.SequenceEndEvent, yaml.MappingEndEvent)
_SafeLoader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

M = TypeVar("M", bound=BaseModel)


class _Loader(_SafeLoader):  # type: ignore[misc]
    """Safe YAML; a scalar that looks like a number or date but is none has a place."""


def _placed(construct: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def constructed(loader: Any, node: yaml.Node) -> Any:
        try:
            return construct(loader, node)
        except (ArithmeticError, AttributeError, LookupError, ValueError) as error:
            says = str(error) if isinstance(error, ValueError) else f"{node.value!r} has no value"
            raise yaml.constructor.ConstructorError(None, None, says, node.start_mark) from error

    return constructed


for _tag in map("tag:yaml.org,2002:{}".format, ("bool", "int", "float", "timestamp")):
    _Loader.add_constructor(_tag, _placed(_SafeLoader.yaml_constructors[_tag]))


class _Source:
    """A text parsed again for the place of a fault, because faults are rare and nodes large."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def node(self) -> yaml.Node:
        node: yaml.Node = _compose(self._text)
        return node


@dataclass(frozen=True)
class Entry:
    """A value in a YAML file, and its place.

    Attributes:
        data: plain lists, mappings and scalars.
        file: how faults name the file.
        source: the whole file's text, which gives lines and columns.
        path: the keys and indexes that lead to the value.
        name: how faults name the entry; empty for the file as a whole.
    """

    data: Any
    file: str
    source: _Source
    path: FieldPath = ()
    name: str = ""

    def items(self) -> "list[Entry]":
        """The items of a list; none if this is not a list."""
        if not isinstance(self.data, list):
            return []
        return [
            replace(self, data=data, path=(*self.path, index))
            for index, data in enumerate(self.data)
        ]

    def get(self, key: str) -> "Entry | None":
        """A mapping's value; ``None`` if this is not a mapping or has no such key."""
        if not isinstance(self.data, dict) or key not in self.data:
            return None
        return replace(self, data=self.data[key], path=(*self.path, key))

    def place(self, *field: str | int) -> tuple[int, int]:
        """Line and column, from 1, of a field, or of as much of its path as exists."""
        node = self.source.node
        mark = node.start_mark
        for part in (*self.path, *field):
            pair = _pair(node, part)
            if pair is not None:
                mark, node = pair[0].start_mark, pair[1]
            elif (
                isinstance(node, yaml.SequenceNode)
                and isinstance(part, int)
                and part < len(node.value)
            ):
                node = node.value[part]
                mark = node.start_mark
            else:
                break
        return mark.line + 1, mark.column + 1

    def fault(self, says: str, *field: str | int) -> Fault:
        line, column = self.place(*field)
        return Fault(says, self.file, self.name, field, line, column)

    def check(self, model: type[M], faults: list[Fault]) -> M | None:
        """The data as a model; what is wrong with it is added to ``faults``."""
        try:
            return model.model_validate(self.data)
        except ValidationError as error:
            faults += [self.fault(says, *path) for path, says in field_faults(error, model)]
            return None


def read_yaml(path: Path, label: str = "") -> Entry:
    """A file's one document.

    Args:
        path: the file.
        label: how faults name the file; by default, its path.

    Raises:
        FileError: the file cannot be read, is empty, too large, not UTF-8, not YAML, nested too
            deeply, or uses an anchor, an alias, a tag beyond the safe ones or a key twice.
    """
    label = label or str(path)
    return parse_yaml(_read_text(path, label), label)


def parse_yaml(text: str, label: str) -> Entry:
    """The one document of a text; ``label`` is how faults name it.

    Raises:
        FileError: as for ``read_yaml``.
    """
    text = text.removeprefix("\ufeff")
    try:
        _refuse_depth_and_aliases(text, label)
        node = _compose(text)
        if node is None:
            raise FileError(Fault("is empty", label))
        _refuse_repeated_keys(node, label)
        return Entry(_Loader("").construct_document(node), label, _Source(text))
    except yaml.YAMLError as error:
        raise FileError(_of_parser(error, text, label)) from error


def _compose(text: str) -> Any:
    """The text's only node; ``None`` if it is empty."""
    loader = _Loader(text)
    try:
        return loader.get_single_node()
    finally:
        loader.dispose()


def _read_text(path: Path, label: str) -> str:
    try:
        if not path.is_file():
            raise FileError(Fault("there is no such file", label))
        with path.open("rb") as stream:
            data = stream.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise unreadable(label, error) from error
    if len(data) > MAX_FILE_BYTES:
        limit_mib = MAX_FILE_BYTES // (1024 * 1024)
        raise FileError(
            Fault(f"is larger than {limit_mib} MiB; split it into several files", label)
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        says = f"is not UTF-8 text (byte {error.start}); save it as UTF-8"
        raise FileError(Fault(says, label)) from error


def _refuse_depth_and_aliases(text: str, label: str) -> None:
    """Walk the flat event stream before anything recursive or expanding reads the text."""
    depth = 0
    for event in yaml.parse(text, Loader=_SafeLoader):
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            says = (
                "YAML anchors (&) and aliases (*) are not allowed; write the text out, or quote it "
                "if it starts with & or *"
            )
            raise FileError(_marked(says, label, event.start_mark))
        if isinstance(event, _OPENING):
            depth += 1
            if depth > MAX_DEPTH:
                raise FileError(_marked(_TOO_DEEP, label, event.start_mark))
        elif isinstance(event, _CLOSING):
            depth -= 1


def _refuse_repeated_keys(root: yaml.Node, label: str) -> None:
    faults = []
    for mapping in _mappings(root):
        seen: set[str] = set()
        for key, _ in mapping.value:
            if not isinstance(key, yaml.ScalarNode):
                continue
            if key.value in seen:
                says = f"the field {key.value!r} appears twice"
                faults.append(_marked(says, label, key.start_mark))
            seen.add(key.value)
    if faults:
        raise FileError(*sorted(faults, key=lambda each: each.line or 0))


def _mappings(root: yaml.Node) -> Iterator[yaml.MappingNode]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if isinstance(node, yaml.MappingNode):
            yield node
            waiting.extend(value for _, value in node.value)
        elif isinstance(node, yaml.SequenceNode):
            waiting.extend(node.value)


def _pair(node: yaml.Node, key: str | int) -> tuple[yaml.Node, yaml.Node] | None:
    if isinstance(node, yaml.MappingNode):
        for name, value in node.value:
            if isinstance(name, yaml.ScalarNode) and name.value == str(key):
                return name, value
    return None


def _marked(says: str, label: str, mark: Any) -> Fault:
    if mark is None:
        return Fault(says, label)
    return Fault(says, label, line=mark.line + 1, column=mark.column + 1)


def _of_parser(error: yaml.YAMLError, text: str, label: str) -> Fault:
    if isinstance(error, yaml.MarkedYAMLError):
        what = error.problem or error.context or "it cannot be parsed"
        says = f"not valid YAML: {' '.join(what.split())}"
        if what in _HINTS:
            says += f"; {_HINTS[what]}"
        if what == _LIMIT_OF_LIBYAML:
            says = _TOO_DEEP
        if what == _SECOND_DOCUMENT:
            says = (
                "not valid YAML: a file holds one document; put what follows '---' in its own file"
            )
        if error.context == _OPEN_QUOTE and error.context_mark is not None:
            says = "not valid YAML: the quote that opens here is not closed"
            return _marked(says, label, error.context_mark)
        return _marked(says, label, error.problem_mark or error.context_mark)
    if isinstance(error, yaml.reader.ReaderError):
        before = text.encode()[: error.position].decode(errors="ignore")
        line, column = before.count("\n") + 1, len(before.rpartition("\n")[2]) + 1
        return Fault(f"not valid YAML: {error.reason}", label, line=line, column=column)
    return Fault(f"not valid YAML: {' '.join(str(error).split())}", label)
