"""Key phrases made ready for searching: the variants of each, as units that must be found."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal

from question_bank.models import KeyPhrase
from server.grading.english import is_known_english, rank, word_set
from server.grading.sounds import loose, sound_key
from server.grading.stems import stem
from server.grading.terms import TermIndex
from server.grading.tokens import Token, tokenise
from server.grading.vocabulary import (
    FUNCTION_WORDS,
    GENERIC,
    VACUOUS_HEADS,
)

__all__ = ["RARE_RANK", "CompiledPhrase", "Unit", "Variant", "compile_phrase"]

Origin = Literal["exact", "alias", "acronym"]

RARE_RANK = 8000
"""A word beyond this rank of general English is distinctive: at 8,000 stand "continuous" and
"pipeline", which many answers of this field have; "throughput" and "quorum" stand beyond 30,000."""
MIN_ACRONYM, MAX_ACRONYM = 3, 6
_MIN_FUZZY_LETTERS = 5
_ALWAYS_NEEDED = word_set(
    "out up down off over under no not all each both once most more before after without only "
    "into onto through across between even every"
)
_OR_ELSE = word_set("or versus vs")
"""Between two things that are weighed: "build versus buy" is also "build or buy"."""
_MAX_VARIANTS = 24


@dataclass(frozen=True, slots=True)
class Unit:
    """One thing of a phrase that must be found in the answer.

    Attributes:
        text: as a token.
        stem: key of its inflections.
        family: key of its derivations.
        symbols: terms it is, or stands for.
        weight: how much of the phrase's meaning it carries, relative to an ordinary word (1).
        rare: a word beyond ``RARE_RANK`` of general English and not generic in technical speech.
        name: an acronym, a proper name or a coinage, which English does not know.
        fuzzy: whether it may be recognised by its sound.
        sound: its loose sound key.
        before: the phrase's word right before it ("in" of "in-flight"), for idioms and prefixes.
        deverbal: a noun of action ("checkpointing"): its object may follow the verb.
        glued: nothing may stand before it: the "100" of "A100".
        letters: initials, which have no inflection but the plural, nor derivations.
        heads: what a spelling of it in pieces may begin with.
        sound_heads: likewise of its sound.
        optional: a head that names no more than the kind of thing ("pattern").
    """

    text: str
    stem: str
    family: str
    symbols: frozenset[str]
    weight: float
    rare: bool
    name: bool
    fuzzy: bool
    sound: str
    before: str
    deverbal: bool
    letters: bool = False
    heads: frozenset[str] = field(default=frozenset(), compare=False)
    sound_heads: frozenset[str] = field(default=frozenset(), compare=False)
    optional: bool = False
    glued: bool = False
    end: int = 0


@dataclass(frozen=True, slots=True)
class Variant:
    """One way of saying a phrase.

    Attributes:
        units: in the order of the phrase.
        texts: all its tokens, for telling an exact hit.
        origin: the phrase itself, an alias, or an acronym or expansion of it.
        joint: "X and Y": both must be said, not together.
        joined: texts of adjacent units written as one ("allreduce"): first unit, behind last, stem.
    """

    units: tuple[Unit, ...]
    texts: tuple[str, ...]
    origin: Origin
    joint: bool
    joined: tuple[tuple[int, int, str, str], ...]


@dataclass(frozen=True, slots=True)
class CompiledPhrase:
    """A key phrase with all its variants, the phrase itself first."""

    source: KeyPhrase
    variants: tuple[Variant, ...]


def _is_droppable(token: Token) -> bool:
    return (
        token.text in FUNCTION_WORDS or token.text in _OR_ELSE
    ) and token.text not in _ALWAYS_NEEDED


def _content(tokens: Sequence[Token]) -> list[int]:
    """The places of the tokens that must be found."""
    last = len(tokens) - 1
    kept = [
        place
        for place, token in enumerate(tokens)
        if not _is_droppable(token)
        or (0 < place == last and len(token.text) > 1)
        or (place == 0 and token.text in ("in", "on", "at", "by") and last > 0)
        or (len(token.text) == 1 and place < last and tokens[place + 1].inside)
    ]
    texts = [tokens[place].text for place in kept]
    if len(set(texts)) < len(texts) or not kept or (len(kept) == 1 and len(tokens) <= 3):
        return list(range(len(tokens)))
    return kept


_PHRASAL = re.compile(r"^(?P<verb>[a-z]{3,})(?P<particle>back|out|up|down|off|over)$")
_DEVERBAL = re.compile(r"(ing|tion|sion|ment|al|ance|ence|ery|er|or|ure|age)s?$")


def _beginnings(text: str) -> Iterator[str]:
    return (text[:length] for length in range(1, len(text)))


@lru_cache(maxsize=65536)
def _shared(unit: Unit) -> Unit:
    """One object for equal units, so that an answer is searched for each only once."""
    return unit


def _unit(tokens: Sequence[Token], place: int, terms: TermIndex) -> Unit:
    token = tokens[place]
    symbols = frozenset(
        symbol
        for symbol, spans in terms.find((token,), strict=True).items()
        if any(form != "fuzzy" for _, _, form in spans)
    )
    text = token.text
    word = text.isalpha()
    known = is_known_english(text) or is_known_english(token.stem)
    generic = token.stem in GENERIC
    generic = generic or stem(token.family) in GENERIC
    name = word and not known and not generic and len(text) > 1
    rare = name or (word and not generic and rank(text) >= RARE_RANK)
    weight = 0.6 if generic else 2.0 if name and symbols else 1.5 if rare else 1.0
    if text in FUNCTION_WORDS:
        weight = 0.3
    sound = loose(sound_key(text)) if word else ""
    return Unit(
        text=text,
        stem=token.stem,
        family=token.family,
        symbols=symbols,
        weight=weight,
        rare=rare,
        name=name,
        fuzzy=word and len(text) >= _MIN_FUZZY_LETTERS and (rare or name),
        sound=sound,
        before=tokens[place - 1].text if place else "",
        deverbal=bool(_DEVERBAL.search(text)) and len(text) > 4,
        heads=frozenset(_beginnings(text)).union(_beginnings(token.stem)),
        sound_heads=frozenset(_beginnings(sound)) | {sound},
        glued=token.inside
        and place > 0
        and (text[0].isdecimal() or len(tokens[place - 1].text) == 1)
        and not (len(text) > 1 and text.isalpha()),
        end=place + 1,
    )


def _term_unit(
    tokens: Sequence[Token], start: int, end: int, symbol: str, terms: TermIndex
) -> Unit:
    text = symbol if " " not in symbol else "\0"
    first = _unit(tokens, start, terms)
    return Unit(
        text=text,
        stem=text,
        family=text,
        symbols=frozenset({symbol}),
        weight=2.0,
        rare=True,
        name=True,
        fuzzy=False,
        sound="",
        before=first.before,
        deverbal=False,
        end=end,
    )


_KIND_SUFFIXES = word_set("based driven oriented level style like specific wide")
"""Second halves of compounds that only say how the first one qualifies ("token-based")."""


def _optional(unit: Unit) -> Unit:
    return replace(unit, optional=True)


def _variant(tokens: Sequence[Token], units: Sequence[Unit], origin: Origin) -> Variant:
    units = [
        _optional(unit)
        if unit.text in _KIND_SUFFIXES and len(units) > 2 and 0 < at < len(units) - 1
        else unit
        for at, unit in enumerate(units)
    ]
    # A vacuous head may be missing once something telling stands before it.
    if len(units) > 1 and units[-1].stem in VACUOUS_HEADS:
        rest = units[:-1]
        if len(rest) > 1 or rest[0].weight > 1.0:  # "a draft" is no draft model
            units[-1] = _optional(units[-1])
    if len(units) > 2 and units[0].stem in VACUOUS_HEADS and tokens[1].text == "of":
        units[0] = _optional(units[0])
    if len(units) > 1 and any(unit.text == "percent" for unit in units):
        units = [_optional(unit) if unit.text == "percent" else unit for unit in units]
    joined: list[tuple[int, int, str, str]] = []
    for start in range(len(units)):
        for end in range(start + 2, min(len(units), start + 3) + 1):
            text = "".join(unit.text for unit in units[start:end])
            if text.isascii() and "\0" not in text and len(text) >= 4:
                joined.append((start, end, text, stem(text)))
    whole = "".join(token.text for token in tokens)
    if len(tokens) > len(units) > 1 and len(tokens) <= 4 and not units[-1].optional:
        joined.append((0, len(units), whole, stem(whole)))
    return Variant(
        units=tuple(_shared(unit) for unit in units),
        texts=tuple(token.text for token in tokens),
        origin=origin,
        joint=sum(not unit.optional for unit in units) == 2
        and any(token.text == "and" or token.text in _OR_ELSE for token in tokens),
        joined=tuple(joined),
    )


def _terms_in(tokens: Sequence[Token], terms: TermIndex) -> list[tuple[int, int, str]]:
    """Terms that stand in a phrase under their own name: first token, behind the last, symbol."""
    return [
        (start, end, symbol)
        for symbol, spans in terms.find(tokens, strict=True).items()
        for start, end, form in spans
        if form == "exact"
    ]


def _variants_of(text: str, origin: Origin, terms: TermIndex) -> Iterator[Variant]:
    tokens = tokenise(text.split())
    if not tokens:
        return
    places = _content(tokens)
    yield _variant(tokens, [_unit(tokens, place, terms) for place in places], origin)
    # The same with the terms in it taken as wholes: "KV cache eviction" as "[KV cache] eviction".
    found = [
        (start, end, symbol, form)
        for symbol, spans in terms.find(tokens, strict=True).items()
        for start, end, form in spans
        if form != "fuzzy" and (end - start > 1 or form == "acronym")
    ]
    for start, end, symbol, form in sorted(found, key=lambda hit: hit[0] - hit[1])[:4]:
        units: list[Unit] = []
        for place in places:
            if start <= place < end:
                if not units or units[-1].symbols != {symbol}:
                    units.append(_term_unit(tokens, start, end, symbol, terms))
            else:
                units.append(_unit(tokens, place, terms))
        yield _variant(tokens, units, "acronym" if form == "acronym" else origin)
    # "KV cache" is "the cache for keys and values", its expansion in another order.
    for start, end, symbol in _terms_in(tokens, terms):
        for expansion in terms.expansions.get(symbol, ()):
            said = [t.text for t in tokens[:start]], [t.text for t in tokens[end:]]
            parts = tokenise([*said[0], *expansion.split(), *said[1]])
            kept = _content(parts)
            if len(kept) > 1:
                yield _variant(parts, [_unit(parts, n, terms) for n in kept], "acronym")
    # "rollback" is "roll … back": the verb may take its object between.
    for at, token in enumerate(tokens):
        hit = _PHRASAL.match(token.text)
        if hit and is_known_english(hit["verb"]) and len(tokens) <= 3:
            apart = " ".join([*(t.text for t in tokens[:at]), hit["verb"], hit["particle"],
                              *(t.text for t in tokens[at + 1 :])])  # fmt: skip
            parts = tokenise(apart.split())
            verbal = [_unit(parts, n, terms) for n in range(len(parts))]
            # "failures … over" is no failover: the verb is inflected, not derived.
            yield _variant(parts, [replace(unit, family="\0") for unit in verbal], origin)
    # "B2B" is read "b to b".
    if len(tokens) == 3 and tokens[1].text in ("2", "4") and tokens[2].inside:
        word = {"2": "to", "4": "for"}[tokens[1].text]
        parts = tokenise([tokens[0].text, word, tokens[2].text])
        yield _variant(parts, [_unit(parts, n, terms) for n in range(3)], origin)
    # "p99 latency" is "99th percentile latency".
    for place in range(len(tokens) - 1):
        if tokens[place].text == "p" and re.fullmatch(r"\d\d(\.\d+)?", tokens[place + 1].text):
            words = [token.text for token in tokens]
            words[place : place + 2] = [f"{tokens[place + 1].text}th", "percentile"]
            yield from _variants_of(" ".join(words), origin, terms)


_PARENTHESES = re.compile(r"^(?P<outer>.*?)\s*\((?P<inner>[^()]{2,})\)\s*(?P<rest>.*)$")


def _wordings(source: KeyPhrase) -> Iterator[tuple[str, Origin]]:
    for text, origin in ((source.phrase, "exact"), *((a, "alias") for a in source.aliases)):
        hit = _PARENTHESES.match(text)
        # "O(1)" is no phrase with its acronym behind it: that stands apart.
        if hit and hit["outer"] and re.search(r"\s\(", text):
            yield f"{hit['outer']} {hit['rest']}".strip(), "exact" if origin == "exact" else "alias"
            yield f"{hit['inner']} {hit['rest']}".strip(), "alias"
        else:
            yield text, "exact" if origin == "exact" else "alias"


def _initials(text: str, terms: TermIndex) -> Iterator[str]:
    """Acronyms a speaker may make of a phrase of three words and more."""
    tokens = tokenise(text.split())
    if any(not token.text.isalpha() for token in tokens):
        return
    for chosen in (
        tokens,
        [token for token in tokens if token.text not in FUNCTION_WORDS],
    ):
        letters = "".join(token.text[0] for token in chosen)
        if not MIN_ACRONYM <= len(letters) <= MAX_ACRONYM or is_known_english(letters):
            continue
        expansions = terms.expansions.get(letters, ())
        families = [token.family for token in tokens]
        if expansions and not any(
            [token.family for token in tokenise(expansion.split())] == families
            for expansion in expansions
        ):
            continue  # the field knows another meaning of these letters
        yield letters


def _as_letters(variant: Variant) -> Variant:
    units = tuple(_shared(replace(unit, letters=True, fuzzy=False)) for unit in variant.units)
    return replace(variant, units=units)


def _is_initials(acronym: str, text: str) -> bool:
    letters = re.sub(r"[^a-z0-9]", "", acronym.casefold())
    tokens = tokenise(text.split())
    if len(tokens) < 2 or not letters:
        return False
    full = "".join(token.text[0] for token in tokens)
    content = "".join(token.text[0] for token in tokens if token.text not in FUNCTION_WORDS)
    return letters in (full, content)


@lru_cache(maxsize=4096)
def compile_phrase(source: KeyPhrase, terms: TermIndex) -> CompiledPhrase:
    """All variants of a key phrase; compiled once per phrase and lexicon."""
    variants: list[Variant] = []
    for text, origin in _wordings(source):
        if origin == "alias" and (
            _is_initials(text, source.phrase) or _is_initials(source.phrase, text)
        ):
            origin = "acronym"
        variants.extend(_variants_of(text, origin, terms))
        for letters in _initials(text, terms):
            variants.extend(_as_letters(v) for v in _variants_of(letters, "acronym", terms))
    unique = {(variant.texts, variant.units): variant for variant in reversed(variants)}
    ordered = [v for v in variants if unique[(v.texts, v.units)] is v]
    return CompiledPhrase(source, tuple(ordered[:_MAX_VARIANTS]))
