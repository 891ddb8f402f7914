"""Candidates by sound: words that sound like a key phrase but were written as something else.

A transcriber writes "infinite bend" for InfiniBand and "page the tension" for paged attention.
``confusions.distance`` measures how close two passages sound; how close they must be to be looked
at depends on what was written, because ordinary words that make sense may well be themselves.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Final, NamedTuple

import numpy as np
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist

from pronunciation.confusions import distance, distances
from pronunciation.written_terms import spellings
from server.grading.answer import Answer
from server.grading.english import (
    FUNCTION_WORDS,
    PREFIXES,
    contrast,
    family,
    is_known_english,
    lemma,
    rank,
)
from server.grading.phrases import RARE_RANK, CompiledPhrase, Sounding
from server.grading.quantities import MEASURES
from server.grading.tokenizer import texts_of

MAX_CANDIDATES: Final = 4
USUAL_SPELLING: Final = 0.5
"""Share of the times that a term was said. Of the spellings of 533 terms, "cider" for CIDR and
"sku" for skew are above it, "rom" for RAM and "perimeter" for parameter below."""
# Chosen on mistranscribed.yaml and `benchmarks/coverage.py --cross`.
FIRST_CUTOFF: Final = 0.34
"""Share of merged phones that may differ for the costs to be computed at all."""
MAX_DISTANCE_ODD: Final = 0.25
"""If a word was written that is not English ("stragler", "cubernitz")."""
MAX_DISTANCE_ANCHORED: Final = 0.22
"""If the rest of the phrase is beside it ("load shading")."""
MAX_DISTANCE_ANCHORED_LOOSELY: Final = 0.18
"""The same with a word like "in" or "and" between ("great in accumulation")."""
MAX_DISTANCE_ORDINARY: Final = 0.13
"""If ordinary words were written for a long phrase ("page the tension")."""
MAX_DISTANCE_HOMOPHONE: Final = 0.08
"""If one ordinary word was written for a name ("luster")."""
MAX_DISTANCE_WORD: Final = MAX_DISTANCE_ODD
"""Of each word of a longer phrase, so that an equal one does not carry another ("speculatively
wrong"). Of 109 mishearings that are found by sound, six have a word beyond it; of 4,800 made from
the bank's phrases with another word beside one of theirs, 96 % have."""
MIN_PHONES_ODD, MIN_PHONES_ORDINARY, MIN_PHONES_HOMOPHONE = 5, 8, 5
MIN_SHARED_ENDING: Final = 5
"""Shared final letters from which two words differ only in their prefix ("hypertension",
"hypotension")."""
MIN_WHOLE_ENDING: Final = 3
MAX_PREFIX: Final = 3
"""Letters of a prefix that a transcriber may have attached to the word before."""
FEATURES: Final = ("distance", "odd", "anchored", "known", "phones", "words", "slack")
"""How far the passage sounds from the wording, 0 to 1; whether a word was written that is not
English; whether the rest of the phrase is beside it; whether it is a spelling seen before; how many
phones and words it has; and how far below the limit for its kind the distance is."""
NOT_HEARD: Final = (1.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0)


class Sounded(NamedTuple):
    """Words that sound like a wording of a phrase; ``row`` is ``FEATURES``."""

    tokens: tuple[int, ...]
    row: tuple[float, ...]


def by_sound(answer: Answer, phrases: Sequence[CompiledPhrase]) -> list[list[Sounded]]:
    """For each phrase, every place that sounds like one of its wordings, the closest first."""
    found: list[list[Sounded]] = [[] for _ in phrases]
    if answer.strict:
        return found
    for own, phrase in zip(found, phrases, strict=True):
        for wording in phrase.soundings:
            for start, end in _known_spellings(answer, wording):
                phones = float(len("".join(wording.phones)))
                known = (0.0, 1.0, 0.0, 1.0, phones, float(end - start), 0.2)
                own.append(Sounded(tuple(range(start, end)), known))
    sounding = [
        (number, wording)
        for number, phrase in enumerate(phrases)
        for wording in phrase.soundings
        if all(wording.phones[:1])
    ]
    runs = answer.phones.runs
    if sounding and runs:
        apart = cdist(
            [wording.classes for _, wording in sounding],
            answer.phones.classes,
            scorer=Levenshtein.normalized_distance,
            score_cutoff=FIRST_CUTOFF,
            dtype=np.float32,
        )
        for row_at, column in zip(*np.nonzero(apart <= FIRST_CUTOFF), strict=True):
            number, wording = sounding[row_at]
            row = _compared(answer, wording, *runs[column])
            if row is not None:
                found[number].append(Sounded(tuple(range(*runs[column])), row))
    return [sorted(own, key=lambda each: each.row[0])[:MAX_CANDIDATES] for own in found]


@cache
def _telling_spellings(name: str) -> tuple[tuple[str, ...], ...]:
    """What was seen written for a term or key phrase and speaks for it, as words."""
    return tuple(telling(_spellings_by_name().get(name, {})))


@cache
def _spellings_by_name() -> Mapping[str, Mapping[str, int]]:
    """The spellings by name, see ``Sounding``."""
    table: dict[str, Counter[str]] = {}
    for name, counts in spellings().items():
        table.setdefault(" ".join(texts_of(name)), Counter()).update(counts)
    return table


def telling(
    counts: Mapping[str, int], is_ordinary: Callable[[str], bool] = is_known_english
) -> Iterator[tuple[str, ...]]:
    """The spellings of one term that speak for it, each as words.

    Ordinary words and numbers alone ("lost her" for Lustre, "rom" for RAM) may well be themselves:
    one must be rare, and they must be what is usually written ("cider" for CIDR).

    Args:
        counts: how often each was written, the right one too.
        is_ordinary: whether people say a word anyway.
    """
    usual = sum(counts.values()) * USUAL_SPELLING
    for spelling, count in counts.items():
        words = texts_of(spelling)
        if words and (
            not all(word.isdecimal() or is_ordinary(word) for word in words)
            or (count >= usual and any(map(is_rare, words)))
        ):
            yield words


def is_rare(word: str) -> bool:
    """Whether a word is distinctive, and not a number."""
    return rank(word) >= RARE_RANK and not word.isdecimal()


def _known_spellings(answer: Answer, wording: Sounding) -> Iterator[tuple[int, int]]:
    """Places of the spellings seen before."""
    for written in _telling_spellings(wording.name):
        for start in answer.by_text.get(written[0], ()):
            end = start + len(written)
            if tuple(token.text for token in answer.tokens[start:end]) == written:
                yield start, end


def _compared(answer: Answer, wording: Sounding, start: int, end: int) -> tuple[float, ...] | None:
    """``FEATURES`` of words beside the wording; ``None``: they are something else."""
    tokens = answer.tokens[start:end]
    written = [token.text for token in tokens]
    meant = list(wording.texts)
    first, last = shared_ends(meant, written) if all(wording.phones) else (0, 0)
    rest, phones = written[first : len(written) - last], wording.phones[first : len(meant) - last]
    meant_rest = meant[first : len(meant) - last]
    if not rest or not meant_rest:
        return None
    odd = not answer.odd.isdisjoint(range(start + first, end - last))
    if "".join(rest) == "".join(meant_rest):
        return None
    if not MEASURES.isdisjoint(map(lemma, rest)) and not MEASURES.isdisjoint(
        map(lemma, meant_rest)
    ):
        return None  # "three million" is not "three billion"
    if any(text[0] == "-" for text in (*rest, *meant_rest)):
        return None  # a sign is a word of its own
    if not {family(text) for text in meant_rest}.isdisjoint(
        token.family for token in tokens[first : len(written) - last]
    ):
        return None  # a word of the phrase itself, in another position
    sound = "".join(phones)
    shared = meant[:first] + (meant[-last:] if last else [])
    anchored = any(text.isalpha() and text not in FUNCTION_WORDS for text in shared)
    limit = _limit(rest, meant_rest, sound, odd=odd, anchored=anchored)
    if limit < 0.0:  # the distance takes longest
        return None
    said = answer.phones.between(start + first, end - last)
    far = distance(sound, said)
    if far > limit or (not odd and far > MAX_DISTANCE_HOMOPHONE and siblings(meant_rest, rest)):
        return None
    if len(meant_rest) > 1 and _has_another_word(meant_rest, phones, said):
        return None
    phones_count = float(len(sound))
    return (far, float(odd), float(anchored), 0.0, phones_count, float(end - start), limit - far)


def _has_another_word(meant: Sequence[str], phones: Sequence[str], written: str) -> bool:
    """Whether one of the words is not what was said, however alike the others sound.

    "Speculatively wrong" is near "speculative decoding" as a whole, but "wrong" is not "decoding".
    """
    said = [(text, sound) for text, sound in zip(meant, phones, strict=True) if sound]
    apart = distances([sound for _, sound in said], written)
    return any(
        far > MAX_DISTANCE_WORD and text not in FUNCTION_WORDS
        for (text, _), far in zip(said, apart, strict=True)
    )


def _limit(
    written: Sequence[str], meant: Sequence[str], sound: str, *, odd: bool, anchored: bool
) -> float:
    """How far apart two passages may be, given what was written there and beside them."""
    if all(text in FUNCTION_WORDS for text in written):
        return -1.0
    if odd and len(sound) >= MIN_PHONES_ODD:
        return MAX_DISTANCE_ODD
    if any(text[0].isdecimal() for text in (*meant, *written)):
        return 0.0
    if anchored:
        ends = written[-1] in FUNCTION_WORDS
        return MAX_DISTANCE_ANCHORED_LOOSELY if ends else MAX_DISTANCE_ANCHORED
    if len(written) > 1 and len(sound) >= MIN_PHONES_ORDINARY:
        return MAX_DISTANCE_ORDINARY
    coined = not all(is_known_english(text) for text in meant)
    coined = coined or len(written) > 1
    return MAX_DISTANCE_HOMOPHONE if coined and len(sound) >= MIN_PHONES_HOMOPHONE else -1.0


def shared_ends(meant: Sequence[str], written: Sequence[str]) -> tuple[int, int]:
    """How many words the two share at the beginning and at the end."""
    shortest = min(len(meant), len(written))
    first = 0
    while first < shortest and lemma(meant[first]) == lemma(written[first]):
        first += 1
    last = 0
    while last < shortest - first and lemma(meant[-1 - last]) == lemma(written[-1 - last]):
        last += 1
    return first, last


def siblings(meant: Sequence[str], written: Sequence[str]) -> bool:
    """Whether two words exclude each other: "online" and "offline", "hyper-" and "hypotension"."""
    written = [text for text in written if text not in FUNCTION_WORDS]
    if len(meant) != 1:
        return False
    (one,) = meant
    if len(written) == 1:
        return contrast(lemma(one), lemma(written[0])) or _differ_by_prefix(one, written[0])
    # "chose synchronous" for "asynchronous", but not "infinite band" for "infiniband"
    return any(one.endswith(text) and len(one) - len(text) <= MAX_PREFIX for text in written)


def _differ_by_prefix(one: str, other: str) -> bool:
    ending = 0
    while ending < min(len(one), len(other)) and one[-1 - ending] == other[-1 - ending]:
        ending += 1
    if one == other:
        return False
    if ending == len(other) and ending >= MIN_WHOLE_ENDING:  # "of a GPU" is not vGPU
        return True
    if ending < MIN_SHARED_ENDING:
        return False
    prefixes = one[: len(one) - ending], other[: len(other) - ending]
    if not prefixes[0]:  # "prestate" is not "state", but "estate" may be, in some accents
        return prefixes[1] in PREFIXES
    return not prefixes[1] or Levenshtein.distance(*prefixes) > 1


def names_sibling(answer: Answer, tokens: Sequence[int], phrase: CompiledPhrase) -> bool:
    """Whether the words written where a phrase was heard name its sibling.

    "hot replicas" for "warm replicas" is no mishearing; "a spot in instances" for "spot instances"
    is one, although its other name is "reserved instances".
    """
    written = [answer.tokens[at].text for at in tokens]
    here = set(map(lemma, written))
    own = [[text for text in wording.texts if text not in FUNCTION_WORDS] or [*wording.texts]
           for wording in phrase.soundings]  # fmt: skip
    if any(here.issuperset(map(lemma, texts)) for texts in own):
        return False
    for wording in phrase.soundings:
        first, last = shared_ends(wording.texts, written)
        meant = wording.texts[first : len(wording.texts) - last]
        if siblings(meant, written[first : len(written) - last]):
            return True
    return False
