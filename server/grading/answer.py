"""An answer made ready for searching: its tokens, indexed, with fillers and sentences marked."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from server.grading.english import is_known_english
from server.grading.sounds import loose, sound_key
from server.grading.terms import Form, TermIndex
from server.grading.tokens import SENTENCE, Token, tokenise
from server.grading.vocabulary import (
    DISFLUENCIES,
    DISFLUENT_PHRASES,
)

__all__ = ["Answer", "Span", "read_answer"]

Span = tuple[int, int]
"""First token and the token behind the last."""

_MAX_REPEAT = 3
# Words after a preposition that make an adverb of it: "in parallel" is no kind of parallelism.
_IDIOMS = {
    ("in", "parallel"), ("in", "general"), ("in", "order"), ("in", "case"), ("in", "time"),
    ("at", "scale"), ("in", "practice"), ("in", "production"), ("on", "time"), ("in", "line"),
    ("in", "total"), ("on", "average"), ("at", "first"), ("at", "last"), ("in", "short"),
    ("our", "own"), ("my", "own"), ("your", "own"), ("their", "own"), ("its", "own"),
    ("his", "own"), ("her", "own"),
    ("at", "rest"), ("by", "hand"), ("in", "turn"), ("in", "detail"), ("in", "advance"),
}  # fmt: skip
_IDIOM_ENDS = frozenset(end for _, end in _IDIOMS)

_DISFLUENT_BY_FIRST: dict[str, list[tuple[str, ...]]] = {}
for _phrase in DISFLUENT_PHRASES:
    _DISFLUENT_BY_FIRST.setdefault(_phrase[0], []).append(_phrase)


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer's tokens and where to find them.

    Attributes:
        words: the answer's words as written.
        tokens: comparable tokens of them.
        by_text: token text → places; likewise ``by_stem`` and ``by_family``.
        symbols: term → places where it was said in any of its forms, and how.
        skipped: tokens that carry nothing: fillers, repeated starts, words broken off.
        idioms: tokens that are part of an adverb ("in parallel").
        unknown: tokens that are no English word and no term, by the first of their sound;
            ``coined`` all of them.
        sounds: for each token its loose sound key; ``by_sound`` the places of each key.
        heads: all texts and stems, so that what begins none of them is told at once.
        found: places of units looked up before, by their identity; variants share them.
        arcs: likewise of whole variants.
        sentence: for each token the number of its sentence.
        strict: whether only literal matches count (a rough transcript).
    """

    words: tuple[str, ...]
    tokens: tuple[Token, ...]
    by_text: dict[str, list[int]]
    by_stem: dict[str, list[int]]
    by_family: dict[str, list[int]]
    symbols: dict[str, list[tuple[int, int, Form]]]
    skipped: frozenset[int]
    idioms: frozenset[int]
    sentence: tuple[int, ...]
    strict: bool
    unknown: dict[str, list[int]]
    coined: frozenset[int]
    heads: frozenset[str]
    by_sound: dict[str, list[int]]
    sounds: tuple[str, ...]
    found: dict[int, dict[Span, Any]] = field(default_factory=dict, compare=False, repr=False)
    arcs: dict[int, Any] = field(default_factory=dict, compare=False, repr=False)


def read_answer(words: Sequence[str], terms: TermIndex, *, strict: bool = False) -> Answer:
    """Tokenise and index an answer.

    Args:
        words: the answer's words in order, as written.
        terms: what the lexicon knows: expansions and transcribers' spellings.
        strict: take the words at their letters: no sound, no spelling variants of terms.
    """
    tokens = tokenise(words)
    by_text: dict[str, list[int]] = defaultdict(list)
    sentence: list[int] = []
    number = 0
    for place, token in enumerate(tokens):
        by_text[token.text].append(place)
        if token.gap == SENTENCE:
            number += 1
        sentence.append(number)
    by_stem: dict[str, list[int]] = defaultdict(list)
    by_family: dict[str, list[int]] = defaultdict(list)
    by_sound: dict[str, list[int]] = defaultdict(list)
    unknown: dict[str, list[int]] = defaultdict(list)
    sounds: dict[str, str] = {}
    for text, places in by_text.items():
        token = tokens[places[0]]
        by_stem[token.stem] += places
        by_family[token.family] += places
        sounds[text] = sound = "" if strict else _sound_of(text)
        if sound:
            by_sound[sound] += places
            if _is_unknown(text) and text not in terms.known_words:
                unknown[sound[0]] += places
    skipped = _skipped(tokens)
    return Answer(
        words=tuple(words),
        tokens=tokens,
        by_text=dict(by_text),
        by_stem=dict(by_stem),
        by_family=dict(by_family),
        symbols=terms.find(tokens, strict=strict),
        skipped=skipped,
        idioms=frozenset(
            place
            for text in _IDIOM_ENDS & by_text.keys()
            for place in by_text[text]
            if place and (tokens[place - 1].text, text) in _IDIOMS
        ),
        sentence=tuple(sentence),
        strict=strict,
        by_sound=dict(by_sound),
        sounds=tuple([sounds[token.text] for token in tokens]),
        unknown=dict(unknown),
        coined=frozenset(place for places in unknown.values() for place in places),
        heads=frozenset(by_text).union(by_stem),
    )


@lru_cache(maxsize=65536)
def _sound_of(text: str) -> str:
    return loose(sound_key(text)) if text.isalpha() else ""


@lru_cache(maxsize=65536)
def _is_unknown(text: str) -> bool:
    return len(text) >= 4 and text.isalpha() and not is_known_english(text)


def _skipped(tokens: Sequence[Token]) -> frozenset[int]:
    out: set[int] = set()
    raws = tuple([token.raw for token in tokens])
    for place, token in enumerate(tokens):
        if token.cut or token.raw in DISFLUENCIES:
            out.add(place)
        if token.raw in _DISFLUENT_BY_FIRST:
            for phrase in _DISFLUENT_BY_FIRST[token.raw]:
                if raws[place : place + len(phrase)] == phrase:
                    out.update(range(place, place + len(phrase)))
    # "the model, the model": the first of the two carries nothing.
    live = [place for place in range(len(tokens)) if place not in out]
    texts = [tokens[place].text for place in live]
    for size in range(1, _MAX_REPEAT + 1):
        for at, (text, again) in enumerate(zip(texts, texts[size:], strict=False)):
            if text != again or text.isdecimal():
                continue
            repeats = texts[at : at + size] == texts[at + size : at + 2 * size]
            if repeats and tokens[live[at + size]].gap != SENTENCE:
                out.update(live[at : at + size])
    return frozenset(out)
