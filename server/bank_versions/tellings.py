"""Which questions a story answers, and what differs between two tellings of it."""

import calendar
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import takewhile
from typing import Final

from question_bank.models import Question
from server.bank_versions.posting import nearness
from server.grading.by_meaning import content_stems
from server.grading.english import word_set
from server.grading.numbers import SCALES, number_text
from server.grading.quantities import SECONDS
from server.grading.tokenizer import SENTENCE, Token, tokenize

ANSWERS: Final = 0.9
"""Nearness (see ``posting.FITS``) from which a sentence of a story answers a question."""
_MAX_QUESTIONS: Final = 3
_CONTEXT: Final = 6
"""Words on each side of a fact, in its sentence, that say what it is about."""
_NEARLY_ALIKE: Final = 0.1
"""So much may a value be off in another unit: "six weeks", "a month and a half"."""
_SENTENCE_END: Final = re.compile(r"(?<=[.;!?])\s+")
_NUMBER: Final = re.compile(r"\d+(\.\d+)?")
_SECONDS: Final = {name: float(size) for name, size in SECONDS.items()} | {
    "night": 86_400.0, "month": 2_629_800.0, "year": 31_557_600.0,
}  # fmt: skip
_CURRENCIES: Final = word_set("dollar euro pound franc buck")
_KINDS: Final = {
    **dict.fromkeys(word_set("percent percentage pp"), "share"),
    **dict.fromkeys(_CURRENCIES, "money"),
    **dict.fromkeys(word_set("time fold"), "factor"),
    **dict.fromkeys(_SECONDS, "duration"),
    **dict.fromkeys(
        word_set("people person engineer developer colleague member teammate man woman"), "people"
    ),
}
"""What is counted in several words; anything else is counted in its own."""
_SHARES: Final = {"half": 50.0, "third": 100 / 3, "quarter": 25.0}
_CHANGES: Final = {"halve": 50.0, "double": 2.0, "triple": 3.0, "quadruple": 4.0}
_MONTHS: Final = [each.casefold() for each in calendar.month_name]
_DAYS: Final = [each.casefold() for each in calendar.day_name]
_BEFORE_A_DATE: Final = word_set("in since until by of from last this next early late mid")
_BEFORE_A_DURATION: Final = word_set("take last for in within after about only just than spend")
_DIRECTIONS: Final = word_set("from to by")
_ROUGHLY: Final = word_set("about around nearly almost roughly over only just some")
_SCALES: Final = {"dozen": 12} | {name: 10**power for name, power in SCALES.items()}
_NO_NOUN: Final = word_set(
    "of in on at to for from by with and or but that who which per i we it was were is are has "
    "does then"
)
_NOT_COUNTED: Final = _NO_NOUN | word_set("thing time way more another hand side")
_DATES: Final = ("year", "month", "weekday")
_GROUPS: Final = (("team", "of"), ("group", "of"))
_LONGEST_NOUN: Final = 3
"""Words: "five new engineers"."""


@dataclass(frozen=True)
class _Fact:
    """A number, a month or a weekday.

    Attributes:
        kind: what can be compared with it.
        value: in the kind's own unit.
        unit: as said.
        text: as shown.
        about: stems of the words around it.
        direction: ``from``, ``to`` or ``by``, where one of them leads it.
    """

    kind: str
    value: float
    unit: str
    text: str
    about: frozenset[str] = frozenset()
    direction: str = ""

    def says(self, other: "_Fact") -> bool:
        """Whether the other one says the same."""
        off = 0.0 if self.unit == other.unit else _NEARLY_ALIKE * max(self.value, other.value)
        return self.kind == other.kind and abs(self.value - other.value) <= off

    def nearness(self, other: "_Fact") -> int:
        """How many words tell that the other one is about the same."""
        opposed = {self.direction, other.direction} - {""}
        return 0 if len(opposed) > 1 else len(self.about & other.about)


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
    """The facts that differ between two tellings: ``36 % then, 30 % now``."""
    before, after = list(_facts(earlier)), list(_facts(now))
    gone = [each for each in before if not any(map(each.says, after))]
    new = [each for each in after if not any(map(each.says, before))]
    found: list[str] = []
    for fact in new:
        left = [each for each in gone if each.kind == fact.kind]
        if not left:
            continue
        nearest = max(left, key=fact.nearness)
        told = (left, new) if fact.kind in _DATES else (before, after)
        alone = all(sum(e.kind == fact.kind for e in each) == 1 for each in told)
        same = (nearest.unit, nearest.direction) == (fact.unit, fact.direction)
        if fact.nearness(nearest) or (alone and same):
            found.append(f"{nearest.text} then, {fact.text} now")
            gone.remove(nearest)
    return tuple(dict.fromkeys(found))


def _facts(text: str) -> Iterator[_Fact]:
    words = text.split()
    tokens = tokenize(words)
    begin = 0
    for at, token in enumerate(tokens):
        begin = at if token.gap == SENTENCE else begin
        read = _date(tokens, at) or _change(tokens, at) or _number(tokens, at, words)
        if read is None:
            continue
        fact, end = read
        stop = next((n for n in range(end, len(tokens)) if tokens[n].gap == SENTENCE), len(tokens))
        near = tokens[max(begin, at - _CONTEXT) : at] + tokens[end : min(stop, end + _CONTEXT)]
        led = [each.lemma for each in tokens[begin:at] if each.lemma not in _ROUGHLY][-1:]
        direction = "".join(_DIRECTIONS & {*led})
        about = content_stems(" ".join(each.lemma for each in near if not _NUMBER.match(each.text)))
        yield replace(fact, about=about, direction=direction)


def _date(tokens: Sequence[Token], at: int) -> tuple[_Fact, int] | None:
    text, before = tokens[at].text, tokens[at - 1].lemma if at else ""
    name = text.capitalize()
    if text in _DAYS:
        return _Fact("weekday", _DAYS.index(text), "", name), at + 1
    if text in _MONTHS and before in _BEFORE_A_DATE:
        return _Fact("month", _MONTHS.index(text), "", name), at + 1
    if re.fullmatch(r"(19|20)\d\d", text) and (before in _BEFORE_A_DATE or before in _MONTHS):
        return _Fact("year", int(text), "", text), at + 1
    return None


def _change(tokens: Sequence[Token], at: int) -> tuple[_Fact, int] | None:
    """A share or a factor in words: "halved", "in half", "by a third", "tripled"."""
    token, led = tokens[at], [each.text for each in tokens[max(0, at - 2) : at]]
    if token.lemma in _CHANGES and token.raw.endswith("d"):
        kind = "share" if token.lemma == "halve" else "factor"
        return _Fact(kind, _CHANGES[token.lemma], token.lemma, token.raw), at + 1
    if token.text in _SHARES and (led[-1:] in (["by"], ["in"]) or led == ["by", "a"]):
        return _Fact("share", _SHARES[token.text], token.text, token.text), at + 1
    return None


def _number(tokens: Sequence[Token], at: int, words: Sequence[str]) -> tuple[_Fact, int] | None:
    """A number with what it counts, and where it ends."""
    token, led = tokens[at], tuple(each.lemma for each in tokens[max(0, at - 2) : at])
    said = rest = list(takewhile(lambda each: not each.gap, tokens[at + 1 : at + 8]))
    following = {rest[0].raw, rest[0].lemma} if rest else set()
    is_one = token.raw in ("one", "a", "an")
    if is_one and not following.isdisjoint(_SECONDS):
        counts = not _BEFORE_A_DURATION.isdisjoint(led[-1:])  # not "one day", "twice a week"
    elif is_one:
        counts = token.raw == "one" and bool(following) and following.isdisjoint(_NOT_COUNTED)
    elif token.raw in _SCALES and _NUMBER.fullmatch("".join(led[-1:])):
        counts = False  # of the number before
    else:
        counts = token.text == "dozen" or bool(_NUMBER.fullmatch(token.text) and not token.inside)
    if not counts:
        return None
    value = Decimal(12 if token.text == "dozen" else 1 if is_one else token.text)
    if scale := next(iter(following & _SCALES.keys()), None):
        value, rest = value * _SCALES[scale], rest[1:]
    shown = number_text(value) if value >= 10**6 else f"{value:,}"
    for number, each in enumerate(rest[:2]):  # "two to three days"
        if _NUMBER.fullmatch(each.text) and (each.inside or rest[0].text in ("to", "or")):
            rest = rest[number + 1 :]
    noun = list(takewhile(lambda each: each.lemma not in _NO_NOUN, rest[:_LONGEST_NOUN]))
    plural = (n for n, e in enumerate(noun, 1) if e.text.endswith("s") and e.text != e.lemma)
    noun = noun[: next(plural, 1)]
    unit = noun[-1].lemma if noun else ""
    kind, amount = _KINDS.get(unit, unit), float(value)
    name = " ".join(e.raw if e.inside else words[e.first].strip(".,;:!?") for e in noun)
    if unit in _SHARES:
        kind, amount = "share", amount * _SHARES[unit]
    elif kind == "share":
        name = "%"
    elif kind == "money":
        name = f"{unit}s"
    elif kind == "duration":
        half = [each.text for each in rest[len(noun) :][:3]] == ["and", "a", "half"]
        amount = (amount + half / 2) * _SECONDS[unit]
        name += " and a half" if half else ""
    elif led in _GROUPS or unit == "person":
        kind = unit = name = "people"
    elif is_one:
        kind = unit  # "one colleague" is one of several people
    fact = _Fact(kind, amount, unit, f"{shown} {name}".strip())
    return fact, at + 1 + len(said) - len(rest) + len(noun)
