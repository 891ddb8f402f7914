"""Repairs that the checks propose for a parsed sentence: many, most of them wrong.

Whether one is right is not decided here: ``acceptor`` weighs each of them.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import accumulate
from typing import Any, Final

from server.language.words import article, cased, inflect, listed, load

LEAST_STRENGTH: Final = 0.7
"""Weaker repairs of rules are not scored, and need not be proposed: hardly one was right."""
UNVOUCHED: Final = 0.65
"""The strength of a repair that no rule vouches for: scored where the model itself expects it."""
Edit = tuple[int, int, str, float]
"""First token, the token behind the last, new words, and how sure the rule is (0.5 to 1.2)."""
SURE: Final = 1.1
"""The strength of a repair that needs no language model to be believed ("he don't")."""
NO_DOUBT: Final = 1.2
"""The strength of a repair whose fault no correct sentence shows ("must to go")."""


class Sentence:
    """A parsed sentence, and whose English it is."""

    def __init__(self, doc: Any, tongue: str | None = None):
        """Take a spaCy ``Doc`` of one sentence."""
        self.doc, self.tongue = doc, tongue
        self.low: list[str] = [token.lower_ for token in doc]
        self.asks = doc[-1].text == "?"
        self.offset = 0
        self.people_before = self.plural_before = False

    def __len__(self) -> int:
        return len(self.doc)

    def word(self, place: int) -> str:
        """A token in lower case; empty outside the sentence."""
        return self.low[place] if 0 <= place < len(self.low) else ""

    def tag(self, place: int) -> str:
        """A token's Penn tag; empty outside the sentence."""
        return str(self.doc[place].tag_) if 0 <= place < len(self.low) else ""

    def pos(self, place: int) -> str:
        """A token's part of speech; empty outside the sentence."""
        return str(self.doc[place].pos_) if 0 <= place < len(self.low) else ""

    def lemma(self, place: int) -> str:
        """A token's lemma in lower case; empty outside the sentence."""
        return str(self.doc[place].lemma_).lower() if 0 <= place < len(self.low) else ""

    def text(self, start: int, end: int) -> str:
        """The text of some tokens."""
        return str(self.doc[start:end].text) if start < end else ""

    @cached_property
    def chunks(self) -> list[Any]:
        """The noun phrases."""
        return list(self.doc.noun_chunks)

    @cached_property
    def coded(self) -> tuple[str, dict[int, int]]:
        """Each token as "word/tag/lemma/b" (b begins a noun phrase, i is in one, o in none).

        With it the token that begins at a place of the text.
        """
        marks = ["o"] * len(self)
        for chunk in self.chunks:
            marks[chunk.start : chunk.end] = ["b", *["i"] * (len(chunk) - 1)]
        parts = [
            "/".join(w.replace("/", "_") for w in (t.lower_, t.tag_, t.lemma_.lower(), mark)) + " "
            for t, mark in zip(self.doc, marks, strict=True)
        ]
        starts = accumulate((len(part) for part in parts), initial=0)
        return "".join(parts), {start: at for at, start in enumerate(starts)}

    def chunk_from(self, place: int) -> Any | None:
        """The noun phrase that begins here."""
        return next((chunk for chunk in self.chunks if chunk.start == place), None)

    def subject(self, token: Any) -> Any | None:
        """The subject of a verb, also of one that an auxiliary belongs to."""
        kinds = ("nsubj", "nsubjpass")
        for verb in (token, token.head) if token.dep_ in ("aux", "auxpass") else (token,):
            for child in verb.children:
                if child.dep_ in kinds:
                    return child
        return None


@dataclass(frozen=True)
class Proposal:
    """One repair: characters of the sentence, new words, the rule and how sure it is."""

    rule: str
    start: int
    end: int
    new: str
    strength: float
    first: int
    last: int

    def applied(self, text: str) -> str:
        """The sentence with it."""
        return text[: self.start] + self.new + text[self.end :]


WHO: Final = ("i", "we", "they", "you", "he", "she", "it")
CLAUSES: Final = ("ROOT", "conj", "ccomp", "advcl")
"""What a verb is in its sentence that has a subject of its own."""
Check = Callable[[Sentence], Iterator[Edit]]
CHECKS: list[tuple[str, Check]] = []


def check(rule: str) -> Callable[[Check], Check]:
    """Register a check under the name of its rule in ``data/rules.yaml``."""

    def register(function: Check) -> Check:
        CHECKS.append((rule, function))
        return function

    return register


@dataclass(frozen=True)
class Shape:
    """A line of ``data/shapes.yaml``: words and phrases in a row, and what to put for some."""

    strength: float
    has: re.Pattern[str]
    hasnt: re.Pattern[str]
    pattern: re.Pattern[str]
    new: str

    @classmethod
    def read(cls, line: str) -> "Shape":
        """The shape of a line; the file says how they are written."""
        strength, rest = line.split(maxsplit=1)
        told, new = rest.split(" =>")
        parts, places, some, none = [], 0, "", "$^"
        for word in told.split():
            if word[0] == "{":
                text = _token(word.strip("{!}"))
                some, none = (some, text) if word[1] == "!" else (text, none)
            elif word in "()":
                parts.append(f"(?P<{'from' if word == '(' else 'to'}>)")
            elif word == "<":
                parts.append("^")
            elif word[0] == "!":
                parts.append(f"(?!{_token(word[1:])})")
            else:
                places += 1
                one = _token(word.rstrip("?"))
                parts.append(f"(?P<e{places}>{one}){'?' if word[-1] == '?' else ''}")
        pattern = re.compile("(?:^|(?<= ))" + "".join(parts))
        return cls(float(strength), re.compile(some), re.compile(none), pattern, new.strip())

    def edits(self, s: Sentence) -> Iterator[Edit]:
        """What it proposes for a sentence."""
        code, places = s.coded
        if self.has.search(code) and not self.hasnt.search(code):
            for found in self.pattern.finditer(code):
                span = {
                    name: (places[found.start(name)], places[found.end(name)])
                    for name, text in found.groupdict().items()
                    if text is not None
                }
                yield span["from"][0], span["to"][0], self._put(s, span), self.strength

    def _put(self, s: Sentence, span: dict[str, tuple[int, int]]) -> str:
        words = []
        for word in self.new.split():
            what, _, doer = word.partition("/")
            number, _, form = what.partition(":")
            first, last = span.get(f"e{number}", (0, 0))
            one, me = _is_one(s.doc[slice(*span[f"e{doer}"])]) if doer else (False, False)
            if what in _AGREES:
                words.append(_AGREES[what][1 if one else 2 if me else 0])
            elif number.isdigit() and form and first < last:
                tag = ("VBZ" if one else "VBP") if form == "NOW" else form
                words.append(inflect(s.lemma(first), tag))
            elif form.isdigit():
                words.append(inflect(number, s.tag(span[f"e{form}"][0])))
            else:
                said = s.text(first, last)
                lower = first == 0 and s.pos(0) != "PROPN" and said != "I"
                said = said[:1].lower() + said[1:] if lower else said
                words.append(said if number.isdigit() else word)
        return " ".join(each for each in words if each).replace(" n't", "n't")


def _is_one(who: Any) -> tuple[bool, bool]:
    """Whether a subject is a single third person, and whether it is "I"."""
    several = any(token.lower_ == "and" for token in who)
    one = who.root.tag_ in ("NN", "NNP", "VBG") or who.text.lower() in _ONE
    return one and not several, who.text == "I"


_ONE: Final = ("he", "she", "it", "this", "that")
_AGREES: Final = {"WAS": ("were", "was", "was"), "HAVE": ("have", "has", "have")}
_NAMED: Final = {"@years": ("", r"(?:19|20)\d\d"), "@number": ("%", "CD")}
_WORD: Final = "[^ /]+/[A-Z][^ ]+ "


def _token(word: str) -> str:
    """The regular expression of a part of a shape."""
    fixed = {
        "*": _WORD,
        "**": f"(?:{_WORD}){{0,4}}?",
        "***": "(?:[^ ]+ ){0,12}?",
        "NP": "(?:[^ ]+/b (?:[^ ]+/i )*)",
    }
    kind = word[0] if word[0] in "=%" and len(word) > 1 else ""
    parts = (_alternative(kind, each) for each in word.removeprefix(kind).split("|"))
    return fixed.get(word) or "(?:" + "|".join(parts) + ")"


def _alternative(kind: str, each: str) -> str:
    kind, known = _NAMED.get(each, (kind, re.escape(each)))
    if each[0] == "@" and each not in _NAMED:
        known = "|".join(sorted(listed(each[1:])))
    before = {"": "", "%": "[^ /]+/", "=": "[^ /]+/[^ /]+/"}[kind]
    return f"{before}(?:{known})" + {"": "/[^ /]+/[^ /]+", "%": "/[^ /]+", "=": ""}[kind] + "/[^ ] "


@cache
def shapes() -> tuple[tuple[str, Check], ...]:
    """The checks of ``data/shapes.yaml``, each with its rule, read once."""
    lines = ((rule, line) for rule, lines in load("shapes.yaml").items() for line in lines)
    return tuple((rule, Shape.read(line).edits) for rule, line in lines)


def propose(
    sentence: Sentence, checks: Sequence[tuple[str, Check]] | None = None
) -> list[Proposal]:
    """All repairs that the checks propose; of two with the same result the surer one."""
    text = str(sentence.doc.text)
    best: dict[str, Proposal] = {}
    for rule, function in (*CHECKS, *shapes()) if checks is None else checks:
        for start, end, new, strength in function(sentence):
            proposal = _proposal(sentence, rule, start, end, new, strength)
            if proposal is None:
                continue
            key = proposal.applied(text)
            if key not in best or best[key].strength < strength:
                best[key] = proposal
    return list(best.values())


def _proposal(
    sentence: Sentence, rule: str, first: int, last: int, new: str, strength: float
) -> Proposal | None:
    """An edit of tokens as an edit of the text, with the spaces and capitals that it needs."""
    doc, text = sentence.doc, sentence.doc.text
    if not 0 <= first <= last <= len(doc):
        return None
    begin = first
    if first == last:  # an insertion
        if first >= len(doc):
            return None
        at = doc[first].idx
        if first and not doc[first - 1].whitespace_:
            return None
        if first == 0 and doc[0].text != "I" and doc[0].pos_ != "PROPN":
            following = doc[0].text
            new = f"{new[:1].upper()}{new[1:]} {following[:1].lower()}{following[1:]}"
            return Proposal(rule, at, at + len(following), new, strength, first, last)
        if first and sentence.low[first - 1] in ("a", "an") and new:
            return _after_article(sentence, rule, first, last, f"{new} ", strength)
        return Proposal(
            rule, at, at, f"{cased('Xx', new) if first == 0 else new} ", strength, first, last
        )
    start = doc[first].idx
    end = doc[last - 1].idx + len(doc[last - 1].text)
    if not new:
        if end < len(text) and text[end] == " ":
            end += 1
        elif start:
            start -= 1
        if first == 0 and last < len(doc):  # the next word begins the sentence
            follower = doc[last].text
            return Proposal(
                rule, start, end + len(follower), cased("Xx", follower), strength, begin, last
            )
        return Proposal(rule, start, end, "", strength, begin, last)
    new = cased("Xx" if doc[0].text == "I" else doc[0].text, new) if first == 0 else new
    glued = first and not doc[first - 1].whitespace_
    if (glued and new[0] not in "'n") or (glued and new[0] == "n" and not new.startswith("n't")):
        new = f" {new}"
    if new == text[start:end]:
        return None
    if first and sentence.low[first - 1] in ("a", "an") and new[0].isalpha():
        return _after_article(sentence, rule, first, last, new, strength)
    return Proposal(rule, start, end, new, strength, begin, last)


def _after_article(
    sentence: Sentence, rule: str, first: int, last: int, new: str, strength: float
) -> Proposal:
    """An edit behind "a" or "an", which may have to change with it."""
    doc = sentence.doc
    right = article(new.split()[0])
    end = doc[last - 1].idx + len(doc[last - 1].text) if last > first else doc[first].idx
    if right == sentence.low[first - 1]:
        return Proposal(rule, doc[first].idx, end, new, strength, first, last)
    put = cased(doc[first - 1].text, right)
    return Proposal(rule, doc[first - 1].idx, end, f"{put} {new}", strength, first - 1, last)


def overlaps(one: Proposal, other: Proposal) -> bool:
    """Whether two repairs cannot both be made."""
    if one.start == one.end or other.start == other.end:
        return one.start <= other.end and other.start <= one.end
    return one.start < other.end and other.start < one.end


def apply_all(text: str, proposals: Sequence[Proposal]) -> str:
    """The sentence with several repairs that do not overlap."""
    for proposal in sorted(proposals, key=lambda each: each.start, reverse=True):
        text = proposal.applied(text)
    return text
