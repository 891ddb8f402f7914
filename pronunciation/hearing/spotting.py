"""Which lexicon terms a transcript may hold: by name, by a transcriber's spelling, or by sound.

A transcriber writes what it knows: "rose" when somebody says RoCE wrong. So words that sound like a
term's mistaken reading are examined too, and the sound decides: the word's own pronunciation
competes with the term's readings and wins if the word itself was said.
"""

from collections.abc import Collection, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist

from pronunciation.confusions import CODES, encode
from pronunciation.g2p import pronunciations
from pronunciation.hearing.compounds import Names, Parts, take_apart
from pronunciation.hearing.everyday import Named, other_words
from pronunciation.hearing.layout import Phones, candidates_of, lay_out
from pronunciation.hearing.results import Target
from pronunciation.phones import CONFUSABLE, bare_phones
from pronunciation.terms import Lexicon, Term
from pronunciation.written_terms import is_written_apart, name_parts, normal, numbers_of

LONGEST_SOUND_ALIKE_WORDS: Final = 3
"""A term may be written as up to three words ("in finny band")."""
MIN_SOUND_ALIKE_PHONES: Final = 3
"""Two phones ("eye", "sue") sound like something everywhere."""
LONG_READING_PHONES: Final = 7
"""In a reading this long any one phone may differ; in a shorter one only by a phone that learners
and recognizers confuse ("rose", R OW Z, for RoCE said R OW S)."""

_PHONES: Final = {code: phone for phone, code in CODES.items()}


class TermSpotter:
    """Finds the lexicon's terms in transcripts; one instance serves many."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon

    def named(self, text: str) -> frozenset[str]:
        words = self.take_apart(text.split()).words
        spots = self._by_name(words, set(), ())
        return frozenset(target.term for target in spots)

    def said(self, text: str) -> tuple[Phones, ...]:
        """How a text may be said: a lexicon term in all its readings, right and wrong."""
        words = self.take_apart(text.split()).words
        spots = self._by_name(words, set(), ())
        if (term := _whole(spots, words)) is not None:
            return tuple(dict.fromkeys(map(bare_phones, candidates_of(term))))
        laid_out = lay_out(words, spots)
        whole = tuple(phone for phones in laid_out.phones for phone in phones)
        return (whole,) if whole else ()

    def sole_term(self, text: str) -> str | None:
        """The term that a text consists of, see ``by_its_sound``; ``None`` if it is none."""
        words = self.take_apart(text.split()).words
        term = _whole(self._by_name(words, set(), ()), words)
        return None if term is None else self.by_its_sound(term.term)

    def by_its_sound(self, name: str) -> str:
        """The lexicon's first term with all of this one's readings: they sound the same."""
        return self._first_of_sound.get(self._readings_of(name), name)

    def take_apart(self, words: Sequence[str]) -> Parts:
        """The words to pass to ``spot``, with compounds that contain a term taken apart."""
        return take_apart(words, self._compound_names)

    def target(self, name: str, index: int, n_words: int) -> Target:
        """A term of the lexicon to listen for at these words."""
        term = self._lexicon.get(name)
        assert term is not None, name
        return _target(term, index, n_words)

    def spot(
        self,
        words: Sequence[str],
        ordinary: Container[str] | None = None,
        expected: Collection[str] = (),
    ) -> list[Target]:
        """The places of a transcript where a term may have been said, not overlapping, in order.

        Args:
            words: as transcribed, see ``take_apart``.
            ordinary: see ``by_sound``; ``None``: sound-alikes are not looked for.
            expected: see there; a name that is also an everyday word means such a term.

        Raises:
            HearingError: a word's pronunciation cannot be made, see ``pronunciations``.
        """
        taken: set[int] = set()
        spots = self._by_name(words, taken, expected)
        if ordinary is not None:
            spots += self.by_sound(words, taken, ordinary, expected)
        return sorted(spots, key=lambda target: target.word_index)

    def by_sound(
        self,
        words: Sequence[str],
        named: Iterable[int],
        ordinary: Container[str],
        expected: Container[str] = (),
    ) -> list[Target]:
        """The places where words only sound like a term that is said wrong, not overlapping.

        Args:
            words: as transcribed, see ``take_apart``.
            named: the words that name a term, by index.
            ordinary: words (lower case) that people in the field say anyway; passages of them alone
                are taken as written.
            expected: terms that the question is about; an unrelated word that sounds like such a
                term said wrong is the term said wrong.

        Raises:
            HearingError: a word's pronunciation cannot be made, see ``pronunciations``.
        """
        bare = [normal(word) for word in words]
        return self._by_sound(words, bare, set(named), ordinary, expected)

    def _by_name(
        self, words: Sequence[str], taken: set[int], expected: Collection[str]
    ) -> list[Target]:
        bare = [normal(word) for word in words]
        named: list[Named] = []
        longest = self._longest_name
        for n_words in range(longest, 0, -1):  # longer names first
            for index in range(len(bare) - n_words + 1):
                pieces = bare[index : index + n_words]
                term = self._names.get("".join(pieces))
                if term is None or not all(pieces):
                    continue
                places = range(index, index + n_words)
                if taken.isdisjoint(places) and is_written_apart(pieces, self._parts_of(term)):
                    taken.update(places)
                    named.append(Named(term, index, n_words))
        others = other_words(named, words, expected)
        taken.difference_update(each.word_index for each in others)
        return [_target(*each) for each in named if each not in others]

    def _by_sound(
        self,
        words: Sequence[str],
        bare: list[str],
        taken: set[int],
        ordinary: Container[str],
        expected: Container[str],
    ) -> list[Target]:
        windows = [
            window
            for window in _windows(words, bare, taken)
            if any(bare[place] not in ordinary for place in window.places)
        ]
        codes = [code for code, _ in self._mistakes]
        if not windows or not codes:
            return []

        edits = cdist(
            [window.code for window in windows], codes, scorer=Levenshtein.distance, score_cutoff=1
        )
        spots: list[Target] = []
        for row, column in np.argwhere(edits <= 1)[np.argsort(edits[edits <= 1], kind="stable")]:
            window, (code, term) = windows[row], self._mistakes[column]
            if taken.intersection(window.places) or not _is_near(window.code, code):
                continue
            own = "" if term.term in expected else " ".join(window.phones)
            if own and edits[row, column] == 0:
                continue  # both sound the same, and nothing suggests the term
            taken.update(window.places)
            target = _target(term, window.places.start, len(window.places))
            spots.append(replace(target, basis="alike", own=own))
        return spots

    def _readings_of(self, name: str) -> frozenset[Phones]:
        term = self._lexicon.get(name)
        return frozenset(map(bare_phones, term.readings)) if term else frozenset()

    @cached_property
    def _first_of_sound(self) -> dict[frozenset[Phones], str]:
        first: dict[frozenset[Phones], str] = {}
        for term in self._lexicon:
            first.setdefault(self._readings_of(term.term), term.term)
        return first

    @cached_property
    def _names(self) -> dict[str, Term]:
        names: dict[str, Term] = {}
        for term in self._lexicon:
            for name in (term.term, *term.written_as):
                joined = "".join(normal(part) for part in name.split())
                for form in numbers_of(joined):
                    names.setdefault(form, term)
        for term in self._lexicon:  # a term's own name before another's misspelling
            names["".join(normal(part) for part in term.term.split())] = term
        return names

    def _parts_of(self, term: Term) -> frozenset[str]:
        return frozenset().union(*map(name_parts, (term.term, *term.written_as)))

    @cached_property
    def _compound_names(self) -> Names:
        return Names(tuple(n for term in self._lexicon for n in (term.term, *term.written_as)))

    @cached_property
    def _longest_name(self) -> int:
        names = (name for term in self._lexicon for name in (term.term, *term.written_as))
        return max((len(name.replace("-", " ").split()) for name in names), default=1)

    @cached_property
    def _mistakes(self) -> list[tuple[str, Term]]:
        """Mistaken readings with one character per phone, and their terms."""
        return [
            (encode(phones), term)
            for term in self._lexicon
            for mistake in term.mistakes
            if len(phones := bare_phones(mistake.phones)) >= MIN_SOUND_ALIKE_PHONES
        ]


@dataclass(frozen=True)
class _Window:
    """Consecutive words, by their places, and how they are said."""

    places: range
    phones: tuple[str, ...]

    @property
    def code(self) -> str:
        return encode(self.phones)


def _windows(words: Sequence[str], bare: list[str], taken: Container[int]) -> Iterator[_Window]:
    for index in range(len(words)):
        phones: tuple[str, ...] = ()
        for place in range(index, min(index + LONGEST_SOUND_ALIKE_WORDS, len(words))):
            if place in taken or not bare[place]:
                break
            phones += next(iter(pronunciations(words[place])), ())
            if len(phones) >= MIN_SOUND_ALIKE_PHONES:
                yield _Window(range(index, place + 1), phones)


def _is_near(one: str, other: str) -> bool:
    """Whether two codes with at most one edit between them sound alike."""
    if one == other or min(len(one), len(other)) >= LONG_READING_PHONES:
        return True
    if len(one) != len(other):
        return False
    [(a, b)] = [pair for pair in zip(one, other, strict=True) if pair[0] != pair[1]]
    return _PHONES[b] in CONFUSABLE.get(_PHONES[a], ())


def _target(term: Term, index: int, n_words: int) -> Target:
    mistakes = tuple(mistake.phones for mistake in term.mistakes)
    return Target(term.term, index, n_words, term.readings, mistakes)


def _whole(spots: Sequence[Target], words: Sequence[str]) -> Target | None:
    """The term that all the words together are."""
    if len(spots) == 1 and spots[0].n_words == len(words):
        return spots[0]
    return None
