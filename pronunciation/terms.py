"""The lexicon's frozen models: a term, how it is said, the mistakes people make, related terms.

``data/together.json`` has the terms of each question of the built-in bank
(``scripts/terms_together.py`` writes it): people say related terms together.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set
from functools import cache, cached_property
from math import log, sqrt
from pathlib import Path
from typing import Annotated, Final, Literal

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


_PATH: Final = Path(__file__).parent / "data" / "together.json"
COMPANION_FROM: Final = 0.3
"""Of the questions that name a term."""
SAME: Final = 0.999
"""From this similarity on, a set of terms is considered that of the question itself."""


@cache
def together() -> tuple[frozenset[str], ...]:
    """The terms of each question of the built-in bank."""
    return tuple(frozenset(terms) for terms in json.loads(_PATH.read_text("utf-8")))


@cache
def companions(name: str, questions: Sequence[Set[str]] | None = None) -> frozenset[str]:
    """The terms that are often said together with this one, such as FSDP with ZeRO.

    Of the questions that name them, a share of ``COMPANION_FROM`` and at least two name this one.

    Args:
        name: the term.
        questions: the terms of each known question; by default those of the built-in bank.
    """
    known = together() if questions is None else questions
    named = Counter(term for terms in known for term in terms)
    beside = Counter(term for terms in known if name in terms for term in terms - {name})
    return frozenset(
        term for term, count in beside.items() if count >= max(2, COMPANION_FROM * named[term])
    )


def related(
    expected: Iterable[str], questions: Sequence[Set[str]] | None = None
) -> dict[str, float]:
    """How closely other terms are related to those that a question is about.

    The share of the bank's questions that name a term, weighted by their similarity to this one:
    the cosine of their terms, with rare ones counting more.

    Args:
        expected: the terms that the question is about.
        questions: the terms of each known question; by default those of the built-in bank.

    Returns:
        0 to 1 for each term, except the expected ones, of a question that has any term in common.
    """
    known = together() if questions is None else questions
    wanted = frozenset(expected)
    named = Counter(term for terms in known for term in terms)
    weight = {term: log(1 + len(known) / count) ** 2 for term, count in named.items()}

    def size(terms: Iterable[str]) -> float:
        return sqrt(sum(weight.get(term, 0.0) for term in terms))

    shares: dict[str, float] = defaultdict(float)
    total = 0.0
    for terms in known:
        common = wanted & terms
        if not common:
            continue
        alike = size(common) ** 2 / (size(wanted) * size(terms))
        if alike >= SAME:
            continue
        total += alike
        for term in terms - wanted:
            shares[term] += alike
    return {term: share / total for term, share in shares.items()}
