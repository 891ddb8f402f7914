"""Concrete facts in a passage: a number, a name, a reason, an act of the speaker.

Fluent but empty speech has few of them. They are found by words that speech recognition gets right,
without tense and articles, which many speakers leave out.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Final, Literal, get_args

from question_bank.strict_yaml import parse_yaml
from server.grading.english import by_word

_START: Final = re.compile(r"^\^")
_AT_START: Final = r"(?<=\\n )"


def read_data(name: str) -> dict[str, Any]:
    """The content of a file in ``data/``."""
    file = resources.files("server.grading").joinpath("data/structure", name)
    loaded: dict[str, Any] = parse_yaml(file.read_text("utf-8"), name).data
    return loaded


def whole_words(expressions: Iterable[str]) -> re.Pattern[str]:
    """One pattern that finds any of the expressions between spaces in ``facts.JoinedText``.

    It begins with the space before a word, because searching for a space is many times faster than
    for a word boundary. ``^`` at the start of an expression means the start of a line.
    """
    either = "|".join(f"(?:{_START.sub(_AT_START, each.strip())})" for each in expressions)
    return re.compile(rf" (?:{either})(?!\S)")


Fact = Literal[
    "number", "calculation", "name", "reason", "contrast", "condition", "own_act", "person", "time"
]
FACTS: Final[tuple[Fact, ...]] = get_args(Fact)

NUMBER: Final = "#"
"""Replaces each number in the plain form of a text, however many words it takes."""
_EDGES: Final = "\"'“”‘’()[]{}.,;:!?…–—-$€£"
_SENTENCE_END: Final = re.compile(r"[.?!][\"'”’)]*$")
_LONG_NUMBER: Final = re.compile(r"#(?: (?:and |point |a )?#)+")
_LINE: Final = re.compile("\n")
_MYSELF: Final = re.compile(r"I(?:['’]\w+)?[,.;:!?…–—-]*$")


@dataclass(frozen=True)
class _Words:
    numbers: frozenset[str]
    units: frozenset[str]
    patterns: dict[Fact, re.Pattern[str]]


def plain_words(words: Sequence[str]) -> list[str]:
    """Each word in lower case without punctuation; numbers as ``#``. The count stays the same."""
    plain = [_plain_word(word) for word in words]
    if "one" in plain:
        units = _words().units
        for at, word in enumerate(plain[:-1]):
            if word == "one" and _bare(words[at + 1]) in units:
                plain[at] = NUMBER
    return plain


class JoinedText:
    """Passages of plain words, one per line, so that one search finds all that match.

    Attributes:
        text: each line begins with a space; a number of several words is one ``#``.
    """

    def __init__(self, stretches: Iterable[str]) -> None:
        text = "".join([f"\n {each}" for each in stretches])
        self.text = _LONG_NUMBER.sub(NUMBER, text)
        self._starts = [hit.start() for hit in _LINE.finditer(self.text)]

    def holding(self, pattern: re.Pattern[str]) -> list[int]:
        """The numbers of the lines in which a pattern of ``whole_words`` is found."""
        found: list[int] = []
        starts, search = self._starts, pattern.search
        hit = search(self.text)
        while hit is not None:
            found.append(bisect_right(starts, hit.start()) - 1)
            follower = found[-1] + 1
            hit = search(self.text, starts[follower]) if follower < len(starts) else None
        return found


def names_in(words: Sequence[str]) -> list[bool]:
    """For each word, whether it is a name: a capital letter not explained by a sentence start."""
    found = []
    starts = True
    for word in words:
        named, named_inside, ends = _capitals(word)
        found.append(named_inside if starts else named)
        starts = ends
    return found


def ends_sentence(word: str) -> bool:
    """Whether a sentence ends with a word as written."""
    return _capitals(word)[2]


def pattern_of(fact: Fact) -> re.Pattern[str]:
    """The pattern that finds a fact other than a name in ``JoinedText``."""
    return _words().patterns[fact]


@by_word
def _capitals(word: str) -> tuple[bool, bool, bool]:
    """Whether a word is a name, whether even at the start of a sentence, and whether it ends it."""
    others = not _MYSELF.match(word)
    named, inside = (any(map(str.isupper, letters)) and others for letters in (word, word[1:]))
    return named, inside, bool(_SENTENCE_END.search(word))


def _bare(word: str) -> str:
    return word.replace("’", "'").strip(_EDGES).casefold()


@by_word
def _plain_word(word: str) -> str:
    return _plain(" ".join(_bare(word).split()))


def _plain(bare: str) -> str:
    if bare[:1].isdigit():
        return NUMBER
    parts = [part for part in re.split("[-–]", bare) if part != "and"]
    return NUMBER if parts and _words().numbers.issuperset(parts) else bare


@cache
def _words() -> _Words:
    data = read_data("facts.yaml")
    stative = "|".join(map(re.escape, data["stative"].split()))
    return _Words(
        numbers=frozenset(data["numbers"].split()),
        units=frozenset(data["units"].split()),
        patterns={
            fact: whole_words(each.replace("STATIVE", stative) for each in data["facts"][fact])
            for fact in FACTS
            if fact != "name"
        },
    )
