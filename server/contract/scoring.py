"""The score of an answer's coverage, as the contract's ``Coverage`` says."""

from collections.abc import Iterable
from typing import Final

from server.contract.answers import PhraseCoverage

__all__ = ["PARTIAL_CREDIT", "coverage_score"]

PARTIAL_CREDIT: Final = 0.5
"""What a phrase half said counts."""


def coverage_score(phrases: Iterable[PhraseCoverage]) -> float:
    """The weighted share of phrases covered, 0 to 1; 0 where there are none.

    A partial one counts half, a denied one ("we never used FSDP") nothing.
    """
    gained = total = 0.0
    for phrase in phrases:
        total += phrase.weight
        gained += phrase.weight * _credit(phrase)
    return min(1.0, gained / total) if total else 0.0


def _credit(phrase: PhraseCoverage) -> float:
    if phrase.negated or phrase.status == "missing":
        return 0.0
    return 1.0 if phrase.status == "covered" else PARTIAL_CREDIT
