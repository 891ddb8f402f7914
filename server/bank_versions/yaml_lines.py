"""Finds the line of an entry in a YAML text, so that a fault can be shown beside it."""

import ast
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import yaml

from pronunciation.errors import LexiconError
from pronunciation.strict_yaml import read_yaml as read_lexicon_yaml
from question_bank.errors import BankError
from question_bank.plain_yaml import read_yaml

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_NAMED: Final = re.compile(r"""(?:question|role) (?P<name>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")""")
_NUMBERED: Final = re.compile(r"(?:questions)?\[(?P<index>\d+)\]")
_FIELD: Final = re.compile(r"\s*(?P<path>[A-Za-z_][\w.\[\]]*): ")
_STEP: Final = re.compile(r"\[(\d+)\]|([A-Za-z_]\w*)")
_SHOWN_NAME: Final = 80
"""How much of a term's name the lexicon's error lines show."""


class YamlLines:
    """The entries of some files as YAML nodes, which know their lines."""

    def __init__(
        self, entries: Mapping[str, Sequence[yaml.Node]], roots: Mapping[str, yaml.Node]
    ) -> None:
        self._entries = entries
        self._roots = roots

    @classmethod
    def of_questions(cls, files: Sequence[Path]) -> "YamlLines":
        """Bank files: lists of questions, or mappings that hold such a list."""
        entries: dict[str, Sequence[yaml.Node]] = {}
        roots: dict[str, yaml.Node] = {}
        for file in files:
            try:
                read_yaml(file, file.name)  # only what is neither deep nor aliased is composed
            except BankError:
                continue
            roots[file.name] = root = _compose(file)
            found = root if isinstance(root, yaml.SequenceNode) else _value(root, "questions")
            entries[file.name] = found.value if isinstance(found, yaml.SequenceNode) else ()
        return cls(entries, roots)

    @classmethod
    def of_terms(cls, file: Path) -> "YamlLines":
        """A lexicon file: a list of terms."""
        try:
            read_lexicon_yaml(file)
        except LexiconError:
            return cls({}, {})
        root = _compose(file)
        entries = root.value if isinstance(root, yaml.SequenceNode) else ()
        return cls({file.name: entries}, {file.name: root})

    def of_question(self, question_id: str, field: str = "") -> int | None:
        """The line of a question, or of a field of it."""
        for entries in self._entries.values():
            for entry in entries:
                if _text(_value(entry, "id")) == question_id:
                    return _line_at(entry, field)
        return None

    def of_problem(self, file: str, problem: str) -> int | None:
        """The line of the entry and field that a loader's error line names."""
        root = self._roots.get(file)
        if root is None:
            return None
        entry, rest = self._named(file, problem)
        field = _FIELD.match(rest)
        return _line_at(entry if entry is not None else root, field["path"] if field else "")

    def _named(self, file: str, problem: str) -> tuple[yaml.Node | None, str]:
        entries = self._entries.get(file, ())
        numbered = _NUMBERED.match(problem)
        if numbered:
            index = int(numbered["index"])
            found = entries[index] if index < len(entries) else None
            return found, problem[numbered.end() :]
        named = _NAMED.match(problem)
        if named:
            name = str(ast.literal_eval(named["name"]))
            same = [each for each in entries if _text(_value(each, "id")) == name]
            return _meant(same, problem), problem[named.end() :]
        label, same = "", []
        for number, entry in enumerate(entries, start=1):
            term = _text(_value(entry, "term"))
            each = f"entry {number}" if term is None else term[:_SHOWN_NAME]
            if problem.startswith(f"{each}: ") and len(each) >= len(label):
                same = [*same, entry] if each == label else [entry]
                label = each
        return _meant(same, problem), problem[len(label) + 2 :] if same else problem


def _meant(same: Sequence[yaml.Node], problem: str) -> yaml.Node | None:
    """Of entries with the same name the first, or the last if having two is the fault."""
    if not same:
        return None
    return same[-1] if "is used" in problem or "stands already" in problem else same[0]


def _compose(file: Path) -> yaml.Node:
    loader = _Loader(file.read_text(encoding="utf-8-sig"))
    try:
        node: yaml.Node = loader.get_single_node()
        return node
    finally:
        loader.dispose()


def _value(node: yaml.Node | None, key: str) -> yaml.Node | None:
    pair = _pair(node, key)
    return None if pair is None else pair[1]


def _pair(node: yaml.Node | None, key: str) -> tuple[yaml.Node, yaml.Node] | None:
    if isinstance(node, yaml.MappingNode):
        for name, value in node.value:
            if _text(name) == key:
                return name, value
    return None


def _text(node: yaml.Node | None) -> str | None:
    return str(node.value) if isinstance(node, yaml.ScalarNode) else None


def _line_at(node: yaml.Node, path: str) -> int:
    """The line of ``key_phrases[2].phrase`` within a node, or of as much of it as there is."""
    line: int = node.start_mark.line + 1
    for index, name in _STEP.findall(path):
        if name:
            pair = _pair(node, name)
            if pair is None:
                break
            key, node = pair
            line = key.start_mark.line + 1
        elif isinstance(node, yaml.SequenceNode) and int(index) < len(node.value):
            node = node.value[int(index)]
            line = node.start_mark.line + 1
        else:
            break
    return line
