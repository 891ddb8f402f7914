"""Drill sets: what a learner says, how it is said, and the mistakes to listen for.

Acronyms come from the lexicon by name, so a replaced term changes its drill too. The items of the
other sets have their own readings, because they are words of everyday IT talk, not terms.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Final, Literal, get_args

from pydantic import Field, StringConstraints

from pronunciation.lexicon_loader import (
    LexiconError,
    load_lexicon,
    named,
    read_documents,
    reading_faults,
)
from pronunciation.phones import parse_phones, stressed_vowel
from pronunciation.terms import Frozen, Lexicon, Mistake, Phones, Term, Text
from question_bank.errors import Fault, FieldPath
from question_bank.strict_yaml import Entry

DRILLS_FOLDER: Final = Path(__file__).parent / "drills"

SetName = Literal["acronyms", "silent-letters", "word-stress", "minimal-pairs"]
SET_NAMES: Final[tuple[SetName, ...]] = get_args(SetName)

Identifier = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=80)]


class DrillItem(Frozen):
    """One thing to say.

    Attributes:
        id: unique across all sets; results are stored under it.
        set: the set it belongs to.
        prompt: what to say, as shown: ``FSDP``, or ``to record`` for the verb.
        term: the word or words of the prompt that are judged.
        say: a respelling for people, stressed syllable in capitals.
        readings: accepted readings in ARPAbet with stress; the first is the one taught.
        mistakes: wrong readings, each with a tip.
        stress: which syllable of the first reading is stressed, from 1; only in ``word-stress``.
        word_class: ``noun``, ``verb`` or ``adjective`` if the stress distinguishes them.
        partner: the word it is mistaken for (minimal pairs), or the id of the item with the other
            stress (noun and verb).
        sentence: an example sentence from the field.
    """

    id: Identifier
    set: SetName
    prompt: Text
    term: Text
    say: Text
    readings: tuple[Phones, ...] = Field(min_length=1)
    mistakes: tuple[Mistake, ...] = Field(min_length=1)
    stress: int | None = Field(default=None, ge=1)
    word_class: Literal["noun", "verb", "adjective"] | None = None
    partner: str = ""
    sentence: Text


class DrillSet(Frozen):
    """The items of one kind, the most useful first."""

    name: SetName
    title: Text
    about: Text
    items: tuple[DrillItem, ...]

    @cached_property
    def _by_id(self) -> dict[str, DrillItem]:
        return {item.id: item for item in self.items}

    def get(self, item_id: str) -> DrillItem | None:
        return self._by_id.get(item_id)

    def __iter__(self) -> Iterator[DrillItem]:  # type: ignore[override]
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


class _AcronymEntry(Frozen):
    id: Identifier
    term: Text
    sentence: Text


class _Heading(Frozen):
    set: SetName
    title: str = ""
    about: str = ""


def stressed_syllable(phones: str) -> int | None:
    """Which syllable carries the main stress, from 1; ``None`` if no digit says so.

    Raises:
        PhoneError: the string is not ARPAbet.
    """
    index = stressed_vowel(parse_phones(phones))
    return None if index is None else index + 1


def load_drills(lexicon: Lexicon | None = None, extra: Sequence[Path] = ()) -> dict[str, DrillSet]:
    """All drill sets by name, in the order of ``SET_NAMES``.

    Args:
        lexicon: has the acronyms' readings; by default the built-in one.
        extra: YAML files, or folders of them, whose items are added or replaced by id.

    Raises:
        LexiconError: with every fault of the first path that has any.
    """
    terms = load_lexicon() if lexicon is None else lexicon
    headings: dict[str, _Heading] = {}
    items: dict[str, DrillItem] = {}
    for path in (DRILLS_FOLDER, *extra):
        faults: list[Fault] = []
        found: dict[str, DrillItem] = {}
        for document in read_documents(path, faults):
            heading = _heading(document, faults)
            if heading is None:
                continue
            headings.setdefault(heading.set, heading)
            for entry, item in _items(document, heading.set, terms, faults):
                earlier = items.get(item.id)
                if item.id in found:
                    faults.append(entry.fault("appears twice", "id"))
                elif earlier is not None and earlier.set != item.set:
                    faults.append(entry.fault(f"is taken in the set {earlier.set}", "id"))
                found[item.id] = item
        if faults:
            raise LexiconError(*faults)
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


def _heading(document: Entry, faults: list[Fault]) -> _Heading | None:
    data = document.data
    if not isinstance(data, dict) or not isinstance(data.get("items"), list):
        faults.append(document.fault("must have the fields set and items (a list)"))
        return None
    fields = {key: value for key, value in data.items() if key != "items"}
    return replace(document, data=fields).check(_Heading, faults)


def _items(
    document: Entry, set_name: SetName, lexicon: Lexicon, faults: list[Fault]
) -> Iterator[tuple[Entry, DrillItem]]:
    listed = document.get("items")
    for number, each in enumerate(listed.items() if listed else (), start=1):
        entry = named(each, "id", f"item {number}")
        if set_name == "acronyms":
            item = _acronym(entry, lexicon, faults)
        elif isinstance(entry.data, dict):
            data = {"prompt": entry.data.get("term"), **entry.data, "set": set_name}
            item = replace(entry, data=data).check(DrillItem, faults)
        else:
            item = entry.check(DrillItem, faults)
        if item is not None:
            faults += [entry.fault(says, *field) for field, says in _item_faults(item)]
            yield entry, item


def _acronym(entry: Entry, lexicon: Lexicon, faults: list[Fault]) -> DrillItem | None:
    reference = entry.check(_AcronymEntry, faults)
    if reference is None:
        return None
    term = lexicon.get(reference.term)
    if term is None:
        says = f"the lexicon has no term {reference.term!r}"
    elif not term.mistakes:
        says = f"the lexicon knows no mistake of {reference.term!r} to drill"
    else:
        return _from_term(reference, term)
    faults.append(entry.fault(says, "term"))
    return None


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


def _item_faults(item: DrillItem) -> Iterator[tuple[FieldPath, str]]:
    yield from reading_faults(item.readings, item.mistakes)
    if item.term.casefold() not in item.prompt.casefold():
        yield ("prompt",), f"does not contain the term {item.term!r}"
    if item.set == "word-stress":
        stressed = stressed_syllable(item.readings[0])
        if item.stress != stressed:
            yield ("stress",), f"the first reading is stressed on {stressed}"
    else:
        for name in ("stress", "word_class"):
            if getattr(item, name) is not None:
                yield (name,), "belongs to the set word-stress only"
    if item.set == "minimal-pairs" and not item.partner:
        yield ("partner",), "a minimal pair needs the other word"
