"""Remarks on the English of an answer, from a small table of rules that are rarely wrong."""

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

MAX_NOTES = 8
"""More remarks on one answer do not help."""


class _Rule(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["collocation", "hedging", "register", "tense", "false_friend"]
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
    """Notes on the English, in the order they were said.

    The rules are regular expressions over the answer's words in lower case, one space apart, with
    ``|`` between sentences; ``better`` may refer to a rule's groups.
    """
    tokens = answer.tokens
    text = "".join(
        [f" | {t.raw}" if t.gap == SENTENCE and place else f" {t.raw}"
         for place, t in enumerate(tokens)]
    )  # fmt: skip
    found: list[tuple[int, LanguageNote]] = []
    said = {token.raw for token in tokens}
    for rule in _rules():
        if said.isdisjoint(rule.words):
            continue
        hits = list(rule.pattern.finditer(text))
        if len(hits) < rule.at_least:
            continue
        hit = hits[0]
        place = sum(word != "|" for word in text[: hit.start()].split())
        index = tokens[place].first
        note = LanguageNote(
            kind=rule.kind,
            said=hit.group()[1:].replace(" | ", ". "),
            better=hit.expand(rule.better),
            why=rule.why,
            start_s=words[index].start_s if index < len(words) else None,
        )
        found.append((place, note))
    found.sort(key=lambda entry: entry[0])
    return Language(notes=tuple(note for _, note in found[:MAX_NOTES]))
