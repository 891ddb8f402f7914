"""A person's own drill items: validated, and kept as YAML in the data folder."""

import hashlib
import re
import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final

import yaml
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    field_validator,
)

from client.core.durable_file import write_durably
from client.core.errors import DrillError
from pronunciation.lexicon_loader import reading_faults
from pronunciation.phones import parse_phones
from pronunciation.terms import Mistake
from question_bank.errors import Fault, FileError, field_faults
from question_bank.strict_yaml import read_yaml

OWN_SET: Final = "own"
"""The set of what names no other."""

MAX_READINGS: Final = 20
"""The lexicon's richest term has 16; the hearing's cost grows with each."""

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=300)]
_NOT_IN_NAMES = re.compile(r"[^a-z0-9]+")


def _name(text: str) -> str:
    if not text or text != _NOT_IN_NAMES.sub("-", text).strip("-"):
        raise ValueError("must be lowercase letters, digits and single hyphens, such as my-terms")
    return text


Name = Annotated[str, StringConstraints(max_length=80), AfterValidator(_name)]


class OwnItem(BaseModel):
    """One of the person's own items; its fields are those of a built-in one."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: Name
    set: Name = OWN_SET
    term: Text
    prompt: Text
    say: Text
    readings: tuple[Text, ...] = Field(max_length=MAX_READINGS)
    mistakes: tuple[Mistake, ...] = Field(max_length=MAX_READINGS)
    sentence: Annotated[str, StringConstraints(strip_whitespace=True, max_length=500)] = ""

    @field_validator("readings")
    @classmethod
    def _arpabet(cls, readings: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(" ".join(parse_phones(reading)) for reading in readings)


def item_id(set_name: str, prompt: str) -> str:
    """The id of an item that brings none: the same prompt in the same set keeps its schedule."""
    plain = unicodedata.normalize("NFKD", prompt.strip().casefold())
    slug = _NOT_IN_NAMES.sub("-", plain).strip("-")[:60].strip("-")
    if slug.replace("-", " ") != prompt.strip().casefold():  # "C++" is not "C"
        slug = f"{slug}-{hashlib.sha256(prompt.strip().encode()).hexdigest()[:6]}".strip("-")
    group = _NOT_IN_NAMES.sub(
        "-", set_name.casefold()
    )  # a wrong one is reported with its own field
    return f"{group}-{slug}"[:80].strip("-")


def own_item(values: Mapping[str, Any]) -> OwnItem | list[str]:
    """The item of these fields, or its faults, each beginning with the field's name."""
    try:
        item = OwnItem.model_validate(dict(values))
    except ValidationError as error:
        return [_short(Fault(says, field=at).text) for at, says in field_faults(error)]
    faults = [
        f"{name}: needs at least one"
        for name in ("readings", "mistakes")
        if not getattr(item, name)
    ]
    for at, says in reading_faults(item.readings, item.mistakes):
        faults.append(f"{at[0]}: {says}")
    if item.term.casefold() not in item.prompt.casefold():
        faults.append(f"prompt: does not contain the term {item.term!r}")
    return faults or item


def read_own_items(path: Path) -> tuple[OwnItem, ...]:
    """The items kept in a file; none if there is no such file.

    Raises:
        DrillError: the file is not valid; one line for each fault.
    """
    if not path.exists():
        return ()
    try:
        document = read_yaml(path, path.name).data
    except FileError as error:
        raise DrillError(f"{error}; correct or delete {path}") from error
    if not isinstance(document, list):
        raise DrillError(f"{path}: must be a list of items; correct or delete it")
    items: dict[str, OwnItem] = {}
    faults: list[str] = []
    for number, entry in enumerate(document, start=1):
        place = f"{path}: item {number}"
        found = own_item(entry) if isinstance(entry, dict) else ["must be a mapping of fields"]
        if isinstance(found, list):
            faults += [f"{place}: {fault}" for fault in found]
        elif found.id in items:
            faults.append(f"{place}: id: {found.id!r} appears twice")
        else:
            items[found.id] = found
    if faults:
        raise DrillError("\n".join(faults))
    return tuple(items.values())


def write_own_items(path: Path, items: Sequence[OwnItem]) -> None:
    """Keep these items, in the place of all that were there.

    Raises:
        DrillError: the file cannot be written.
    """
    text = yaml.safe_dump(
        [item.model_dump(mode="json") for item in items], allow_unicode=True, sort_keys=False
    )
    try:
        write_durably(path, text.encode("utf-8"))
    except OSError as error:
        raise DrillError(f"{path} cannot be written: {error.strerror}") from error


def _short(fault: str) -> str:
    return " ".join(fault.split())[:300]
