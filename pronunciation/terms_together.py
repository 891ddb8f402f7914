"""Related terms: those that people say when they talk about a question's terms.

``data/together.json`` has the terms of each question of the built-in bank
(``scripts/terms_together.py`` writes it).
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence, Set
from functools import cache
from math import log, sqrt
from pathlib import Path
from typing import Final

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
