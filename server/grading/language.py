"""Remarks on the English of an answer, from two tables of rules that are rarely wrong."""

import re
from collections.abc import Sequence
from functools import cache, cached_property
from importlib import resources
from typing import Literal

from pydantic import BaseModel, ConfigDict

from question_bank.strict_yaml import parse_yaml
from server.contract import Language, LanguageNote, Word
from server.grading.answer import Answer
from server.grading.tokenizer import SENTENCE
from server.language import find

MAX_NOTES = 8
"""More remarks on one answer do not help."""
TAKEN_BACK_CHARS = 40
"""Who says the right words this soon after the wrong ones has corrected them."""
LEAST_CONFIDENCE = 0.5
"""Words that the engine itself holds for less likely than not are no evidence of an error."""


_Kind = Literal["collocation", "hedging", "register", "tense", "false_friend"]


class _Rule(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: _Kind
    said: str
    better: str
    why: str
    at_least: int = 1
    words: tuple[str, ...]

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Compiled when one of the words is said for the first time: most rules never match."""
        # searching for a space is many times faster than for a word boundary
        return re.compile(rf" (?:{self.said})(?!\S)")


@cache
def _rules() -> tuple[_Rule, ...]:
    text = resources.files("server.grading").joinpath("data/language_rules.yaml").read_text("utf-8")
    return tuple(
        _Rule.model_validate(entry) for entry in parse_yaml(text, "language_rules.yaml").data
    )


def remark(answer: Answer, words: Sequence[Word]) -> Language:
    """Notes on the English, in the order they were said: none on what the engine was unsure of.

    The table of ``server.language`` comes first: it names the whole repair. The rules here are
    regular expressions over the answer's words in lower case, one space apart, with ``|`` between
    sentences; ``better`` may refer to a rule's groups.
    """
    if answer.strict:  # a rough transcript: its errors are the engine's
        return Language()
    tokens = answer.tokens
    text = "".join(
        [f" | {t.raw}" if t.gap == SENTENCE and place else f" {t.raw}"
         for place, t in enumerate(tokens)]
    )  # fmt: skip
    candidates: list[tuple[_Kind, int, int, str, str]] = [
        (hit.kind, hit.start, hit.end, hit.better, hit.why) for hit in find(text)
    ]
    said = {token.raw for token in tokens}
    for rule in _rules():
        if said.isdisjoint(rule.words):
            continue
        hits = list(rule.pattern.finditer(text))
        if len(hits) >= rule.at_least:
            hit = hits[0]
            better = hit.expand(rule.better)
            candidates.append((rule.kind, hit.start() + 1, hit.end(), better, rule.why))
    # of two that overlap, the longer one names more of the repair
    candidates.sort(key=lambda candidate: candidate[1] - candidate[2])
    found: list[tuple[int, LanguageNote]] = []
    taken: list[tuple[int, int]] = []
    for kind, start, end, better, why in candidates:
        if any(start < other_end and other_start < end for other_start, other_end in taken):
            continue
        place = _count(text[:start])
        places = range(place, place + _count(text[start:end]))
        heard = [words[tokens[each].first] for each in places if tokens[each].first < len(words)]
        unsure = any((word.confidence or 1.0) < LEAST_CONFIDENCE for word in heard)
        taken_back = better in text[end : end + TAKEN_BACK_CHARS]
        if unsure or taken_back or not answer.skipped.isdisjoint(places):
            continue
        taken.append((start, end))
        note = LanguageNote(
            kind=kind,
            said=text[start:end].replace(" | ", ". "),
            better=better,
            why=why,
            start_s=heard[0].start_s if heard else None,
        )
        found.append((place, note))
    found.sort(key=lambda entry: entry[0])
    return Language(notes=tuple(note for _, note in found[:MAX_NOTES]))


def _count(text: str) -> int:
    return sum(word != "|" for word in text.split())
