"""The score of an answer: content only, from its coverage and its structure."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from question_bank.models import ABOUT_ONESELF, Kind
from server.contract.report import (
    Coverage,
    CoverageEvidence,
    PhraseCoverage,
    Report,
    ScorePart,
    Structure,
    StructurePart,
)

PARTIAL_CREDIT: Final = 0.5
"""What a half-said phrase counts in reports of graders before 5."""
OPEN_FROM: Final = 0.6
"""A phrase that is not covered counts as far as its chance is above this."""
WHEN_ASKED: Final = 0.5
"""Which share of its points a phrase or part earns that was said only when the interviewer asked.
Whoever has to be asked knows it, but does not show it: an interviewer notes that it took a prompt,
on the usual scale of four one step, from "yes" to "with help"."""
UNKNOWN_CONFIDENCE: Final = 0.5
"""The chance of a possible phrase in reports that do not give one."""

PHRASE_SHARE: Final[dict[Kind, float]] = {
    "explain": 0.65,
    "story": 0.45,
    "design": 0.6,
    "code": 0.65,
    "introduction": 0.4,
}
"""How much of the points is for the key phrases; the rest is for structure. A good story needs few
of the phrases that others would use, and no rubric can tell whether code is right."""
PHRASE_CURVE: Final = ((0.0, 0.0), (0.05, 0.25), (0.2, 0.6), (0.4, 0.85), (0.7, 0.95), (1.0, 1.0))
"""The most points that a share of the phrases earns. A short right answer says half of them, and
raters give it 80. Between the points it is straight."""
STRUCTURE_CURVE: Final = ((0.0, 0.0), (0.1, 0.35), (0.3, 0.75), (0.6, 0.95), (1.0, 1.0))
"""Likewise for the parts of the structure."""
OFF_TOPIC_MOST: Final = 0.05
"""The most that an answer to another question earns."""
WEAK_UNDER: Final = 0.4
WRONG_FROM: Final = 0.5
"""A weak answer scores under this; one that loses at least so many points sounds wrong. From 0.2
on, 1 of 6 challenges of a blind set was sensible: what sounds most wrong is often merely vague."""
OFF_TOPIC: Final = "answers another question"
SOUNDS_WRONG: Final = "sounds wrong"
TO_THE_POINT: Final = "to the point"
"""Points for structure that an answer gets without the parts, because raters miss none."""


@dataclass(frozen=True)
class ContentScore:
    """The score, 0 to 1, and what it is composed of: the parts add up to it."""

    score: float
    parts: tuple[ScorePart, ...]


def coverage_score(phrases: Iterable[PhraseCoverage]) -> float:
    """The weighted share of phrases said, 0 to 1; 0 if there are none.

    A covered one counts whole, any other by its chance, a denied one ("we never used FSDP")
    nothing.
    """
    gained = total = 0.0
    for phrase in phrases:
        total += phrase.weight
        gained += phrase.weight * _credit(phrase)
    return min(1.0, gained / total) if total else 0.0


def content_score(
    coverage: Coverage, structure: Structure, *, taken_off: float = 0.0, off_topic: bool = False
) -> ContentScore:
    """The score of an answer and its parts, by the question's kind.

    Points for key phrases and points for structure add up. Where the question asks for a fact, all
    are for the phrases. ``taken_off``: points for what sounds wrong or vague, 0 to 1; less than 0
    where an answer is right without the parts of the structure that it lacks.
    """
    parts = earned_points(coverage, structure)
    earned = sum(part.share * part.value for part in parts)
    off = min(taken_off, earned)
    if off_topic:  # what is said when asked may answer the question after all
        at_once = earned_points(coverage, structure, at_once=True)
        most = sum(part.share * part.value for part in at_once) - OFF_TOPIC_MOST
        off = max(taken_off, most)
    if round(off, 2) > 0:
        name = OFF_TOPIC if off_topic else SOUNDS_WRONG
        parts = (*parts, ScorePart(name=name, share=off, value=-1.0))
        earned -= off
    elif round(off, 2) < 0 and len(parts) > 1:
        lacking = parts[-1].share * (1.0 - parts[-1].value)
        parts = (*parts, ScorePart(name=TO_THE_POINT, share=min(-off, lacking), value=1.0))
        earned += parts[-1].share
    return ContentScore(min(1.0, max(0.0, earned)), parts)


def _with_asked(
    curve: tuple[tuple[float, float], ...], at_once: float, asked: float, total: float
) -> float:
    """The value of a share, and ``WHEN_ASKED`` of what the rest would add if said at once."""
    value = _on(curve, at_once)
    if not asked:
        return value
    return value + WHEN_ASKED * (_on(curve, min(1.0, at_once + asked / total)) - value)


def earned_points(
    coverage: Coverage, structure: Structure, *, at_once: bool = False
) -> tuple[ScorePart, ...]:
    """The points for key phrases and structure, before any are taken off.

    ``at_once``: without what was said only when asked.
    """
    share = PHRASE_SHARE[structure.kind] if structure.asked else 1.0
    later = [] if at_once else [each for each in coverage.phrases if each.when_asked]
    asked = sum(each.weight * (1.0 - _credit(each)) for each in later)
    total = sum(each.weight for each in coverage.phrases)
    value = _with_asked(PHRASE_CURVE, coverage.score, asked, total)
    phrases = ScorePart(name="key phrases", share=share, value=value)
    if not structure.asked:
        return (phrases,)
    asked = 0.0 if at_once else sum(each.weight for each in structure.parts if each.when_asked)
    total = sum(each.weight for each in structure.parts)
    built = _with_asked(STRUCTURE_CURVE, structure.score, asked, total)
    return phrases, ScorePart(name="structure", share=1.0 - share, value=built)


def points_gained(
    report: Report, *, phrase: PhraseCoverage | None = None, part: StructurePart | None = None
) -> float:
    """The points that a phrase or a part would add if it were said at once, 0 to 1."""
    coverage, structure = report.coverage, report.structure
    gained = 0.0
    has_parts = structure is not None and structure.asked
    share = PHRASE_SHARE[structure.kind] if structure is not None and has_parts else 1.0
    if phrase is not None:
        total = sum(each.weight for each in coverage.phrases)
        more = min(1.0, coverage.score + phrase.weight * (1.0 - _credit(phrase)) / total)
        gained += share * (_on(PHRASE_CURVE, more) - _on(PHRASE_CURVE, coverage.score))
    if part is not None and structure is not None and has_parts:
        total = sum(each.weight for each in structure.parts)
        more = min(1.0, structure.score + part.weight / total)
        gained += (1 - share) * (_on(STRUCTURE_CURVE, more) - _on(STRUCTURE_CURVE, structure.score))
    return gained


def taken_off(report: Report) -> float:
    """The points that were taken off a report's score; less than 0 if some were added."""
    signs = {SOUNDS_WRONG: 1.0, OFF_TOPIC: 1.0, TO_THE_POINT: -1.0}
    return sum(signs.get(part.name, 0.0) * part.share for part in report.score_parts)


def challenged(report: Report) -> CoverageEvidence | None:
    """The words to take up as wrong, in a weak answer that sounds wrong and is no story."""
    told = report.structure is not None and report.structure.kind in ABOUT_ONESELF
    sounds_wrong = report.overall < WEAK_UNDER and taken_off(report) >= WRONG_FROM
    return report.doubted if sounds_wrong and not (told or report.off_topic) else None


def score_rule(kind: Kind) -> str:
    """The rule behind the points of the score, in sentences for the report."""
    share = PHRASE_SHARE[kind]
    half = _on(PHRASE_CURVE, 0.5)
    return (
        f"Up to {share:.0%} of the score is for key phrases: half of them earn {half:.0%} of these "
        f"points, because a short right answer says no more. Up to {1 - share:.0%} is for "
        "structure. What sounds wrong or vague takes points off, and a right answer gets points "
        "for structure without it, as raters of 1,700 answers gave them. A phrase that was perhaps "
        "said counts by its chance, and what was said only when asked earns "
        f"{WHEN_ASKED:.0%} of its points."
    )


def is_like(one: str, other: str) -> bool:
    """Whether scores of these grader versions can be compared: only their last numbers differ.

    Servers of earlier versions do not send theirs; an empty version counts as like any other.
    """
    return not one or not other or one.split(".")[:2] == other.split(".")[:2]


def are_like(before: Report, after: Report) -> bool:
    """Whether the scores of two reports can be compared: both have one, from like graders."""
    same_kind = (before.score is None) == (after.score is None)
    return same_kind and is_like(before.grader_version, after.grader_version)


def _on(curve: tuple[tuple[float, float], ...], share: float) -> float:
    """The value of a broken line at ``share``."""
    for (left, low), (right, high) in pairwise(curve):
        if share <= right:
            return low + (high - low) * max(0.0, share - left) / (right - left)
    return curve[-1][1]


def _credit(phrase: PhraseCoverage) -> float:
    if phrase.negated:
        return 0.0
    if phrase.corrected is not None or phrase.status == "covered":
        return {"covered": 1.0, "partial": PARTIAL_CREDIT, "possible": UNKNOWN_CONFIDENCE}.get(
            phrase.status, 0.0
        )
    if phrase.status == "partial":
        return PARTIAL_CREDIT
    if phrase.confidence is None:
        return UNKNOWN_CONFIDENCE if phrase.status == "possible" else 0.0
    return max(0.0, phrase.confidence - OPEN_FROM) / (1.0 - OPEN_FROM)
