"""Faults of a file as data, in plain words, and the errors that carry them."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

NEAR_NAME: Final = 0.7
"""Similarity (``difflib``) from which a name is suggested for another: "alias" for "aliases" has
0.83, "rose" for "roce" 0.75, "roles" for "prompt" 0.36."""

FieldPath = tuple[str | int, ...]
"""Keys and indexes from an entry to a field of it: ``("key_phrases", 0, "phrase")``."""


@dataclass(frozen=True)
class Fault:
    """One fault, and its place.

    Attributes:
        says: what is wrong, in words that follow the name of the place.
        file: the file's name; empty if the fault is in no file.
        entry: the entry's name, e.g. ``question 'rings'``; empty for the file as a whole.
        field: the field within the entry, or within the file if there is no entry.
        line: from 1; ``None`` if unknown.
        column: from 1, likewise.
    """

    says: str
    file: str = ""
    entry: str = ""
    field: FieldPath = ()
    line: int | None = None
    column: int | None = None

    @property
    def text(self) -> str:
        """Entry, field and what is wrong, for a reader who sees file and line elsewhere."""
        return ": ".join(filter(None, (self.entry, dotted(self.field), self.says)))

    def __str__(self) -> str:
        """One line: ``file:47: entry: field: …``; the column too if no entry or field is named."""
        place, at = self.file, ""
        if self.line is not None and not self.entry and not self.field:
            at = f"line {self.line}, column {self.column}"
        elif self.line is not None:
            place = f"{self.file}:{self.line}" if self.file else f"line {self.line}"
        return ": ".join(filter(None, (place, at, self.text)))


class FileError(Exception):
    """A file cannot be used.

    Attributes:
        faults: everything that was found, in the order of the files; ``str`` of the error has one
            line for each.
    """

    def __init__(self, *faults: Fault) -> None:
        self.faults = faults
        super().__init__(*faults)

    def __str__(self) -> str:
        return "\n".join(map(str, self.faults))


def unreadable(label: str, error: OSError) -> FileError:
    """The system's message about a file that cannot be read."""
    return FileError(Fault(f"cannot be read: {error.strerror or error}", label))


class BankError(FileError):
    """A question bank, or a file on top of it, cannot be used."""


class UnknownNameError(BankError):
    """The bank has nothing with the requested name."""


def field_faults(
    error: ValidationError, model: type[BaseModel] | None = None
) -> Iterator[tuple[FieldPath, str]]:
    """Pydantic's findings: the path of each field, and what is wrong in plain words.

    Args:
        error: what was raised.
        model: what was checked; then a value that is missing says which fields it needs itself.
    """
    details = error.errors(include_url=False)
    within = {detail["loc"][:length] for detail in details for length in range(len(detail["loc"]))}
    for detail in details:
        # Pydantic counts valid items only, so a list of one faulty item is "too short" as well.
        if detail["type"] == "too_short" and detail["loc"] in within:
            continue
        path = tuple(part for part in detail["loc"] if part != "[key]")
        says = _says(detail)
        if model is not None and detail["type"] in _WHOLE_VALUES:
            says += _needs(model, path)
        if model is not None and detail["type"] == "extra_forbidden":
            says += like_one_of(str(path[-1]), _names_at(model, path[:-1]))
        yield path, says


def like_one_of(name: str, known: Iterable[str]) -> str:
    """What to add to the fault of an unknown name: the known one that was meant, if one is near."""
    near = get_close_matches(name, list(known), 1, NEAR_NAME)
    return f"; did you mean {near[0]!r}?" if near else ""


def dotted(path: FieldPath) -> str:
    """A path as text: ``key_phrases[0].phrase``."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text


_WHOLE_VALUES: Final = frozenset({"missing", "tuple_type", "too_short", "model_type"})
"""Faults that hide those of the fields inside."""


def _needs(model: type[BaseModel], path: FieldPath) -> str:
    """What the mapping at a path, or each one in the list at it, needs; empty for another value."""
    inner = _model_at(model, path)
    if inner is None or inner is model:
        return ""
    required = [f.alias or n for n, f in inner.model_fields.items() if f.is_required()]
    which = "it" if isinstance(path[-1], int) else "each"
    return f"; {which} needs {', '.join(required)}" if required else ""


def _names_at(model: type[BaseModel], path: FieldPath) -> list[str]:
    inner = _model_at(model, path)
    return [] if inner is None else [f.alias or n for n, f in inner.model_fields.items()]


def _model_at(model: type[BaseModel], path: FieldPath) -> type[BaseModel] | None:
    inner: type[BaseModel] | None = model
    for name in (part for part in path if isinstance(part, str)):
        fields = {} if inner is None else {f.alias or n: f for n, f in inner.model_fields.items()}
        inner = _model_in(fields[name].annotation) if name in fields else None
    return inner


def _model_in(annotation: object) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next(filter(None, map(_model_in, get_args(annotation))), None)


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
    "too_short": lambda detail: f"needs at least {detail['ctx']['min_length']}",
    "too_long": lambda detail: f"has at most {detail['ctx']['max_length']}",
    "model_type": lambda _: "must be a mapping of fields",
    "model_attributes_type": lambda _: "must be a mapping of fields",
    "greater_than_equal": lambda detail: f"must be {detail['ctx']['ge']:g} or more",
    "less_than_equal": lambda detail: f"must be {detail['ctx']['le']:g} or less",
    "int_parsing": lambda _: "must be a whole number",
    "int_from_float": lambda _: "must be a whole number",
    "int_type": lambda _: "must be a whole number",
    "float_parsing": lambda _: "must be a number",
    "float_type": lambda _: "must be a number",
    "literal_error": lambda detail: (
        f"unknown value {detail['input']!r}; one of {detail['ctx']['expected']}"
    ),
    "value_error": lambda detail: str(detail["ctx"]["error"]),
}


def _says(detail: ErrorDetails) -> str:
    plain = _PLAIN_WORDS.get(detail["type"])
    if plain is not None:
        return plain(detail)
    message = " ".join(detail["msg"].split())
    return message[:1].lower() + message[1:]
