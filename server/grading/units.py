"""How a wording of a key phrase is searched for: as units, in variants and by its sound."""

from bisect import bisect_left
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Literal

from pronunciation.confusions import merged
from question_bank.models import KeyPhrase

Origin = Literal["exact", "alias", "acronym"]

OPENING = 4
"""The first letters of a spelling, which rule out most words of an answer."""


class Tier(IntEnum):
    """How close a word of the answer is to the phrase's; lower is closer."""

    EXACT = 0
    INFLECTED = 1
    DERIVED = 2
    ACRONYM = 3
    SPELLING = 4


@dataclass(frozen=True, slots=True)
class Unit:
    """One part of a phrase that must be found in the answer.

    Attributes:
        text: as a token.
        lemma: key of its inflections.
        family: key of its derivations.
        symbols: terms it is, or stands for.
        weight: how much of the phrase's meaning it carries, relative to an ordinary word (1).
        rare: a word beyond ``RARE_RANK`` of general English and not generic in technical speech.
        name: an acronym, a proper name or a coinage, which English does not know.
        forms: other forms that its pieces may spell when joined ("check pointed"), and their tier.
        before: the phrase's word right before it ("in" of "in-flight"), for idioms and prefixes.
        deverbal: a noun of action ("checkpointing"): its object may follow the verb.
        glued: nothing may come before it, such as the "100" of "A100".
        named: written with a capital, as a name is.
        letters: initials, which have no derivations and no inflection but the plural.
        optional: a head that only names the kind of thing ("pattern").
        keys: everything it is looked up by; an answer with none of them does not say it.
    """

    text: str
    lemma: str
    family: str
    symbols: frozenset[str]
    weight: float
    rare: bool
    name: bool
    before: str
    deverbal: bool
    forms: tuple[tuple[str, Tier], ...] = field(default=(), compare=False)
    letters: bool = False
    named: bool = False
    optional: bool = False
    glued: bool = False
    end: int = 0
    keys: frozenset[str] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Collects the keys once, because hundreds of units are looked up in each answer."""
        forms = (form for form, _ in self.forms)
        whole = self.text.split(".")[0]  # "1.3" may have been read "one three"
        own = (self.text, self.text + "s", whole, self.lemma, self.family)
        object.__setattr__(self, "keys", frozenset((*own, *forms, *self.symbols)))


@dataclass(frozen=True, slots=True)
class Variant:
    """One way of saying a phrase.

    Attributes:
        units: in the order of the phrase.
        texts: all its tokens, to recognize an exact match.
        origin: the phrase itself, an alias, or an acronym or expansion of it.
        joint: "X and Y": both must be said, but not together.
        joined: adjacent units written as one word ("allreduce"): first unit, the one after the
            last, text, lemma.
        headless: its head, which only names the kind of thing, is left out.
        needed: the units that are not optional, by number.
    """

    units: tuple[Unit, ...]
    texts: tuple[str, ...]
    origin: Origin
    joint: bool
    joined: tuple[tuple[int, int, str, str], ...]
    headless: bool = False
    needed: tuple[int, ...] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Counts them once, because every answer needs them."""
        needed = tuple([at for at, unit in enumerate(self.units) if not unit.optional])
        object.__setattr__(self, "needed", needed)


@dataclass(frozen=True, slots=True)
class Sounding:
    """One wording as it sounds.

    Attributes:
        texts: its tokens.
        phones: the phones of each, see ``phones.py``; empty if unknown.
        origin: as of a variant.
        name: the tokens as one text.
        classes: all its phones, with those that listeners confuse merged.
    """

    texts: tuple[str, ...]
    phones: tuple[str, ...]
    origin: Origin
    name: str = field(init=False, compare=False, repr=False)
    classes: str = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Joins them once, because every answer needs them."""
        object.__setattr__(self, "name", " ".join(self.texts))
        object.__setattr__(self, "classes", merged("".join(self.phones)))


@dataclass(frozen=True, slots=True, eq=False)
class CompiledPhrase:
    """A key phrase with all its variants, the phrase itself first, and how its wordings sound.

    ``units_of``: everything its words are looked up by, and the units that each is a key of; an
        answer with none of them does not say it.
    """

    source: KeyPhrase
    variants: tuple[Variant, ...]
    soundings: tuple[Sounding, ...]
    units_of: dict[str, tuple[Unit, ...]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Collects them once, because a model answer is compared with hundreds of phrases."""
        units_of: dict[str, tuple[Unit, ...]] = {}
        units = {id(unit): unit for each in self.variants for unit in each.units}
        for unit in units.values():
            for key in unit.keys:
                units_of[key] = (*units_of.get(key, ()), unit)
        for each in self.variants:
            for _, _, text, lemma in each.joined:
                units_of.setdefault(text, ())
                units_of.setdefault(lemma, ())
        object.__setattr__(self, "units_of", units_of)


@dataclass(frozen=True, eq=False)
class PhraseSet:
    """The phrases of a question.

    ``writings``: all texts of their units that may be written in pieces, sorted; ``openings``: how
        these may begin, up to ``OPENING`` letters.
    """

    phrases: tuple[CompiledPhrase, ...]
    writings: tuple[str, ...]
    openings: frozenset[str]

    def may_go_on(self, text: str) -> bool:
        """Whether one of the writings begins with ``text``."""
        if text[:OPENING] not in self.openings:  # most words of an answer
            return False
        at = bisect_left(self.writings, text)
        return at < len(self.writings) and self.writings[at].startswith(text)
