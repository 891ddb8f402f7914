"""The score of an answer: content only, from its coverage and its structure."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from question_bank.models import Kind
from server.contract.report import Coverage, PhraseCoverage, Report, ScorePart, Structure

PARTIAL_CREDIT: Final = 0.5
"""What a half-said phrase counts."""
POSSIBLE_CREDIT: Final = 0.8
"""What a possible phrase counts, as a multiple of its confidence. It is close to 1, because what is
explained without its name is often only possible, and strong answers explain."""
UNKNOWN_CONFIDENCE: Final = 0.5

COVERAGE_RANGE: Final[dict[Kind, tuple[float, float]]] = {
    "explain": (0.15, 0.70),
    "story": (0.05, 0.60),
    "design": (0.15, 0.60),
    "code": (0.15, 0.70),
}
"""The shares of the coverage that earn no points and most of them (``MOST``). Coaches who labeled
451 answers (`benchmarks/answers/`) gave strong ones 0.80 to 0.98 and weak ones 0 to 0.39. Any
answer on the subject touches some phrases, and a good one has no time for all of them. A short
right one says half of them, and coaches gave it 0.64. A design has the most phrases, and no answer
says all."""
STRUCTURE_RANGE: Final = (0.05, 0.70)
"""Likewise for the structure. Nearly from the first part on, as coaches do: an answer to a design
of which they gave 0.63 says a third of the parts."""
MOST: Final = 0.9
"""The share of the points that a good answer earns; the rest takes all phrases and parts, so that
an answer with something missing never has 100 %."""
RELEVANT_FROM: Final[dict[Kind, float]] = {
    "explain": 0.3,
    "story": 0.2,
    "design": 0.3,
    "code": 0.3,
}
"""The coverage from which the structure counts in full; below, it counts in proportion. An answer
to another question can be just as well organized: strong ones compared with another question of
their kind have a structure of 0.7 to 0.9, a coverage of 0.06 to 0.16 and, with this rule, a score
of 0.1 (stories 0.3). A wrong answer to the question itself is not believed
(``Structure.believed``)."""
OFF_TOPIC_CREDIT: Final[dict[Kind, float]] = {
    "explain": 0.0,
    "story": 0.3,
    "design": 0.0,
    "code": 0.0,
}
"""What the structure counts if no key phrase is covered. A story that fits the question may use
none of another person's words; strong ones lose 0.02 by this rule."""
TOLD_FROM: Final = 0.35
"""The share of the structure from which an answer is more than a list."""
LISTED_CREDIT: Final = 0.5
"""The share of their value that key phrases count if none of the structure is there."""
COVERAGE_SHARE: Final[dict[Kind, float]] = {
    "explain": 0.5,
    "story": 0.4,
    "design": 0.6,
    "code": 0.5,
}
"""How much of the score is coverage; the rest is structure. A good story needs few of the phrases
that others would use, and no rubric can tell whether code is right. In a design, coaches go by what
is decided more than by whether all parts of a plan are there."""


@dataclass(frozen=True)
class ContentScore:
    """The score, 0 to 1, and what it is composed of."""

    score: float
    parts: tuple[ScorePart, ...]


def coverage_score(phrases: Iterable[PhraseCoverage]) -> float:
    """The weighted share of phrases covered, 0 to 1; 0 if there are none.

    A partial one counts half, a possible one most of its confidence, a denied one ("we never
    used FSDP") nothing.
    """
    gained = total = 0.0
    for phrase in phrases:
        total += phrase.weight
        gained += phrase.weight * _credit(phrase)
    return min(1.0, gained / total) if total else 0.0


@dataclass(frozen=True)
class Credits:
    """How much of its value each part of the score counts, 0 to 1, and why.

    ``explained``: the key phrases, by how much is said about them; ``relevant``: the structure, by
    how much of the question the answer covers; ``believed``: likewise, by how right it sounds.
    """

    explained: float
    relevant: float
    believed: float

    @property
    def structure(self) -> float:
        """How much of its value the structure counts."""
        return self.relevant * self.believed


def credits_of(coverage: Coverage, structure: Structure) -> Credits:
    """How much each part of the score counts."""
    least = OFF_TOPIC_CREDIT[structure.kind]
    return Credits(
        explained=LISTED_CREDIT + (1 - LISTED_CREDIT) * min(1.0, structure.score / TOLD_FROM),
        relevant=least + (1 - least) * min(1.0, coverage.score / RELEVANT_FROM[structure.kind]),
        believed=1.0 if structure.believed is None else structure.believed,
    )


def content_score(coverage: Coverage, structure: Structure) -> ContentScore:
    """The score of an answer and its parts, by the question's kind.

    Key phrases count in full only if something is said about them; with little structure, they
    count less, down to ``LISTED_CREDIT``. The structure counts in full only if the answer is about
    the question (``RELEVANT_FROM``, ``OFF_TOPIC_CREDIT``) and is believed.
    """
    share = COVERAGE_SHARE[structure.kind]
    counted = credits_of(coverage, structure)
    named = _earned(coverage.score, *COVERAGE_RANGE[structure.kind])
    built = _earned(structure.score, *STRUCTURE_RANGE)
    parts = (
        ScorePart(name="key phrases", share=share, value=named * counted.explained),
        ScorePart(name="structure", share=1.0 - share, value=built * counted.structure),
    )
    return ContentScore(min(1.0, sum(part.share * part.value for part in parts)), parts)


def score_rule(kind: Kind) -> str:
    """The rule behind the points of the score, in sentences for the report."""
    nothing, most = COVERAGE_RANGE[kind]
    off_topic = OFF_TOPIC_CREDIT[kind]
    down_to = f" (without any it counts {off_topic:.0%})" if off_topic else ""
    return (
        f"Key phrases earn points from {nothing:.0%} coverage on, {MOST:.0%} of them at {most:.0%} "
        "and all of them at 100%; where little is explained they count less, down to half. "
        f"Structure earns points from {STRUCTURE_RANGE[0]:.0%} of its parts on, {MOST:.0%} of them "
        f"at {STRUCTURE_RANGE[1]:.0%}, and counts in full only where the answer covers "
        f"{RELEVANT_FROM[kind]:.0%} of the key phrases{down_to}, and as far as it sounds right."
    )


def is_like(one: str, other: str) -> bool:
    """Whether scores of these grader versions can be compared, i.e. have the same major version.

    Servers of earlier versions do not send theirs; an empty version counts as like any other.
    """
    return not one or not other or one.split(".")[0] == other.split(".")[0]


def are_like(before: Report, after: Report) -> bool:
    """Whether the scores of two reports can be compared: both have one, from like graders."""
    same_kind = (before.score is None) == (after.score is None)
    return same_kind and is_like(before.grader_version, after.grader_version)


def _earned(share: float, nothing: float, most: float) -> float:
    """The share of the points that this share of the phrases or parts earns."""
    if share < most:
        return MOST * max(0.0, (share - nothing) / (most - nothing))
    return MOST + (1 - MOST) * (share - most) / (1 - most)


def _credit(phrase: PhraseCoverage) -> float:
    if phrase.negated or phrase.status == "missing":
        return 0.0
    if phrase.status == "possible":
        confidence = UNKNOWN_CONFIDENCE if phrase.confidence is None else phrase.confidence
        return POSSIBLE_CREDIT * confidence
    return 1.0 if phrase.status == "covered" else PARTIAL_CREDIT
