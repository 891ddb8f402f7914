"""The remarks on the English of an answer in its report: style at once, errors when asked for.

Finding errors takes seconds (``server.language``): the report stands without them, and the page
asks for them. Style is two short lists: words too casual or stiff for an interview, and hedging.
"""

import re
import unicodedata
from collections.abc import Sequence
from functools import cache, cached_property
from importlib import resources
from itertools import islice
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict

from question_bank.strict_yaml import parse_yaml
from server.contract import Language, LanguageNote, Report, Word
from server.grading.answer import Answer
from server.grading.delivery import taken_back
from server.grading.summary import summarize
from server.grading.tokenizer import SENTENCE
from server.language.notes import LEAST_CONFIDENCE, Said, checker
from server.language.words import is_hesitation

_STYLE_WEIGHT: Final = 0.5
_WORST: Final = {
    "false_friend": 1.5,
    "collocation": 1.2,
    "article": 0.6,
    "preposition": 0.8,
    "spelling": 0.4,
}
"""How much a kind disturbs a listener, against 1: a missing article least of all."""


class StyleRule(BaseModel):
    """A line of ``data/language_rules.yaml``."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["hedging", "register"]
    said: str
    better: str
    why: str
    at_least: int = 1
    written: bool = False
    words: tuple[str, ...]
    wrong: str
    right: str

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Compiled when one of the words is said for the first time: most rules never match."""
        # searching for a space is many times faster than for a word boundary
        return re.compile(rf" (?:{self.said})(?!\S)")


@cache
def _data(name: str) -> Any:
    text = resources.files("server.grading").joinpath(f"data/{name}").read_text("utf-8")
    return parse_yaml(text, name).data


@cache
def style_rules() -> tuple[StyleRule, ...]:
    """What is remarked on style."""
    return tuple(StyleRule.model_validate(entry) for entry in _data("language_rules.yaml"))


def remark(answer: Answer, words: Sequence[Word]) -> Language:
    """Remarks on style; ``pending``, since errors are looked for later.

    A rough transcript gets none: its errors are the engine's.
    """
    if answer.strict:
        return Language()
    tokens = answer.tokens
    text = "".join(
        [f" | {t.raw}" if t.gap == SENTENCE and place else f" {t.raw}"
         for place, t in enumerate(tokens)]
    )  # fmt: skip
    said = {token.raw for token in tokens}
    notes = []
    for rule in style_rules():
        if said.isdisjoint(rule.words):
            continue
        hits = list(rule.pattern.finditer(text))
        if len(hits) < rule.at_least:
            continue
        hit = hits[0]
        place = sum(word != "|" for word in text[: hit.start()].split())
        word = words[tokens[place].first] if tokens[place].first < len(words) else None
        unsure = word is not None and (word.confidence or 1.0) < LEAST_CONFIDENCE
        if unsure or (rule.written and word is not None and word.start_s is not None):
            continue
        notes.append(
            LanguageNote(
                kind=rule.kind,
                said=hit.group().strip().replace(" | ", ". "),
                better=hit.expand(rule.better),
                why=rule.why,
                start_s=word.start_s if word else None,
                weight=_STYLE_WEIGHT,
            )
        )
    return Language(notes=tuple(notes), pending=True)


def tongue_of(written: str) -> str | None:
    """The code of a mother tongue as somebody wrote it, or what they wrote; ``None``: nothing."""
    plain = unicodedata.normalize("NFC", written).strip().casefold()
    first, *others = re.split(r"[\s_.,;/()（）、，-]+", plain)  # "pt BR", "中文（简体）"
    named = {word for word in (first, *others) if len(word) > 3 or not word.isascii()}
    known = {code: {code, *names.split()} for code, names in _data("tongues.yaml").items()}
    found = next((code for code, names in known.items() if names & {first, *named}), plain) or None
    return found if found != "en" or named <= known["en"] else plain  # "Polish, English"


class _Typed(BaseModel):
    text: str
    start_s: float | None = None
    end_s: float | None = None
    confidence: float | None = None


def find_errors(folder: Path | None, report: Report, mother_tongue: str = "") -> Language:
    """The remarks on the English of a report: its errors, and what was said of style.

    Args:
        folder: holds the language model, or gets it; ``None``: rules alone are at work.
        report: of an answer.
        mother_tongue: as the candidate writes it.
    """
    found = checker(folder)
    transcript = report.transcript
    words: Sequence[Said] = transcript.words or [_Typed(text=w) for w in transcript.text.split()]
    skipped = {place for each in taken_back([word.text for word in words]) for place in each}
    for start in report.delivery.repeated_starts:
        live = (
            at for at in range(start.word_index, len(words)) if not is_hesitation(words[at].text)
        )
        skipped.update(islice(live, len(start.text.split())))
    style = tuple(n for n in report.language.notes if n.kind in ("hedging", "register"))
    notes = [
        LanguageNote.model_validate(
            {
                "kind": note.kind,
                "said": note.said,
                "better": note.better,
                "why": note.why,
                "start_s": words[note.first].start_s,
                "end_s": getattr(words[note.last - 1], "end_s", None),
                "sentence": note.sentence,
                "weight": round(_WORST.get(note.kind, 1.0) * (1.0 + note.chance), 3),
            }
        )
        for note in found.notes(words, tongue_of(mother_tongue), skipped, _terms(report, words))
    ]
    return Language(notes=(*notes, *style), by=found.by, mother_tongue=mother_tongue)


def _terms(report: Report, words: Sequence[Said]) -> list[range]:
    """Where terms of the lexicon, and key phrases word for word, were said."""
    found = (each.word_indices for each in report.pronunciation.terms)
    terms = [range(places[0], places[-1] + 1) for places in found if places]
    plain = [word.text.strip(",.?!;:").lower() for word in words]
    for phrase in (each.phrase.lower().split() for each in report.coverage.phrases):
        ranges = (range(at, at + len(phrase)) for at in range(len(plain)))
        terms += [each for each in ranges if plain[each.start : each.stop] == phrase]
    return terms


def with_language(report: Report, language: Language) -> Report:
    """The report with these remarks, and a summary that knows them."""
    summary = summarize(
        report.coverage, report.pronunciation, report.delivery, language, report.structure
    )
    return report.model_copy(update={"language": language, "summary": summary})
