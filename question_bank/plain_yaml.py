"""YAML from strangers to plain data: safe tags only, bounded size and depth, no aliases."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from question_bank.errors import BankError

__all__ = ["MAX_DEPTH", "MAX_FILE_BYTES", "read_yaml"]

MAX_FILE_BYTES = 2 * 1024 * 1024
"""The built-in role files hold 50 to 100 kB each; this leaves room for twenty times that."""

MAX_DEPTH = 32
"""The schema nests seven levels. libyaml's composer recurses: 200,000 levels crash the process."""

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_OPENING = (yaml.SequenceStartEvent, yaml.MappingStartEvent)
_CLOSING = (yaml.SequenceEndEvent, yaml.MappingEndEvent)


def read_yaml(path: Path, label: str) -> Any:
    """The file's one document as plain lists, mappings and scalars.

    Args:
        path: the file.
        label: how an error names the file.

    Raises:
        BankError: the file cannot be read, is empty, too large, not UTF-8, not YAML, nested too
            deeply, or uses an anchor, an alias, a tag beyond the safe ones or a key twice.
    """
    text = _read_text(path, label)
    try:
        _refuse_depth_and_aliases(text, label)
        loader = _Loader(text)
        try:
            node = loader.get_single_node()
            if node is None:
                raise BankError(f"{label}: is empty")
            _refuse_repeated_keys(node, label)
            return loader.construct_document(node)
        finally:
            loader.dispose()
    except yaml.YAMLError as error:
        raise BankError(f"{label}: {_in_one_line(error)}") from error
    except (ValueError, OverflowError) as error:  # a date or number that looks right and is not
        raise BankError(f"{label}: not valid YAML: {error}") from error


def _read_text(path: Path, label: str) -> str:
    try:
        if not path.is_file():
            raise BankError(f"{label}: there is no such file")
        with path.open("rb") as stream:
            data = stream.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise BankError(f"{label}: cannot be read: {error.strerror or error}") from error
    if len(data) > MAX_FILE_BYTES:
        limit_mib = MAX_FILE_BYTES // (1024 * 1024)
        raise BankError(f"{label}: is larger than {limit_mib} MiB; split it into several files")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BankError(
            f"{label}: is not UTF-8 text (byte {error.start}); save it as UTF-8"
        ) from error


def _refuse_depth_and_aliases(text: str, label: str) -> None:
    """Walk the flat event stream, before anything recursive or expanding sees the text."""
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise BankError(
                f"{label}: {_line(event.start_mark)}YAML anchors (&) and aliases (*) are not "
                "allowed; write the text out, or quote it if it starts with & or *"
            )
        if isinstance(event, _OPENING):
            depth += 1
            if depth > MAX_DEPTH:
                where = _line(event.start_mark)
                raise BankError(f"{label}: {where}is nested deeper than {MAX_DEPTH} levels")
        elif isinstance(event, _CLOSING):
            depth -= 1


def _refuse_repeated_keys(root: yaml.Node, label: str) -> None:
    """YAML keeps the last of two equal keys without a word; a lost question would go unseen."""
    for mapping in _mappings(root):
        seen: set[str] = set()
        for key, _ in mapping.value:
            if not isinstance(key, yaml.ScalarNode):
                continue
            if key.value in seen:
                where = _line(key.start_mark)
                raise BankError(f"{label}: {where}the field {key.value!r} stands there twice")
            seen.add(key.value)


def _mappings(root: yaml.Node) -> Iterator[yaml.MappingNode]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if isinstance(node, yaml.MappingNode):
            yield node
            waiting.extend(value for _, value in node.value)
        elif isinstance(node, yaml.SequenceNode):
            waiting.extend(node.value)


def _line(mark: Any) -> str:
    return f"line {mark.line + 1}: " if mark is not None else ""


def _in_one_line(error: yaml.YAMLError) -> str:
    if isinstance(error, yaml.MarkedYAMLError):
        mark = error.problem_mark or error.context_mark
        where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        what = " ".join(str(error.problem or error.context or "it cannot be parsed").split())
        return f"{where}not valid YAML: {what}"
    return "not valid YAML: " + " ".join(str(error).split())
