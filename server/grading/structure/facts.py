"""What is concrete in a stretch of speech: a number, a name, a reason, an act of the speaker.

Fluent emptiness has little of it. All goes by words that speech recognition gets right; no tense
or article is needed, since many speakers leave them out.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final, Literal, get_args

from server.grading.sense.clauses import Span
from server.grading.structure.data_files import read_data, whole_words

Fact = Literal[
    "number", "calculation", "name", "reason", "contrast", "condition", "own_act", "person", "time"
]

NUMBER: Final = "#"
"""Stands for each number in the plain form of a text, however many words it takes."""
_EDGES: Final = "\"'“”‘’()[]{}.,;:!?…–—-$€£"
_SENTENCE_END: Final = re.compile(r"[.?!][\"'”’)]*$")
_MYSELF: Final = re.compile(r"I(?:['’]\w+)?[,.;:!?…–—-]*$")


@dataclass(frozen=True)
class _Words:
    numbers: frozenset[str]
    units: frozenset[str]
    patterns: dict[Fact, re.Pattern[str]]


def plain_words(words: Sequence[str]) -> list[str]:
    """Each word in lower case without punctuation; numbers as ``#``. As many as went in."""
    plain = [_plain_word(word) for word in words]
    if "one" in plain:
        units = _words().units
        bare = [_bare(word) for word in [*words[1:], ""]]
        plain = [
            NUMBER if word == "one" and following in units else word
            for word, following in zip(plain, bare, strict=True)
        ]
    return plain


def text_of(plain: Sequence[str], span: Span) -> str:
    """The span as one string, a number of several words as one ``#``."""
    return re.sub(r"#(?: (?:and |point |a )?#)+", NUMBER, " ".join(plain[span[0] : span[1]]))


def names_in(words: Sequence[str]) -> list[bool]:
    """For each word whether it is a name: a capital letter that no sentence start explains."""
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


def has_fact(text: str, fact: Fact) -> bool:
    """Whether a fact other than a name is in a text as ``text_of`` writes it."""
    return bool(_words().patterns[fact].search(text))


@lru_cache(maxsize=65536)
def _capitals(word: str) -> tuple[bool, bool, bool]:
    """Whether a word is a name, also where it opens a sentence, and whether it ends one."""
    others = not _MYSELF.match(word)
    named, inside = (any(map(str.isupper, letters)) and others for letters in (word, word[1:]))
    return named, inside, bool(_SENTENCE_END.search(word))


def _bare(word: str) -> str:
    return word.replace("’", "'").strip(_EDGES).casefold()


@lru_cache(maxsize=65536)
def _plain_word(word: str) -> str:
    return _plain(_bare(word))


def _plain(bare: str) -> str:
    if bare[:1].isdigit():
        return NUMBER
    parts = [part for part in re.split("[-–]", bare) if part != "and"]
    return NUMBER if parts and _words().numbers.issuperset(parts) else bare


@cache
def _words() -> _Words:
    data = read_data("facts.yaml")
    stative = "|".join(map(re.escape, data["stative"].split()))
    known: tuple[Fact, ...] = get_args(Fact)
    return _Words(
        numbers=frozenset(data["numbers"].split()),
        units=frozenset(data["units"].split()),
        patterns={
            fact: whole_words(each.replace("STATIVE", stative) for each in data["facts"][fact])
            for fact in known
            if fact != "name"
        },
    )
