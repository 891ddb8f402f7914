"""Names that are also everyday words: "scale to zero" is not about ZeRO, nor "the rest" about REST.

Such a word names the term if it has the term's capitals, if the question is about the term, or if
the words around it suggest the term.
"""

from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from pronunciation.g2p import dictionary
from pronunciation.terms import Term, companions
from pronunciation.written_terms import normal, numbers_of

NEAR: Final = 5
"""Words on either side that may suggest a term."""
MIN_CASED: Final = 15
"""Words; if a text this long has no capitals, its engine does not write any."""
STAGES: Final = frozenset(("stage", "version", "level"))
_COUNTS: Final = frozenset(("one", "two", "three", "four", "five", "six", "seven", "eight", "nine"))
TELLING: Final = 5
"""Letters; shorter words of an expansion occur in any text."""
_ENDS: Final = (".", "?", "!")


class Named(NamedTuple):
    """A term whose name occurs in a text, and where."""

    term: Term
    word_index: int
    n_words: int = 1


def other_words(
    named: Iterable[Named],
    words: Sequence[str],
    expected: Collection[str] = (),
    *,
    is_listened_to: bool = True,
) -> list[Named]:
    """The names that are used as an everyday word and not for the term.

    Args:
        named: all places where the text has a term's name.
        words: the text's.
        expected: terms that the question is about.
        is_listened_to: whether the sound is also judged. If so, nothing is ruled out in a text
            without capitals.
    """
    doubtful: list[Named] = []
    sure: list[Named] = []
    for each in named:
        is_doubtful = each.n_words == 1 and is_everyday(each.term)
        (doubtful if is_doubtful else sure).append(each)
    if not doubtful or (is_listened_to and _is_uncased(words)):
        return []
    return [
        each
        for each in doubtful
        if not _is_meant(each.term, each.word_index, words, expected, sure)
    ]


def is_everyday(term: Term) -> bool:
    """Whether a term's name in small letters is another word ("zero", "rest", "spark").

    Names ("ethernet", "kafka") are also in the dictionary, but not in the plural.
    """
    return (
        term.kind != "letters"
        and not term.term.islower()
        and " " not in term.term
        and _has_plural(normal(term.term))
    )


@lru_cache(maxsize=4096)
def _has_plural(word: str) -> bool:
    """Whether the dictionary has a word in both numbers."""
    known = dictionary()
    return word.isalpha() and word in known and (word + "s" in known or word + "es" in known)


def _is_meant(
    term: Term, index: int, words: Sequence[str], expected: Collection[str], sure: Sequence[Named]
) -> bool:
    """Whether a word that is both a term's name and an everyday word means the term.

    ``sure``: the terms that the text surely names.
    """
    before = normal(words[index - 1]) if index else ""
    bare = normal(words[index])
    behind = [normal(word) for word in words[index + 1 : index + 3]]
    if bare not in numbers_of(normal(term.term)):  # another spelling, see ``written_as``
        return True
    return (
        _is_written_as_name(index, words)
        or term.term in expected
        or _is_numbered(before, behind)
        or any(
            abs(each.word_index - index) <= NEAR and each.term.term in companions(term.term)
            for each in sure
        )
        or not _own_words(term).isdisjoint((before, bare, *behind[:1]))
    )


def _is_uncased(words: Sequence[str]) -> bool:
    """Whether the engine that wrote the text seems not to write capitals."""
    return len(words) >= MIN_CASED and all(each == each.lower() for each in words)


def _is_written_as_name(index: int, words: Sequence[str]) -> bool:
    """Whether the word has capitals that a sentence start does not explain."""
    word = words[index].strip("\"'([{“‘")
    if word == word.lower():
        return False
    starts = index == 0 or words[index - 1].rstrip("\"')]}”’").endswith(_ENDS)
    return not starts or word[1:] != word[1:].lower()


def _is_numbered(before: str, behind: Sequence[str]) -> bool:
    """Whether the number of a stage or version follows: "zero stage 3", but not "1 point 0 3"."""
    if before == "point" or _is_count(before):
        return False
    following = [*behind, "", ""]
    return _is_count(following[0]) or (following[0] in STAGES and _is_count(following[1]))


def _is_count(word: str) -> bool:
    return word.isdecimal() or word in _COUNTS


def _own_words(term: Term) -> set[str]:
    """The distinctive words of a term's expansion."""
    words = {normal(word) for word in term.stands_for.split()}
    return {word for word in words if len(word) >= TELLING} - {normal(term.term)}
