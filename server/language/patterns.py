"""Wrong wordings, found by the table ``data/patterns.yaml``: no parse, no model.

A line of the table becomes one regular expression over lower-case words, one space apart.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from typing import Literal

from pydantic import BaseModel, ConfigDict

from question_bank.strict_yaml import parse_yaml
from server.language.words import inflect, listed

FORMS = ("VB", "VBZ", "VBG", "VBD", "VBN")
"""Base, third person, -ing form, past and participle: the Penn Treebank's names."""
_ANY_FORM = {
    ":base": ("VB",),
    ":past": ("VBD", "VBN"),
    ":participle": ("VBN",),
    ":third": ("VBZ",),
    ":ing": ("VBG",),
}
_INDEFINITE = "an?|some|any|many|several|few|more|two|three|no|a lot of|lots of"
_ADJECTIVES = (
    "big|bad|good|great|small|quick|final|right|wrong|real|huge|new|important|serious|stupid|common|"
    "technical|short|long|clear|better|similar|extra|special|simple|hard|difficult|funny|blurry"
)
_AFTER_BARE = "(?= (?:about|on|into|to|for|in|before|when|because|and|but|so|that)( |$)|$)"
"""What may follow an object without an article: "to make research easy" is right."""
_VERB = re.compile(r"<([a-z:]+)>")
_PERFECT = re.compile(r"\b(have|has|had|having|\w+'ve|be|been|is|are|was|were|being)( \w+ly)? $")


class Example(BaseModel):
    """A sentence that gets a note, and words of the repair."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    say: str
    better: str


class Group(BaseModel):
    """Lines that have one reason, and sentences that show where they hold."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["collocation", "tense"]
    why: str
    lines: tuple[str, ...]
    fine: tuple[str, ...] = ()
    wrong: tuple[Example, ...] = ()


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    verbs: str
    collocations: dict[str, dict[str, str]]
    rules: tuple[Group, ...]


@dataclass(frozen=True)
class Hit:
    """A wrong wording: its place in the text (characters), the repair, and why."""

    kind: Literal["collocation", "tense"]
    start: int
    end: int
    better: str
    why: str


def find(text: str) -> list[Hit]:
    """The wrong wordings in lower-case words, one space apart, ``|`` between sentences.

    Of hits that overlap only the longest is kept.
    """
    present = frozenset(text.split())
    hits = [
        hit for line in _lines() if not line.needs.isdisjoint(present) for hit in line.find(text)
    ]
    hits = [hit for hit in hits if hit.better != text[hit.start : hit.end]]
    hits.sort(key=lambda hit: (hit.start - hit.end, hit.start))
    kept: list[Hit] = []
    for hit in hits:
        if all(hit.end <= other.start or other.end <= hit.start for other in kept):
            kept.append(hit)
    return sorted(kept, key=lambda hit: hit.start)


def groups() -> tuple[Group, ...]:
    """The table's groups."""
    return _table().rules


@dataclass(frozen=True)
class _Line:
    group: Group
    said: str
    better: str

    @cached_property
    def needs(self) -> frozenset[str]:
        """Words of which one is in every hit: the line's first place."""
        first = _without_first_space(self.said)
        return frozenset(first)

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        count = iter(range(1, 99))
        said = re.sub(r"\((?!\?)", lambda _: f"(?P<g{next(count)}>", self.said)
        said = said.replace(")? ", ")? ?")
        return re.compile(rf"(?:^|(?<= )){_VERB.sub(_alternatives, said)}(?= |$)")

    def find(self, text: str) -> Iterator[Hit]:
        for match in self.pattern.finditer(text):
            better = re.sub(r"\\(\d)", lambda g, m=match: m[f"g{g[1]}"] or "", self.better)  # type: ignore[misc]
            better = _VERB.sub(_inflector(match, text), better)
            yield Hit(
                self.group.kind,
                match.start(),
                match.end(),
                " ".join(better.split()),
                self.group.why,
            )


def _without_first_space(said: str) -> Iterator[str]:
    """The words that the first place of a line stands for."""
    said = re.sub(r"^\(\?<!.*?\)", "", said)
    if said.startswith("<"):
        yield from _alternatives_of(said[1 : said.index(">")])
    elif said.startswith("("):
        for word in said[1 : said.index(")")].split("|"):
            yield from word.split()[:1]
        if said[said.index(")") + 1 :].startswith("s"):
            yield from [f"{word}s" for word in said[1 : said.index(")")].split("|")]
    else:
        yield said.split()[0].rstrip("?")


def _alternatives_of(name: str) -> list[str]:
    if name in _ANY_FORM:
        tags = _ANY_FORM[name]
        found = [form for forms in _verbs().values() for tag in tags for form in [forms[tag]]]
        if name == ":past":  # "set", "run", "split": also base forms
            found = [form for form in found if form not in _verbs() and form != "lead"]
        return sorted(set(found))
    return sorted(set(_verbs()[name].values()))


def _alternatives(match: re.Match[str]) -> str:
    return f"(?P<verb>{'|'.join(_alternatives_of(match[1]))})"


def _inflector(match: re.Match[str], text: str) -> Callable[[re.Match[str]], str]:
    """Puts a verb of the right side into the form that was said, or into the form asked for."""

    def put(slot: re.Match[str]) -> str:
        said = match["verb"]
        base, tags = _base_of()[said]
        if slot[1] in _ANY_FORM:
            return _verbs()[base][_ANY_FORM[slot[1]][0]]
        tag = tags[0]
        if "VBN" in tags and _PERFECT.search(text[: match.start("verb")]):
            tag = "VBN"
        return _verbs()[slot[1]][tag]

    return put


@cache
def _table() -> _Table:
    text = resources.files("server.language").joinpath("data/patterns.yaml").read_text("utf-8")
    return _Table.model_validate(parse_yaml(text, "patterns.yaml").data)


@cache
def _lines() -> tuple[_Line, ...]:
    lines = []
    for group in _table().rules:
        for line in group.lines:
            said, better = line.split(" > ")
            lines.append(_Line(group, said, better))
    return (*lines, *_collocations())


def _collocations() -> Iterator[_Line]:
    for right, wrongs in _table().collocations.items():
        verb, _, particle = right.partition(" ")
        for wrong, nouns in wrongs.items():
            opener = rf"((?:(?:{_INDEFINITE}) ){'?' if wrong == 'do' else ''}"
            group = Group(
                kind="collocation", why=f'"{right.capitalize()}" goes with this noun.', lines=()
            )
            adjectives = rf"(?:(?:{_ADJECTIVES}) ){{0,2}}"
            mass = [each for each in nouns.split() if each in listed("mass")]
            noun = f"(?:{'|'.join(nouns.split())})s?"
            for article, end in (("an? ", ""), ("", _AFTER_BARE)) if mass else ():  # "a research"
                said = rf"<{wrong}> (?:{article})({adjectives}(?:{'|'.join(mass)}))s?{end}"
                yield _Line(group, said, rf"<{verb}> {particle} \1")
            said = f"<{wrong}> {opener}{adjectives})({noun})"
            yield _Line(group, said, rf"<{verb}> {particle} \1\2")


@cache
def _verbs() -> Mapping[str, Mapping[str, str]]:
    """Each verb's forms by their names."""
    return {verb: {tag: inflect(verb, tag) for tag in FORMS} for verb in _table().verbs.split()}


@cache
def _base_of() -> Mapping[str, tuple[str, list[str]]]:
    out: dict[str, tuple[str, list[str]]] = {}
    for verb, forms in _verbs().items():
        for tag in FORMS:
            out.setdefault(forms[tag], (verb, []))[1].append(tag)
    return out
