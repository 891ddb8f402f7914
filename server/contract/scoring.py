"""The score of an answer, content only, and its aim: what would raise it most in the next take.

In an aim content comes first, then structure, language and delivery; smaller things wait.
Everything follows from the report, so an aim never contradicts its score and its counts.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import pairwise
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict

from question_bank.models import ABOUT_ONESELF, Kind
from question_bank.strict_yaml import parse_yaml
from server.contract.report import (
    Aim,
    Coverage,
    CoverageEvidence,
    PhraseCoverage,
    Report,
    ScorePart,
    Structure,
    StructurePart,
)
from server.contract.transcript import Word, says_we


class Band(BaseModel):
    """One figure: in what unit, measured on whom, by whom, and where that is written."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    value: float
    unit: str
    population: str
    source: str
    page: str


@cache
def bands() -> dict[str, Band]:
    """All figures by name."""
    text = resources.files(__package__).joinpath("bands.yaml").read_text("utf-8")
    return {name: Band.model_validate(d) for name, d in parse_yaml(text, "bands.yaml").data.items()}


def band(name: str) -> float:
    """One figure."""
    return bands()[name].value


def pace_text(rate: float | None, over: str = "") -> str:
    """What to do about a pace, with its norm; empty where it is comfortable, or not known."""
    slow, fast = comfortable_wpm()
    if rate is None or slow <= round(rate) <= fast:
        return ""
    said = f"you spoke {rate:.0f} words per minute{over};"
    if rate < slow:
        return f"Speak a little faster: {said} we advise at least {slow:.0f}."
    return f"Slow down: {said} native speakers average {fast:.0f} in interviews."


def comfortable_wpm() -> tuple[float, float]:
    """The pace, in words per minute, that reports praise."""
    return band("pace_slow"), band("pace_fast")


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
ROUGH_CURVE: Final = ((0.0, 0.0), (1.0, 1.0))
"""The same of a rough transcript: whether the rest is right, and so whether a short answer is a
good one, is not known, and its score is the least."""
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


def first_point_s(coverage: Coverage, words: Sequence[Word]) -> float | None:
    """Seconds from the first word to the first key phrase; ``None``: none was said, or no times."""
    begin = min([word.start_s for word in words if word.start_s is not None], default=None)
    found = [phrase.evidence for phrase in coverage.phrases if phrase.is_said and phrase.evidence]
    said = [each.start_s for each in found if each.start_s is not None]
    return None if begin is None or not said else round(max(0.0, min(said) - begin), 1)


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
    where an answer is right without the parts of the structure that it lacks, or states a fact in
    other words.
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
    elif round(off, 2) < 0:
        open_parts = parts if structure.kind in ABOUT_ONESELF else parts[-1:]
        lacking = sum(part.share * (1.0 - part.value) for part in open_parts)
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
    known = structure.is_judged or not structure.asked
    value = _with_asked(PHRASE_CURVE if known else ROUGH_CURVE, coverage.score, asked, total)
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
        "for structure without it, as raters of 2,600 answers gave them. A phrase that was perhaps "
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


_AGAIN_S: Final = 60
WORTH_IT: Final = 0.03
"""Points from which a gap of content or structure comes before language and delivery."""
DOUBT_SHARE: Final = 0.3
"""Which share of the points taken off for what sounds wrong its worst words may bring back."""
FEWEST_NAMED: Final = 3
"""Words that a clause must have so that the name of what it means can follow it."""
_SENTENCE: Final = re.compile(r"[^.!?]+[.!?]?")
_RESULT: Final = re.compile(
    r"\b(faster|slower|better|less|fewer|more|reduced|improved|cut|saved|dropped|grew|increased)\b",
    re.IGNORECASE,
)
_DIGIT: Final = re.compile(r"\d")
_WE_TOLD: Final = re.compile(
    r"\bwe( (?:built|wrote|made|ran|found|took|cut|set|kept|held|got|put|began|broke|chose|drew|"
    r"gave|led|left|let|met|paid|read|said|saw|sent|spoke|taught|told|thought|went|won|[a-z]+ed)\b)",
    re.IGNORECASE,
)
_ENDS: Final = " .,;:!?…"


@dataclass(frozen=True)
class AimResult:
    """What became of an aim in a later take: whether it is met, and in words."""

    met: bool
    text: str


def aim_of(report: Report) -> Aim:
    """The aim of a report."""
    if report.off_topic:
        text = (
            "Answer the question itself: first one sentence that could stand alone as the answer."
        )
        return Aim(kind="content", name="answer", text=text, evidence="score")
    content = sorted(_content(report), key=lambda each: -each[0])
    built = sorted(_structure(report), key=lambda each: -each[0])
    worth = [each for each in (*content[:1], *built[:1]) if each[0] >= WORTH_IT]
    if worth:
        return max(worth, key=lambda each: each[0])[1]
    for aim in (*_language(report), *_delivery(report)):
        return aim
    left = [*content, *built]
    if left:
        return max(left, key=lambda each: each[0])[1]
    seconds = again_s(report.delivery.target_s)
    text = f"Everything is there. Say the same in {seconds} seconds, the point first."
    return Aim(kind="delivery", name="brief", text=text, evidence="delivery.answer_s")


def again_s(target_s: float) -> int:
    """How long the next take of an aim may be, in seconds."""
    return min(_AGAIN_S, round(target_s))


def aim_result(aim: Aim, after: Report) -> AimResult:
    """Whether a later take of the same question meets the aim of an earlier one."""
    if aim.kind == "content" and aim.name == "answer":
        return _result(not after.off_topic, "you answered the question", "still off the question")
    for phrase in after.coverage.phrases if aim.kind == "content" else ():
        if phrase.phrase == aim.name:
            said = phrase.is_said
            return _result(said, f"“{aim.name}” is said now", f"“{aim.name}” is still not said")
    for part in after.structure.parts if aim.kind == "structure" and after.structure else ():
        if part.name == aim.name:
            said = part.status == "said"
            return _result(said, f"{aim.name}: said now", f"{aim.name}: still missing")
    if aim.kind == "content":
        gone = taken_off(after) < WORTH_IT or after.doubted is None or aim.quote != _doubted(after)
        return _result(gone, "nothing like it sounds wrong now", "it still sounds wrong or vague")
    if aim.kind == "language":
        still = any(aim.name == each.said.casefold() for each in after.language.notes)
        return _result(not still, f"no “{aim.name}” this time", f"“{aim.name}” came again")
    same = next((each for each in _delivery(after) if each.name == aim.name), None)
    return _result(same is None, "that is better now", same.text if same else "")


def _result(met: bool, good: str, bad: str) -> AimResult:
    return AimResult(met, good if met else bad)


_Ranked = tuple[float, Aim]
_Kind = Literal["content", "structure", "language", "delivery"]


def _aim(kind: _Kind, name: str, text: str, evidence: str, quote: str = "", model: str = "") -> Aim:
    return Aim(kind=kind, name=name, text=text, evidence=evidence, quote=quote, model=model)


def _content(report: Report) -> Iterator[_Ranked]:
    if challenged(report) is not None:
        quote = _doubted(report)
        text = f"Check this and say it exactly: “{quote}”."
        yield taken_off(report) * DOUBT_SHARE, _aim("content", "wrong", text, "doubted", quote)
    for at, phrase in enumerate(report.coverage.phrases):
        if phrase.is_said:
            continue
        gain = points_gained(report, phrase=phrase)
        verb = "Say clearly" if phrase.status == "possible" else "Say"
        if phrase.when_asked is not None:
            verb, gain = "Say at once, not only when asked:", gain / 2
        text = f"{verb} “{phrase.phrase}”. {phrase.why}".rstrip()
        quote = phrase.evidence.text if phrase.evidence else ""
        evidence = f"coverage.phrases[{at}]"
        yield gain, _aim("content", phrase.phrase, text, evidence, quote, _named(phrase))


def _structure(report: Report) -> Iterator[_Ranked]:
    structure = report.structure
    for at, part in enumerate(structure.parts if structure and structure.asked else ()):
        if part.status == "said" or not part.ask:
            continue  # nobody misses what the question or the answer gives
        gain = points_gained(report, part=part) * (1.0 if part.when_asked is None else 0.5)
        text = f"Add what is missing: {part.name}. They ask: {part.ask}"
        evidence = f"structure.parts[{at}]"
        yield gain, _aim("structure", part.name, text, evidence, *_own_words(report, part))


def _language(report: Report) -> Iterator[Aim]:
    for at, note in (each for group in report.language.groups() for each in group.notes):
        text = f"Instead of “{note.said}”, say “{note.better}”."
        name, evidence = note.said.casefold(), f"language.notes[{at}]"
        if note.kind != "spelling":  # nothing to say
            yield _aim("language", name, text, evidence, note.said, note.better)


def _delivery(report: Report) -> Iterator[Aim]:
    delivery = report.delivery
    for at, term in enumerate(report.pronunciation.terms):
        if term.verdict == "mispronounced":
            text = f"Say “{term.term}” as {term.expected}."
            yield _aim("delivery", term.term, text, f"pronunciation.terms[{at}]")
            break
    many = band("fillers") * (delivery.answer_s or 0.0) / 60.0
    if delivery.answer_s and len(delivery.fillers) >= many:
        text = f"Be silent instead of “{delivery.fillers[0].text}”: "
        text += f"at least {len(delivery.fillers)} fillers were heard."
        yield _aim("delivery", "fillers", text, "delivery.fillers", *_without_fillers(report))
    if text := pace_text(delivery.words_per_minute):
        yield _aim("delivery", "pace", text, "delivery.words_per_minute")
    if (delivery.longest_pause_s or 0.0) >= band("long_pause"):
        text = f"Say that you are thinking: you paused {delivery.longest_pause_s:.1f} s."
        yield _aim("delivery", "pause", text, "delivery.longest_pause_s")
    if delivery.answer_s and delivery.answer_s > band("long_answer") * delivery.target_s:
        text = f"Shorten: {delivery.answer_s:.0f} s, where {delivery.target_s:.0f} s is enough."
        yield _aim("delivery", "length", text, "delivery.answer_s")


def _doubted(report: Report) -> str:
    return report.doubted.text if report.doubted else ""


def _named(phrase: PhraseCoverage) -> str:
    """The speaker's own clause with the name of what it means, where it is close to that."""
    if phrase.evidence is None or phrase.negated or phrase.status not in ("possible", "partial"):
        return ""
    if len(phrase.evidence.text.split()) < FEWEST_NAMED:
        return ""
    return f"{_sentence(phrase.evidence.text)}, in other words: {phrase.phrase}."


def _own_words(report: Report, part: StructurePart) -> tuple[str, str]:
    """A sentence of the answer, and the same with what the part needs; empty: there is none."""
    text = report.transcript.text
    for each in (found.strip() for found in _SENTENCE.findall(text)):
        if part.name == "own actions" and says_we(text) and _WE_TOLD.search(each):
            return each, _sentence(_WE_TOLD.sub(r"I\1", each, count=1)) + "."
        needs_number = part.name in ("result", "proof with a number")
        if needs_number and _RESULT.search(each) and not _DIGIT.search(each):
            return each, f"{_sentence(each)}, from … to …."
    return "", ""


def _without_fillers(report: Report) -> tuple[str, str]:
    words = report.transcript.tokens
    fillers = {each.word_index for each in report.delivery.fillers}
    # of equally many, the last
    most = max(report.transcript.sentences, key=lambda at: (len(fillers & {*at}), at.start))
    if fillers.isdisjoint(most):
        return "", ""
    clean = " ".join(words[at] for at in most if at not in fillers)
    return " ".join(words[most.start : most.stop]), _sentence(clean) + "."


def _sentence(text: str) -> str:
    """It as the beginning of a sentence, without its end."""
    bare = text.strip(_ENDS)
    return bare[:1].upper() + bare[1:]
