"""Names in a mere list ("there is Kafka, we have Redis"): nothing is said of what they stand for.

A logistic regression over the rates of classes of words around a mention tells a list from speech.
``scripts/train_listed.py`` fits it on lists written for the purpose, bare and wrapped into phrases
that say nothing, and on mentions that coaches ticked.
"""

import json
import re
from collections.abc import Sequence
from functools import cache, lru_cache
from importlib import resources
from typing import Final

import numpy as np
import numpy.typing as npt

from server.contract import Coverage, coverage_score
from server.grading.lexis.english import word_set
from server.grading.lexis.vocabulary import FUNCTION_WORDS
from server.grading.lexis.words import is_only_verb, parts_of_speech
from server.grading.sense.features import COMMON_WORDS
from server.grading.sense.logistic import Logistic

REACH: Final = 25
"""Words on either side that are looked at."""
MIN_AROUND: Final = 12
"""With fewer nobody can tell a list from a short answer."""
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
"""Of the features: the rates of the classes, of content verbs, of words in items of up to four
words without a common one, of words written as names, and the mean length of a word, in tens."""
_BETWEEN_ITEMS: Final = word_set("and or then also plus maybe um uh like well")
_MAX_ITEM: Final = 4
_MAX_LETTERS: Final = 12
_NO_LETTERS: Final = re.compile(r"[^a-z']")

Floats = npt.NDArray[np.float64]


class Listing:
    """Where an answer merely lists names."""

    def __init__(self, words: Sequence[str]) -> None:
        """Of the words of an answer, with their punctuation."""
        self._sums = np.vstack((np.zeros(len(NAMES)), np.cumsum(_flags(words), axis=0)))

    def mark(self, coverage: Coverage) -> Coverage:
        """The coverage with the phrases that are merely listed as partly said."""
        phrases = tuple(
            phrase.model_copy(update={"status": "partial", "how": "listed"})
            if phrase.status == "covered"
            and not phrase.negated
            and phrase.evidence is not None
            and self._has(phrase.evidence.word_indices)
            else phrase
            for phrase in coverage.phrases
        )
        return Coverage(score=coverage_score(phrases), phrases=phrases)

    def _has(self, said: Sequence[int]) -> bool:
        row = self.row(said)
        return row is not None and bool(_model().logits(row)[0] > LISTED_FROM)

    def row(self, said: Sequence[int]) -> Floats | None:
        """The features of a mention, one row; ``None`` where too few words stand around it.

        Args:
            said: the indices of its words, rising.
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
    text = resources.files("server.grading").joinpath("data/listed.json").read_text("utf-8")
    return Logistic.from_json(json.loads(text))


def _flags(words: Sequence[str]) -> Floats:
    flags = np.zeros((len(words), len(NAMES)))
    bare, name = NAMES.index("bare"), NAMES.index("name")
    item: list[int] = []
    opens = True
    for at, word in enumerate(words):
        plain = _plain(word)
        of_word = _of_word(plain)
        flags[at] = of_word
        flags[at, name] = _is_name(word.strip(".,;:?!\"'"), opens=opens)
        opens = word[-1:] in ".?!"
        if plain not in _BETWEEN_ITEMS:
            item.append(at)
        if plain in _BETWEEN_ITEMS or word[-1:] in ",;:.?!" or at == len(words) - 1:
            if len(item) <= _MAX_ITEM and all(_plain(words[i]) not in _COMMON for i in item):
                flags[item, bare] = 1.0
            item = []
    return flags


def _plain(word: str) -> str:
    return _NO_LETTERS.sub("", word.casefold().replace("’", "'"))


@lru_cache(maxsize=65536)
def _of_word(plain: str) -> tuple[float, ...]:
    """What does not depend on the words around: the classes, verb, and length."""
    classes = [float(plain in words) for words in _CLASSES.values()]
    return (*classes, float(_is_verb(plain)), 0.0, 0.0, min(len(plain), _MAX_LETTERS) / 10)


def _is_verb(plain: str) -> bool:
    if not plain or plain in _COMMON:
        return False
    parts = parts_of_speech(plain)
    as_verb = plain.endswith(("ed", "s", "ing")) or is_only_verb(plain) or "NOUN" not in parts
    return "VERB" in parts and as_verb


def _is_name(word: str, *, opens: bool) -> bool:
    """Written with capitals, an underscore or a point inside; ``opens``: it opens a sentence."""
    inside = word[1:]
    return (
        any(letter.isupper() for letter in inside)
        or (word[:1].isupper() and not opens)
        or "_" in word
        or "." in inside
    )
