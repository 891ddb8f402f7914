"""Where a transcript may have words that sound like a term: "cue" for queue, "kuda" for CUDA.

``places`` searches for long phrases anywhere in the sound. Here the transcript says where to look:
at words that sound like a term, however short. ``respelled`` decides which of them are terms.
"""

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

import numpy as np
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist

from pronunciation.confusions import distance, encode, merged
from pronunciation.g2p import dictionary, with_s
from pronunciation.hearing.layout import Layout, Phones
from pronunciation.hearing.misspelled import Misspellings, indices
from pronunciation.hearing.places import AlignedTranscript, Candidate, Near, unit_frames
from pronunciation.hearing.results import Target
from pronunciation.terms import together
from pronunciation.written_terms import normal

MOST_WORDS: Final = 4
"""Words that a transcriber may write for one term ("in fini band")."""
MIN_PHONES: Final = 3
"""The fewest phones of a term and of the words; two ("eye", "sue") sound like something
everywhere."""
LONGEST_BREAK: Final = 15
"""The most frames between two words of a term; nobody pauses longer within one."""
MIN_LIKENESS: Final = 2.0
"""Nats from which an expected term is listened to; see ``misspelled``."""
MIN_LIKENESS_RELATED: Final = 8.0
"""The same for a term that is related to what the question is about."""
MIN_LIKENESS_ODD: Final = 4.0
"""The same for words of which one is nothing that people in the field say."""
RELATED_FROM: Final = 0.035
"""The ``Sounding.related`` from which a term is also searched for without an odd word."""
PART_WORDS: Final = 2
"""Words before and after a named part of a longer term that may be the rest of it."""
STEM, LONGEST_ENDING, ENDING_OF_SOME = 5, 4, 2
"""Letters from which two words share a stem: "scheduling" is not a misspelled "scheduler". If more
words follow, they may be the ending: "collect sheaves" was "collective"."""
MOST_APART_UNEXPECTED: Final = 0.25
"""The largest distance of words from a term that is not expected, see ``confusions.distance``."""
MIN_PHONES_UNEXPECTED: Final = 4
_NAME_WORD: Final = re.compile(r"[\s-]+|(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
"""Between the words of a name, also where a capital begins one: Flash and Attention."""
SMALL_WORDS: Final = frozenset(
    ("a", "about", "all", "an", "and", "are", "as", "at", "be", "but", "by", "can", "could",
     "did", "do", "for", "from", "get", "got", "had", "has", "have", "he", "her", "here",
     "him", "his", "how", "i", "if", "in", "into", "is", "it", "its", "me", "my", "no", "not",
     "now", "of", "on", "or", "our", "out", "she", "should", "so", "some", "than", "that",
     "the", "their", "them", "then", "there", "these", "they", "this", "those", "to", "too",
     "up", "us", "was", "we", "were", "what", "when", "where", "which", "who", "why", "will",
     "with", "would", "you", "your")
)  # fmt: skip
"""No term consists of these words alone: "that" is not data, however it is said."""
ARTICLES: Final = frozenset(("a", "an", "the"))
RIVALS: Final = 3
"""Overlapping passages of the same term that are listened to."""


@dataclass(frozen=True)
class Sounding:
    """A term to search for.

    Attributes:
        term: its name.
        wordings: how it may be said, as ARPAbet without stress.
        expected: whether the question is about it.
        related: how closely it is related to what the question is about, 0 to 1; see
            ``terms_together``.
    """

    term: str
    wordings: tuple[Phones, ...]
    expected: bool
    related: float = 0.0

    @property
    def is_likely(self) -> bool:
        """Whether it is also searched for without an odd word."""
        return self.expected or self.related >= RELATED_FROM


def in_both_numbers(wordings: Iterable[Phones]) -> tuple[Phones, ...]:
    """A term's wordings in the singular and the plural, because whole words are compared."""
    return tuple(dict.fromkeys(said for each in wordings for said in (each, with_s(each))))


def one_for_each_sound(terms: Sequence[Sounding]) -> list[Sounding]:
    """Terms without the wordings of earlier ones: "Kueue" sounds like "queue".

    Terms that the question is about come first, the most common ones at the front.
    """
    count = Counter(term for each in together() for term in each)
    taken: set[Phones] = set()
    found = dict[int, Sounding]()
    for at in sorted(
        range(len(terms)), key=lambda at: (not terms[at].expected, -count[terms[at].term])
    ):
        free = tuple(phones for phones in terms[at].wordings if phones not in taken)
        taken.update(free)
        found[at] = replace(terms[at], wordings=free)
    return [found[at] for at in range(len(terms))]


def sounds_like(
    written: AlignedTranscript,
    words: Sequence[str],
    terms: Sequence[Sounding],
    ordinary: Container[str],
    misspellings: Misspellings,
    first_index: int = 0,
) -> list[Near]:
    """The passages of a transcript that sound like a term but do not name one.

    Args:
        written: the transcript aligned; what names a term is one unit with a target.
        words: its words.
        terms: those to search for.
        ordinary: words (lower case) that people in the field say anyway; if nothing else was
            written, only expected terms are searched for.
        misspellings: what is written for which phones.
        first_index: the number of the first term among the wanted ones, see ``Near``.
    """
    bare = [normal(word) for word in words]
    found: dict[tuple[int, int, int], tuple[float, Near]] = {}
    for likeness, index, near in (
        *_expected(written, bare, terms, ordinary, misspellings),
        *_around_parts(written, terms, misspellings),
        *_unexpected(written, bare, terms, ordinary),
    ):
        here = [bare[at] for at in written.layout.word_index[near.first : near.last + 1]]
        if not _may_mean(here, terms[index].term):
            continue
        # an article may be part of what was misunderstood, or just an article
        begins = [near.first]
        if (
            near.first < near.last
            and here[0] in ARTICLES
            and _may_mean(here[1:], terms[index].term)
        ):
            begins.append(near.first + 1)
        for first in begins:
            key = (index, first, near.last)
            if key not in found or likeness > found[key][0]:
                found[key] = likeness, replace(near, index=first_index + index, first=first)
    return _likeliest(found.values())


def _expected(
    written: AlignedTranscript,
    bare: Sequence[str],
    terms: Sequence[Sounding],
    ordinary: Container[str],
    misspellings: Misspellings,
) -> Iterator[tuple[float, int, Near]]:
    """Where the written phones may mean an expected term."""
    layout, frames = written.layout, unit_frames(written)
    wanted = [
        (index, phones)
        for index, each in enumerate(terms)
        if each.is_likely
        for phones in dict.fromkeys(each.wordings)
        if len(phones) >= (MIN_PHONES if each.expected else MIN_PHONES_UNEXPECTED)
    ]
    units: list[int] = []
    breaks: list[int] = []
    for unit, phones in enumerate(layout.phones):
        if layout.target[unit] is not None:
            continue
        if units and (
            unit != units[-1] + 1 or frames[unit][0] - frames[unit - 1][1] > LONGEST_BREAK
        ):
            breaks.append(len(units))
        units += [unit] * len(phones)
    if not (wanted and units):
        return
    said = indices([each for unit in dict.fromkeys(units) for each in layout.phones[unit]])
    scores, starts = misspellings.best_ends([each for _, each in wanted], said, breaks)
    is_odd = [bare[word] not in ordinary for word in layout.word_index]
    expected = np.array([terms[index].expected for index, _ in wanted])
    least = np.where(expected, MIN_LIKENESS, MIN_LIKENESS_ODD)
    for at, column in zip(*np.nonzero(scores >= least), strict=True):
        first, last = units[starts[at, column]], units[at]
        likeness = float(scores[at, column])
        if last - first < MOST_WORDS and (
            expected[column] or likeness >= MIN_LIKENESS_RELATED or any(is_odd[first : last + 1])
        ):
            index, wording = wanted[column]
            yield likeness, index, Near(index, wording, first, last)


def _around_parts(
    written: AlignedTranscript, terms: Sequence[Sounding], misspellings: Misspellings
) -> Iterator[tuple[float, int, Near]]:
    """Where the transcript names a part of a term ("K-fee cache" for KV cache)."""
    layout, frames = written.layout, unit_frames(written)
    likely = [each.term for each in terms if each.is_likely]
    longer = [
        (index, each)
        for index, each in enumerate(terms)
        if len(_name_words(each.term)) > 1
        # or its rest is: GPU before "utilization"
        and (each.is_likely or any(is_part(name, each.term) for name in likely))
    ]
    for unit, target in enumerate(layout.target):
        if target is None:
            continue
        wanted = [
            (index, phones)
            for index, each in longer
            if is_part(target.term, each.term)
            for phones in dict.fromkeys(each.wordings)
        ]
        if not wanted:
            continue
        first = last = unit
        while first > max(0, unit - PART_WORDS) and _goes_on(layout, frames, first - 1, first - 1):
            first -= 1
        behind = min(len(layout.phones) - 1, unit + PART_WORDS)
        while last < behind and _goes_on(layout, frames, last + 1, last):
            last += 1
        units = [at for at in range(first, last + 1) for _ in layout.phones[at]]
        said = indices([each for at in range(first, last + 1) for each in layout.phones[at]])
        scores, starts = misspellings.best_ends([each for _, each in wanted], said)
        named = layout.phones[unit]
        scores -= misspellings.likeness([named], indices(named))[0]  # the rest must also be likely
        for column, (index, wording) in enumerate(wanted):
            at = int(scores[:, column].argmax())
            begin, end = units[starts[at, column]], units[at]
            if scores[at, column] >= MIN_LIKENESS and begin <= unit <= end and begin < end:
                yield float(scores[at, column]), index, Near(index, wording, begin, end)


def _goes_on(layout: Layout, frames: Sequence[tuple[int, int]], other: int, before: int) -> bool:
    """Whether a unit names no term and no break follows the unit ``before``."""
    apart = frames[before + 1][0] - frames[before][1]
    return layout.target[other] is None and apart <= LONGEST_BREAK


@lru_cache(maxsize=65536)
def is_part(name: str, longer: str) -> bool:
    """Whether a term's name is part of a longer one: "cache" in "KV cache", GPU in GPUDirect."""
    short, whole = _name_words(name), _name_words(longer)
    size = len(short)
    return size < len(whole) and any(
        whole[at : at + size] == short for at in range(len(whole) - size + 1)
    )


@lru_cache(maxsize=4096)
def _name_words(name: str) -> tuple[str, ...]:
    return tuple(normal(word) for word in _NAME_WORD.split(name))


def is_free(place: Candidate, name: str, words: Sequence[str], targets: Iterable[Target]) -> bool:
    """Whether a term may have been said at its place.

    The words there name no other term, except maybe parts of this one, and do not sound as written.
    """
    here = set(place.words)
    return _may_mean([normal(words[at]) for at in place.words], name) and all(
        here.issuperset(target.places) and is_part(target.term, name)
        for target in targets
        if not here.isdisjoint(target.places)
    )


def _may_mean(bare: Sequence[str], name: str) -> bool:
    """Whether these words, see ``normal``, may be a term that was misunderstood."""
    if all(word in SMALL_WORDS or word.removesuffix("s") in SMALL_WORDS for word in bare):
        return False
    number = _digits("".join(bare))
    if number.strip("0") and not _digits(name).endswith(number):
        return False  # "200" is not H100, but "0" may be ZeRO
    # "scheduling" is not scheduler, and "shard each" is not "sharded"
    longest_ending = LONGEST_ENDING if len(bare) == 1 else ENDING_OF_SOME
    return not (all(map(is_known, bare)) and _is_other_form(bare[0], normal(name), longest_ending))


def _is_other_form(word: str, name: str, longest_ending: int) -> bool:
    """Whether a word has the same stem as a name and so was not misunderstood."""
    shorter = min(len(word), len(name))
    stem = next((at for at in range(shorter) if word[at] != name[at]), shorter)
    return stem >= STEM and max(len(word), len(name)) - stem <= longest_ending


def _unexpected(
    written: AlignedTranscript,
    bare: Sequence[str],
    terms: Sequence[Sounding],
    ordinary: Container[str],
) -> Iterator[tuple[float, int, Near]]:
    """Where odd words sound like any other term."""
    layout = written.layout
    runs = [
        (first, last, code)
        for first, last, code in _runs(written)
        if any(bare[layout.word_index[unit]] not in ordinary for unit in range(first, last + 1))
    ]
    wordings = [
        (index, phones, *_codes(phones))
        for index, each in enumerate(terms)
        if not each.expected
        for phones in dict.fromkeys(each.wordings)
        if len(phones) >= MIN_PHONES_UNEXPECTED
    ]
    if not (wordings and runs):
        return
    apart = cdist(
        [classes for *_, classes in wordings],
        [merged(code) for *_, code in runs],
        scorer=Levenshtein.normalized_distance,
        score_cutoff=MOST_APART_UNEXPECTED,
        dtype=np.float32,
    )
    for row, column in zip(*np.nonzero(apart <= MOST_APART_UNEXPECTED), strict=True):
        index, phones, code, _ = wordings[row]
        first, last, said = runs[column]
        far = distance(code, said)
        if far <= MOST_APART_UNEXPECTED:
            yield -far, index, Near(index, phones, first, last)


def _likeliest(found: Iterable[tuple[float, Near]]) -> list[Near]:
    """The likeliest of the overlapping passages that sound like the same term."""
    kept: list[Near] = []
    for _, near in sorted(found, key=lambda pair: -pair[0]):
        rivals = sum(
            near.index == other.index and near.first <= other.last and other.first <= near.last
            for other in kept
        )
        if rivals < RIVALS:
            kept.append(near)
    return kept


@lru_cache(maxsize=65536)
def is_known(word: str) -> bool:
    """Whether a dictionary has a word, see ``normal``."""
    return word in dictionary()


@lru_cache(maxsize=65536)
def _codes(phones: Phones) -> tuple[str, str]:
    """Phones as a string, and the same with confusable phones merged."""
    code = encode(phones)
    return code, merged(code)


def _digits(text: str) -> str:
    return "".join(character for character in text if character.isdecimal())


def _runs(written: AlignedTranscript) -> Iterator[tuple[int, int, str]]:
    """Consecutive words that name no term: first and last unit, and how they sound."""
    layout, frames = written.layout, unit_frames(written)
    for first in range(len(layout.phones)):
        code = ""
        for last in range(first, min(len(layout.phones), first + MOST_WORDS)):
            apart = frames[last][0] - frames[last - 1][1] if last > first else 0
            if layout.target[last] is not None or apart > LONGEST_BREAK:
                break
            code += _codes(layout.phones[last])[0]
            if len(code) >= MIN_PHONES:
                yield first, last, code
