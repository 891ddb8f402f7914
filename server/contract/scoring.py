"""The score of an answer: content only, from its coverage and its structure."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from question_bank.models import Kind
from server.contract.report import Coverage, PhraseCoverage, ScorePart, Structure

PARTIAL_CREDIT: Final = 0.5
"""What a phrase half said counts."""
POSSIBLE_CREDIT: Final = 0.5
"""What a phrase that may have been said counts, times the confidence. Less than the confidence
itself: every answer has some such phrases, a weak one little else."""
UNKNOWN_CONFIDENCE: Final = 0.5

COVERAGE_RANGE: Final = (0.25, 0.70)
"""The shares of the coverage that are worth nothing and all. Coaches who labeled the development
answers gave strong ones 0.78 to 0.93 and weak ones 0.11 to 0.30. Any answer on the subject
touches some phrases, and a good one has no time for all of them."""
STRUCTURE_RANGE: Final = (0.35, 0.90)
"""Likewise of the structure: strong development answers say 0.91 to 1.0 of the parts, weak ones
0.22 to 0.58."""
LISTED_CREDIT: Final = 0.5
"""What key phrases count of their value in a mere list of them."""
COVERAGE_SHARE: Final[dict[Kind, float]] = {
    "explain": 0.5,
    "story": 0.4,
    "design": 0.4,
    "code": 0.5,
}
"""How much of the score is coverage; the rest is structure. A good story needs few of the
phrases that others would use, and no rubric sees whether code is right."""


@dataclass(frozen=True)
class ContentScore:
    """The score, 0 to 1, and what it is composed of."""

    score: float
    parts: tuple[ScorePart, ...]


def coverage_score(phrases: Iterable[PhraseCoverage]) -> float:
    """The weighted share of phrases covered, 0 to 1; 0 where there are none.

    A partial one counts half, a possible one by its confidence, a denied one ("we never used
    FSDP") nothing.
    """
    gained = total = 0.0
    for phrase in phrases:
        total += phrase.weight
        gained += phrase.weight * _credit(phrase)
    return min(1.0, gained / total) if total else 0.0


def content_score(coverage: Coverage, structure: Structure) -> ContentScore:
    """The score of an answer and its parts, by the question's kind.

    Key phrases count fully only as far as something is said about them: where the structure is
    worth nothing, in proportion to it down to ``LISTED_CREDIT``.
    """
    share = COVERAGE_SHARE[structure.kind]
    told = LISTED_CREDIT + (1 - LISTED_CREDIT) * min(1.0, structure.score / STRUCTURE_RANGE[0])
    named = _within(coverage.score, *COVERAGE_RANGE)
    parts = (
        ScorePart(name="key phrases", share=share, value=named * told),
        ScorePart(
            name="structure",
            share=1.0 - share,
            value=_within(structure.score, *STRUCTURE_RANGE),
        ),
    )
    return ContentScore(min(1.0, sum(part.share * part.value for part in parts)), parts)


def is_like(one: str, other: str) -> bool:
    """Whether scores of these grader versions can be compared: of the same major version.

    Servers of earlier versions do not say theirs: an empty version is like every other.
    """
    return not one or not other or one.split(".")[0] == other.split(".")[0]


def _within(value: float, nothing: float, everything: float) -> float:
    return min(1.0, max(0.0, (value - nothing) / (everything - nothing)))


def _credit(phrase: PhraseCoverage) -> float:
    if phrase.negated or phrase.status == "missing":
        return 0.0
    if phrase.status == "possible":
        confidence = UNKNOWN_CONFIDENCE if phrase.confidence is None else phrase.confidence
        return POSSIBLE_CREDIT * confidence
    return 1.0 if phrase.status == "covered" else PARTIAL_CREDIT
