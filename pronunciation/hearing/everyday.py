"""Names that are everyday words too: "scale to zero" says nothing of ZeRO, nor "the rest" of REST.

Such a word names the term with its own capitals, where the question is about the term, or where
what stands around it speaks for the term.
"""

from collections.abc import Collection, Sequence
from typing import Final

from pronunciation.g2p.words import dictionary, normal, numbers_of
from pronunciation.terms import Term
from pronunciation.terms_together import companions

NEAR: Final = 5
"""Words on either side that may speak for a term."""
MIN_CASED: Final = 15
"""Words without a capital: a text so long comes from an engine that writes none."""
STAGES: Final = frozenset(("stage", "version", "level"))
_COUNTS: Final = frozenset(("one", "two", "three", "four", "five", "six", "seven", "eight", "nine"))
TELLING: Final = 5
"""Letters; shorter words of what a term stands for stand anywhere."""
_ENDS: Final = (".", "?", "!")


def is_everyday(term: Term) -> bool:
    """Whether a term's name in small letters is another word ("zero", "rest", "spark").

    Names ("ethernet", "kafka") are in the dictionary too, but not in the plural.
    """
    name, known = normal(term.term), dictionary()
    return (
        term.kind != "letters"
        and not term.term.islower()
        and name.isalpha()
        and " " not in term.term
        and name in known
        and (name + "s" in known or name + "es" in known)
    )


def is_meant(
    term: Term,
    index: int,
    words: Sequence[str],
    expected: Collection[str],
    named: Collection[tuple[int, str]],
) -> bool:
    """Whether a word that is a term's name and an everyday word stands for the term.

    Args:
        term: see ``is_everyday``.
        index: the word's place.
        words: the text's.
        expected: terms that the question is about.
        named: the places and names of the terms that the text names for sure.
    """
    bare = [normal(word) for word in words]
    if bare[index] not in numbers_of(normal(term.term)):  # another spelling, see ``written_as``
        return True
    return (
        _is_written_as_name(index, words)
        or term.term in expected
        or _is_numbered(bare, index)
        or any(
            abs(place - index) <= NEAR and name in companions(term.term) for place, name in named
        )
        or not _own_words(term).isdisjoint(bare[max(0, index - 1) : index + 2])
    )


def _is_written_as_name(index: int, words: Sequence[str]) -> bool:
    """Whether the word has capitals, and not just as the first of a sentence."""
    word = words[index].strip("\"'([{“‘")
    if word == word.lower():
        return len(words) >= MIN_CASED and all(each == each.lower() for each in words)
    starts = index == 0 or words[index - 1].rstrip("\"')]}”’").endswith(_ENDS)
    return not starts or word[1:] != word[1:].lower()


def _is_numbered(bare: Sequence[str], index: int) -> bool:
    """Whether a number of a stage or version follows: "zero stage 3", but not "1 point 0 3"."""
    before = bare[index - 1] if index else ""
    if before == "point" or _is_count(before):
        return False
    behind = [*bare[index + 1 : index + 3], "", ""]
    return _is_count(behind[0]) or (behind[0] in STAGES and _is_count(behind[1]))


def _is_count(word: str) -> bool:
    return word.isdecimal() or word in _COUNTS


def _own_words(term: Term) -> set[str]:
    """The telling words of what a term stands for."""
    words = {normal(word) for word in term.stands_for.split()}
    return {word for word in words if len(word) >= TELLING} - {normal(term.term)}
