"""The lexicon's frozen models: a term, how it is said, and the mistakes people make."""

from collections.abc import Iterator
from functools import cached_property
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from pronunciation.phones import parse_phones

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Phones = Annotated[Text, AfterValidator(lambda text: " ".join(parse_phones(text)))]
"""ARPAbet in upper case, one space between phones."""


class Frozen(BaseModel):
    """The base of this package's models."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Mistake(Frozen):
    """A wrong reading that people use, and a tip that helps.

    ``phones`` is ARPAbet with stress digits on the vowels, e.g. ``R OW1 S``.
    """

    phones: Phones
    tip: Text


class Term(Frozen):
    """A term and how it is said.

    Attributes:
        term: as written in the field, e.g. ``RoCE``.
        kind: ``letters`` (each letter named), ``word`` (said as a word) or ``hybrid`` (both).
        stands_for: the expansion of an acronym; empty for a plain word.
        say: a respelling for people, stressed syllable in capitals, e.g. ``ROCK-ee``.
        readings: accepted readings in ARPAbet with stress; the first is the one taught.
        mistakes: wrong readings people make, each with a tip.
        written_as: what a transcriber may write when the term is said right, lower case.
        source: the source for this reading: the name's maker, or people in the field.
    """

    term: Text
    kind: Literal["letters", "word", "hybrid"]
    stands_for: str = ""
    say: Text
    readings: tuple[Phones, ...] = Field(min_length=1)
    mistakes: tuple[Mistake, ...] = ()
    written_as: tuple[Text, ...] = ()
    source: str = ""


class Lexicon(Frozen):
    """All terms. ``version`` is a digest of their content."""

    version: str
    terms: tuple[Term, ...]

    @cached_property
    def _by_name(self) -> dict[str, Term]:
        return {term.term.casefold(): term for term in self.terms}

    def get(self, name: str) -> Term | None:
        """The term with this name, ignoring case, or ``None``."""
        return self._by_name.get(name.casefold())

    def __iter__(self) -> Iterator[Term]:  # type: ignore[override]
        return iter(self.terms)

    def __len__(self) -> int:
        return len(self.terms)
