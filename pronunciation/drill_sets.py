"""Drill sets: what a learner says, how it is said, and the mistakes to listen for.

Acronyms come from the lexicon by name, so that a replaced term changes its drill too. The items of
the other sets hold their own readings: they are words of daily IT talk, not terms.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Final, Literal, get_args

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    field_validator,
)

from pronunciation.errors import LexiconError
from pronunciation.lexicon_loader import field_faults, load_lexicon, stress_faults
from pronunciation.phones import VOWELS, base_phone, parse_phones
from pronunciation.strict_yaml import read_yaml, yaml_files
from pronunciation.terms import Lexicon, Mistake, Term

__all__ = [
    "DRILLS_FOLDER",
    "SET_NAMES",
    "DrillItem",
    "DrillSet",
    "SetName",
    "load_drills",
    "stressed_syllable",
]

DRILLS_FOLDER: Final = Path(__file__).parent / "drills"

SetName = Literal["acronyms", "silent-letters", "word-stress", "minimal-pairs"]
SET_NAMES: Final[tuple[SetName, ...]] = get_args(SetName)

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Identifier = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=80)]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class DrillItem(_Frozen):
    """One thing to say.

    Attributes:
        id: unique over all sets; results are stored under it.
        set: the set it belongs to.
        prompt: what to say, as it is shown: ``FSDP``, or ``to record`` for the verb.
        term: the word or words of the prompt that are judged.
        say: a respelling for people, stressed syllable in capitals.
        readings: accepted readings in ARPAbet with stress; the first is the one taught.
        mistakes: wrong readings, each with a tip.
        stress: which syllable of the first reading is stressed, from 1; only in ``word-stress``.
        word_class: ``noun``, ``verb`` or ``adjective`` where the stress tells them apart.
        partner: the word it is mistaken for (minimal pairs), or the id of the item with the other
            stress (noun and verb).
        sentence: an example from the trade.
    """

    id: Identifier
    set: SetName
    prompt: Text
    term: Text
    say: Text
    readings: tuple[Text, ...] = Field(min_length=1)
    mistakes: tuple[Mistake, ...] = Field(min_length=1)
    stress: int | None = Field(default=None, ge=1)
    word_class: Literal["noun", "verb", "adjective"] | None = None
    partner: str = ""
    sentence: Text

    @field_validator("readings")
    @classmethod
    def _arpabet(cls, readings: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(" ".join(parse_phones(reading)) for reading in readings)


class DrillSet(_Frozen):
    """The items of one kind, the most useful first."""

    name: SetName
    title: Text
    about: Text
    items: tuple[DrillItem, ...]

    @cached_property
    def _by_id(self) -> dict[str, DrillItem]:
        return {item.id: item for item in self.items}

    def get(self, item_id: str) -> DrillItem | None:
        """The item of this id, or ``None``."""
        return self._by_id.get(item_id)

    def __iter__(self) -> Iterator[DrillItem]:  # type: ignore[override]
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


class _AcronymEntry(_Frozen):
    id: Identifier
    term: Text
    sentence: Text


class _Heading(_Frozen):
    set: SetName
    title: str = ""
    about: str = ""


def stressed_syllable(phones: str) -> int | None:
    """Which syllable carries the main stress, from 1; ``None`` where no digit says so.

    Raises:
        PhoneError: the string is not ARPAbet.
    """
    vowels = [phone for phone in parse_phones(phones) if base_phone(phone) in VOWELS]
    return next((n for n, vowel in enumerate(vowels, start=1) if vowel.endswith("1")), None)


def load_drills(lexicon: Lexicon | None = None, extra: Sequence[Path] = ()) -> dict[str, DrillSet]:
    """All drill sets by name, in the order of ``SET_NAMES``.

    Args:
        lexicon: where the acronyms' readings come from; the built-in one by default.
        extra: YAML files, or folders of them, whose items are added or replaced by id.

    Raises:
        LexiconError: one line for each fault, each naming file, item and field.
    """
    terms = load_lexicon() if lexicon is None else lexicon
    headings: dict[str, _Heading] = {}
    items: dict[str, DrillItem] = {}
    for path in (DRILLS_FOLDER, *extra):
        faults: list[str] = []
        found: dict[str, DrillItem] = {}
        for file in yaml_files(path):
            heading, read = _read(file, terms, faults)
            if heading is not None:
                headings.setdefault(heading.set, heading)
            for item in read:
                if item.id in found:
                    faults.append(f"{file.name}: {item.id}: id: stands there twice")
                found[item.id] = item
        for item in found.values():
            earlier = items.get(item.id)
            if earlier is not None and earlier.set != item.set:
                faults.append(f"{path.name}: {item.id}: id: is taken in the set {earlier.set}")
        if faults:
            raise LexiconError("\n".join(faults))
        items.update(found)
    return {
        name: DrillSet(
            name=name,
            title=headings[name].title,
            about=headings[name].about,
            items=tuple(item for item in items.values() if item.set == name),
        )
        for name in SET_NAMES
    }


def _read(
    file: Path, lexicon: Lexicon, faults: list[str]
) -> tuple[_Heading | None, list[DrillItem]]:
    document = read_yaml(file)
    if not isinstance(document, dict) or not isinstance(document.get("items"), list):
        faults.append(f"{file.name}: must have the fields set and items (a list)")
        return None, []
    try:
        heading = _Heading.model_validate({k: v for k, v in document.items() if k != "items"})
    except ValidationError as error:
        faults += [f"{file.name}: {fault}" for fault in field_faults(error)]
        return None, []
    items: list[DrillItem] = []
    for number, entry in enumerate(document["items"], start=1):
        name = entry.get("id") if isinstance(entry, dict) else None
        place = f"{file.name}: {str(name or f'item {number}')[:80]}"
        if not isinstance(entry, dict):
            faults.append(f"{place}: must be a mapping of fields")
            continue
        try:
            item = _item(entry, heading.set, lexicon)
        except ValidationError as error:
            faults += [f"{place}: {fault}" for fault in field_faults(error)]
        except LexiconError as error:
            faults.append(f"{place}: {error}")
        else:
            faults += [f"{place}: {fault}" for fault in _faults(item)]
            items.append(item)
    return heading, items


def _item(entry: dict[str, Any], name: SetName, lexicon: Lexicon) -> DrillItem:
    if name != "acronyms":
        return DrillItem.model_validate({"prompt": entry.get("term"), **entry, "set": name})
    reference = _AcronymEntry.model_validate(entry)
    term = lexicon.get(reference.term)
    if term is None:
        raise LexiconError(f"term: the lexicon has no term {reference.term!r}")
    if not term.mistakes:
        raise LexiconError(f"term: the lexicon knows no mistake of {reference.term!r} to drill")
    return _from_term(reference, term)


def _from_term(reference: _AcronymEntry, term: Term) -> DrillItem:
    return DrillItem(
        id=reference.id,
        set="acronyms",
        prompt=term.term,
        term=term.term,
        say=term.say,
        readings=term.readings,
        mistakes=term.mistakes,
        sentence=reference.sentence,
    )


def _faults(item: DrillItem) -> list[str]:
    faults: list[str] = []
    for index, reading in enumerate(item.readings):
        faults += [f"readings[{index}]: {fault}" for fault in stress_faults(reading)]
    if len(set(item.readings)) < len(item.readings):
        faults.append("readings: one stands there twice")
    for index, mistake in enumerate(item.mistakes):
        faults += [f"mistakes[{index}].phones: {f}" for f in stress_faults(mistake.phones)]
        if mistake.phones in item.readings:
            faults.append(f"mistakes[{index}].phones: is also an accepted reading")
    if item.term.casefold() not in item.prompt.casefold():
        faults.append(f"prompt: does not hold the term {item.term!r}")
    if item.set == "word-stress" and item.stress != stressed_syllable(item.readings[0]):
        faults.append(
            f"stress: the first reading is stressed on {stressed_syllable(item.readings[0])}"
        )
    if item.set != "word-stress" and (item.stress is not None or item.word_class is not None):
        faults.append("stress, word_class: belong to the set word-stress only")
    if item.set == "minimal-pairs" and not item.partner:
        faults.append("partner: a minimal pair needs the other word")
    return faults
