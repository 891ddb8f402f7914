"""Which questions a story answers, and what differs between two tellings of it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from question_bank.models import Question
from server.bank_versions.posting import nearness
from server.grading.by_meaning import content_stems
from server.grading.numbers import NUMBER_STARTS, read_number

ANSWERS: Final = 0.9
"""Nearness (see ``posting.FITS``) from which a sentence of a story answers a question."""
_MAX_QUESTIONS: Final = 3
_CONTEXT: Final = 6
"""Words on each side of a number that say what it counts."""
_NUMBER: Final = re.compile(r"^[$€£]?(\d[\d,]*(?:\.\d+)?)(%|k|m)?$", re.IGNORECASE)
_SENTENCE_END: Final = re.compile(r"(?<=[.;!?])\s+")


@dataclass(frozen=True)
class _Fact:
    """A number with its unit, and the words around it."""

    value: str
    unit: str
    about: frozenset[str]

    @property
    def text(self) -> str:
        return f"{self.value} {'%' if self.unit == 'percent' else self.unit}".strip()


def answered_by(texts: Sequence[str], questions: Sequence[Question]) -> list[tuple[Question, ...]]:
    """For each story, the questions that it answers best, the nearest first."""
    found: list[tuple[Question, ...]] = []
    for text in texts:
        lines = [each for each in _SENTENCE_END.split(text) if len(each.split()) > 2]
        near = nearness(lines, questions).max(axis=0, initial=0)
        order = [at for at in (-near).argsort().tolist() if near[at] >= ANSWERS]
        found.append(tuple(questions[at] for at in order[:_MAX_QUESTIONS]))
    return found


def differing_facts(earlier: str, now: str) -> tuple[str, ...]:
    """The numbers that differ between two tellings: ``36 % then, 30 % now``."""
    before, after = _facts(earlier), _facts(now)
    found: list[str] = []
    for fact in after:
        others = [each for each in before if each.unit == fact.unit]
        if not others or any(each.value == fact.value for each in others):
            continue
        said = {each.value for each in after if each.unit == fact.unit}
        gone = [each for each in others if each.value not in said]
        same = [each for each in gone if each.about & fact.about] or (
            gone if len(gone) == 1 and len(said) == 1 else []
        )
        if same:
            nearest = max(same, key=lambda each: len(each.about & fact.about))
            found.append(f"{nearest.text} then, {fact.text} now")
    return tuple(dict.fromkeys(found))


def _facts(text: str) -> list[_Fact]:
    words = [each.strip('.,;:!?()"“”').casefold() for each in text.split()]
    facts, at = [], 0
    while at < len(words):
        value, unit, length = _number_at(words, at)
        if not value:
            at += 1
            continue
        behind = at + length
        following = words[behind] if behind < len(words) else ""
        if not unit:
            unit = "percent" if following in ("percent", "%", "per") else following
        near = words[max(0, at - _CONTEXT) : at] + words[behind + 1 : behind + _CONTEXT]
        facts.append(_Fact(value, unit, content_stems(" ".join(near))))
        at = behind
    return facts


def _number_at(words: Sequence[str], at: int) -> tuple[str, str, int]:
    """Value, unit where it is joined to it, and length in words; no value: no number."""
    written = _NUMBER.match(words[at])
    if written is not None:
        joined = "percent" if written.group(2) == "%" else ""
        scale = written.group(2) if written.group(2) and not joined else ""
        return written.group(1).replace(",", "") + scale, joined, 1
    if words[at] in NUMBER_STARTS and words[at] not in ("one", "first", "second", "third"):
        read = read_number(words, at)
        if read is not None:
            return read[0], "", read[1]
    return "", "", 1
