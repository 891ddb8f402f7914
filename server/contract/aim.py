"""The one aim of a report: what would raise the impression most in the next take.

Content comes first, then structure, language and delivery; smaller things wait. Everything follows
from the report, so an aim never contradicts its score and its counts.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from server.contract.bands import band
from server.contract.report import Aim, PhraseCoverage, Report, StructurePart
from server.contract.scoring import challenged, points_gained, taken_off
from server.contract.transcript import says_we

AGAIN_S: Final = 60
"""How long the next take of an aim may be."""
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
    seconds = min(AGAIN_S, round(report.delivery.target_s))
    text = f"Everything is there. Say the same in {seconds} seconds, the point first."
    return Aim(kind="delivery", name="brief", text=text, evidence="delivery.answer_s")


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
        verb = "Say in clear words" if phrase.status == "possible" else "Say"
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
    for at, note in enumerate(report.language.notes):
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
    rate = delivery.words_per_minute
    if rate is not None and not band("pace_slow") <= rate <= band("pace_fast"):
        how = "Slow down" if rate > band("pace_fast") else "Speak a little faster"
        text = f"{how}: {rate:.0f} words per minute."
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
