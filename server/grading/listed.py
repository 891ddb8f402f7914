"""Names that are merely listed ("there is Kafka, we have Redis"), with nothing said about them.

A logistic regression over the rates of word classes around a mention tells a list from speech.
``scripts/train_listed.py`` fits it on lists written for the purpose, bare or wrapped in empty
phrases, and on mentions that coaches ticked.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
import numpy.typing as npt

from server.contract import Coverage, coverage_score
from server.grading.lexis.vocabulary import FUNCTION_WORDS
from server.grading.lexis.words import by_word, is_only_verb, letters_of, parts_of_speech, word_set
from server.grading.sense.features import COMMON_WORDS
from server.grading.sense.logistic import Logistic

REACH: Final = 25
"""Words considered on either side."""
MIN_AROUND: Final = 12
"""With fewer words, a list and a short answer look alike."""
LISTED_FROM: Final = 0.0
"""Logit. `scripts/train_listed.py` prints what it finds in lists, and in speech."""

_COMMON: Final = FUNCTION_WORDS | COMMON_WORDS
_CLASSES: Final = {
    "relation": word_set("""
        because since if when whenever while until unless than which by from into onto per without
        before after instead rather otherwise although though whereas against through across during
        once where why how whether therefore hence thus meaning means
        """),
    "to": word_set("to"),
    "in": word_set("in on at with for over under between"),
    "it": word_set("it it's its they them they're their that that's this these those each"),
    "carrier": word_set("""
        there there's there're have has had got having like things thing stuff also too well course
        used use using heard know important definitely lot lots many various different several etc
        etcetera forth obviously another other others all everything anything popular famous
        """),
    "be": word_set("is are was were be been being isn't aren't"),
    "will": word_set("""
        can could would will must should may might i'd we'd you'd i'll we'll you'll can't cannot
        won't don't doesn't didn't not no never only
        """),
    "speaker": word_set("i we you i'm i've we've you've my our your us me"),
}
NAMES: Final = (*_CLASSES, "verb", "bare", "name", "letters")
"""The features: the rates of the classes, of content verbs, of words in items of up to four words
without a common one and of words written as names, and the mean word length in tens."""
_BETWEEN_ITEMS: Final = word_set("and or then also plus maybe um uh like well")
_MAX_ITEM: Final = 4
_MAX_LETTERS: Final = 12

Floats = npt.NDArray[np.float64]


class Listing:
    """Where an answer merely lists names."""

    def __init__(self, words: Sequence[str]) -> None:
        """Takes the words of an answer, with their punctuation."""
        self._sums = np.zeros((len(words) + 1, len(NAMES)))
        _flags(words).cumsum(axis=0, out=self._sums[1:])
        self._known: dict[tuple[int, ...], bool] = {}

    def mark(self, coverage: Coverage) -> Coverage:
        """The coverage, with merely listed phrases as partly said."""
        listed = {
            at
            for at, phrase in enumerate(coverage.phrases)
            if phrase.status == "covered"
            and not phrase.negated
            and phrase.evidence is not None
            and self._has(phrase.evidence.word_indices)
        }
        if not listed:
            return coverage
        phrases = tuple(
            phrase.model_copy(update={"status": "partial", "how": "listed"})
            if at in listed
            else phrase
            for at, phrase in enumerate(coverage.phrases)
        )
        return Coverage(score=coverage_score(phrases), phrases=phrases)

    def _has(self, said: tuple[int, ...]) -> bool:
        known = self._known.get(said)
        if known is None:
            row = self.row(said)
            known = row is not None and bool(_model().logits(row)[0] > LISTED_FROM)
            self._known[said] = known
        return known

    def row(self, said: Sequence[int]) -> Floats | None:
        """The features of a mention, as one row; ``None`` if there are too few words around it.

        Args:
            said: the indices of its words, in order.
        """
        if not said:
            return None
        first, last = said[0], said[-1] + 1
        start, end = max(0, first - REACH), min(len(self._sums) - 1, last + REACH)
        count = (first - start) + (end - last)
        if count < MIN_AROUND:
            return None
        around: Floats = self._sums[end] - self._sums[last] + self._sums[first] - self._sums[start]
        return around[np.newaxis] / count


@cache
def _model() -> Logistic:
    return Logistic.shipped("server.grading", "listed")


def _flags(words: Sequence[str]) -> Floats:
    marks = [_mark(word) for word in words]
    opens = [True, *(mark.ends_sentence for mark in marks)]
    rows = [
        mark.opening if first else mark.inside for mark, first in zip(marks, opens, strict=False)
    ]
    flags = np.frombuffer(b"".join(rows)).reshape(len(words), len(NAMES)).copy()
    bare: list[int] = []
    start = 0
    for at, mark in enumerate(marks):
        if mark.between or mark.ends_item or at == len(marks) - 1:
            item = range(start, at if mark.between else at + 1)
            if len(item) <= _MAX_ITEM and not any([marks[i].common for i in item]):
                bare += item
            start = at + 1
    flags[bare, NAMES.index("bare")] = 1.0
    return flags


@dataclass(frozen=True)
class _Mark:
    """A word's features at the start of a sentence, its features inside one, and what it ends.

    The features are float64 bytes, which are much faster to concatenate.
    """

    opening: bytes
    inside: bytes
    common: bool
    between: bool
    ends_item: bool
    ends_sentence: bool


@by_word
def _mark(word: str) -> _Mark:
    plain = letters_of(word)
    classes = [float(plain in words) for words in _CLASSES.values()]
    verb, letters = float(_is_verb(plain)), min(len(plain), _MAX_LETTERS) / 10
    opening, inside = (
        np.array((*classes, verb, 0.0, float(name), letters)).tobytes()
        for name in _is_name(word.strip(".,;:?!\"'"))
    )
    return _Mark(
        opening,
        inside,
        common=plain in _COMMON,
        between=plain in _BETWEEN_ITEMS,
        ends_item=word.endswith((",", ";", ":", ".", "?", "!")),
        ends_sentence=word.endswith((".", "?", "!")),
    )


def _is_verb(plain: str) -> bool:
    if not plain or plain in _COMMON:
        return False
    parts = parts_of_speech(plain)
    as_verb = plain.endswith(("ed", "s", "ing")) or is_only_verb(plain) or "NOUN" not in parts
    return "VERB" in parts and as_verb


def _is_name(word: str) -> tuple[bool, bool]:
    """Whether it is written as a name, at the start of a sentence and inside one."""
    within = word[1:]
    opening = any(letter.isupper() for letter in within) or "_" in word or "." in within
    return opening, opening or word[:1].isupper()
