"""Key phrases prepared for search: the variants of each, as units that must be found."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from functools import lru_cache
from typing import Literal

from pronunciation.confusions import encode, merged
from pronunciation.phones import parse_phones
from question_bank.models import KeyPhrase
from server.grading.english import (
    FUNCTION_WORDS,
    KIND_HEADS,
    PREFIX_WORDS,
    VACUOUS_HEADS,
    inflections,
    is_generic,
    is_known_english,
    lemma,
    rank,
    relatives,
    word_class,
    word_set,
)
from server.grading.phones import phones_of
from server.grading.quantities import in_other_units, numbers_in
from server.grading.terms import TermIndex
from server.grading.tokenizer import Token, tokenize

RARE_RANK = 8000
"""A word beyond this rank of general English is distinctive. "continuous" and "pipeline", which
many answers in this field have, are near rank 8,000; "throughput" and "quorum" are beyond
30,000."""
MIN_TELLING_WEIGHT = 1.5
"""Weight of a rare word or a name that alone identifies what is meant."""

Origin = Literal["exact", "alias", "acronym"]

OPENING = 4
"""The first letters of a spelling, which rule out most words of an answer."""


class Tier(IntEnum):
    """How close a word of the answer is to the phrase's; lower is closer."""

    EXACT = 0
    INFLECTED = 1
    DERIVED = 2
    ACRONYM = 3
    SPELLING = 4


@dataclass(frozen=True, slots=True)
class Unit:
    """One part of a phrase that must be found in the answer.

    Attributes:
        text: as a token.
        lemma: key of its inflections.
        family: key of its derivations.
        symbols: terms it is, or stands for.
        weight: how much of the phrase's meaning it carries, relative to an ordinary word (1).
        rare: a word beyond ``RARE_RANK`` of general English and not generic in technical speech.
        name: an acronym, a proper name or a coinage, which English does not know.
        forms: other forms that its pieces may spell when joined ("check pointed"), and their tier.
        before: the phrase's word right before it ("in" of "in-flight"), for idioms and prefixes.
        deverbal: a noun of action ("checkpointing"): its object may follow the verb.
        named: written with a capital, as a name is.
        letters: initials, which have no derivations and no inflection but the plural.
        optional: a head that only names the kind of thing ("pattern").
        keys: everything it is looked up by; an answer with none of them does not say it.
    """

    text: str
    lemma: str
    family: str
    symbols: frozenset[str]
    weight: float
    rare: bool
    name: bool
    before: str
    deverbal: bool
    forms: tuple[tuple[str, Tier], ...] = field(default=(), compare=False)
    letters: bool = False
    named: bool = False
    optional: bool = False
    end: int = 0
    keys: frozenset[str] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Collects the keys once, because hundreds of units are looked up in each answer."""
        forms = (form for form, _ in self.forms)
        whole = self.text.split(".")[0]  # "1.3" may have been read "one three"
        own = (self.text, self.text + "s", whole, self.lemma, self.family)
        object.__setattr__(self, "keys", frozenset((*own, *forms, *self.symbols)))


@dataclass(frozen=True, slots=True)
class Variant:
    """One way of saying a phrase.

    Attributes:
        units: in the order of the phrase.
        texts: all its tokens, to recognize an exact match.
        origin: the phrase itself, an alias, or an acronym or expansion of it.
        joint: "X and Y": both must be said, but not together.
        joined: adjacent units written as one word ("allreduce"): first unit, the one after the
            last, text, lemma.
        headless: its head, which only names the kind of thing, is left out.
        needed: the units that are not optional, by number.
    """

    units: tuple[Unit, ...]
    texts: tuple[str, ...]
    origin: Origin
    joint: bool
    joined: tuple[tuple[int, int, str, str], ...]
    headless: bool = False
    needed: tuple[int, ...] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Counts them once, because every answer needs them."""
        needed = tuple([at for at, unit in enumerate(self.units) if not unit.optional])
        object.__setattr__(self, "needed", needed)


@dataclass(frozen=True, slots=True)
class Sounding:
    """One wording as it sounds.

    Attributes:
        texts: its tokens.
        phones: the phones of each, see ``phones.py``; empty if unknown.
        origin: as of a variant.
        name: the tokens as one text.
        classes: all its phones, with those that listeners confuse merged.
    """

    texts: tuple[str, ...]
    phones: tuple[str, ...]
    origin: Origin
    name: str = field(init=False, compare=False, repr=False)
    classes: str = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Joins them once, because every answer needs them."""
        object.__setattr__(self, "name", " ".join(self.texts))
        object.__setattr__(self, "classes", merged("".join(self.phones)))


@dataclass(frozen=True, slots=True, eq=False)
class CompiledPhrase:
    """A key phrase with all its variants, the phrase itself first, and how its wordings sound.

    ``units_of``: everything its words are looked up by, and the units that each is a key of; an
        answer with none of them does not say it.
    ``numbers``: the numbers of all its variants, if it has one itself, each with the scale or unit
        after it, or with "".
    """

    source: KeyPhrase
    variants: tuple[Variant, ...]
    soundings: tuple[Sounding, ...]
    units_of: dict[str, tuple[Unit, ...]] = field(init=False, repr=False)
    numbers: frozenset[tuple[str, str]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Collects them once, because a model answer is compared with hundreds of phrases."""
        units_of: dict[str, tuple[Unit, ...]] = {}
        units = {id(unit): unit for each in self.variants for unit in each.units}
        for unit in units.values():
            for key in unit.keys:
                units_of[key] = (*units_of.get(key, ()), unit)
        for each in self.variants:
            for _, _, text, key in each.joined:
                units_of.setdefault(text, ())
                units_of.setdefault(key, ())
        object.__setattr__(self, "units_of", units_of)
        numbers = [frozenset(numbers_in(each.texts)) for each in self.variants]
        # of "1 in 4", only the 4 tells
        numbers = [each - {("1", "")} if len(each) > 1 else each for each in numbers]
        said = frozenset[tuple[str, str]]().union(*numbers if numbers and numbers[0] else ())
        object.__setattr__(self, "numbers", said)

    @property
    def has_one_sense(self) -> bool:
        """Whether its own words are a quantity ("twice"), a formula ("n²") or one name ("C#")."""
        units = self.variants[0].units if self.variants else ()
        has_number = any(True for each in self.variants for _ in numbers_in(each.texts))
        is_formula = any(len(each.text) == 1 and each.text not in "ai" for each in units)
        return has_number or is_formula or (len(units) == 1 and units[0].name)


@dataclass(frozen=True, eq=False)
class PhraseSet:
    """The phrases of a question.

    ``writings``: all texts of their units that may be written in pieces, sorted; ``openings``: how
        these may begin, up to ``OPENING`` letters.
    """

    phrases: tuple[CompiledPhrase, ...]
    writings: tuple[str, ...]
    openings: frozenset[str]

    def may_go_on(self, text: str) -> bool:
        """Whether one of the writings begins with ``text``."""
        if text[:OPENING] not in self.openings:  # most words of an answer
            return False
        at = bisect_left(self.writings, text)
        return at < len(self.writings) and self.writings[at].startswith(text)


_ALWAYS_NEEDED = word_class("always_needed")
_OR_ELSE = word_set("or versus vs")
"""Between two alternatives: "build versus buy" is also "build or buy"."""
MIN_JOINED_LETTERS = 5


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


@lru_cache(maxsize=65536)
def _shared(unit: Unit) -> Unit:
    """One object for equal units, so that each is searched for only once in an answer."""
    return unit


def _unit(tokens: Sequence[Token], place: int, terms: TermIndex, *, named: bool = False) -> Unit:
    token = tokens[place]
    symbols = frozenset(
        symbol
        for symbol, spans in terms.find((token,), strict=True).items()
        if any(form != "fuzzy" for _, _, form in spans)
    )
    text = token.text
    word = text.isalpha()
    known = is_known_english(text) or is_known_english(token.lemma)
    generic = is_generic(token.lemma)
    name = word and not known and not generic and len(text) > 1
    rare = name or (word and not generic and rank(text) >= RARE_RANK)
    weight = 0.6 if generic else 2.0 if name and symbols else 1.5 if rare else 1.0
    if text in FUNCTION_WORDS:
        weight = 0.3
    return Unit(
        text=text,
        lemma=token.lemma,
        family=token.family,
        symbols=symbols,
        weight=weight,
        rare=rare,
        name=name,
        before=tokens[place - 1].text if place else "",
        forms=_forms(token) if word and len(text) >= MIN_JOINED_LETTERS else (),
        deverbal=bool(_DEVERBAL.search(text)) and len(text) > 4,
        named=named,
        end=place + 1,
    )


def _forms(token: Token) -> tuple[tuple[str, Tier], ...]:
    """Forms of a word and, after a prefix, of its derivations ("de-duplicated")."""
    out = {form: Tier.INFLECTED for form in inflections(token.lemma)}
    if token.text.startswith(tuple(PREFIX_WORDS)):
        for relative in relatives().get(token.family, ()):
            for form in inflections(relative):
                out.setdefault(form, Tier.DERIVED)
    return tuple(out.items())


def _term_unit(
    tokens: Sequence[Token], start: int, end: int, symbol: str, terms: TermIndex
) -> Unit:
    text = symbol if " " not in symbol else "\0"
    first = _unit(tokens, start, terms)
    return Unit(
        text=text,
        lemma=text,
        family=text,
        symbols=frozenset({symbol}),
        weight=2.0,
        rare=True,
        name=True,
        before=first.before,
        deverbal=False,
        end=end,
    )


_KIND_SUFFIXES = word_set("based driven oriented level style like specific wide")
"""Second halves of compounds that only say how the first half qualifies ("token-based")."""


def _optional(unit: Unit) -> Unit:
    return replace(unit, optional=True)


def _variant(tokens: Sequence[Token], units: Sequence[Unit], origin: Origin) -> Variant:
    units = [
        _optional(unit)
        if unit.text in _KIND_SUFFIXES and len(units) > 2 and 0 < at < len(units) - 1
        else unit
        for at, unit in enumerate(units)
    ]
    # A vacuous head may be missing after something distinctive.
    if len(units) > 1 and units[-1].lemma in VACUOUS_HEADS:
        rest = units[:-1]
        if len(rest) > 1 or rest[0].weight > 1.0:  # "a draft" is not a draft model
            units[-1] = _optional(units[-1])
    if len(units) > 2 and units[0].lemma in VACUOUS_HEADS and tokens[1].text == "of":
        units[0] = _optional(units[0])
    if len(units) > 1 and any(unit.text == "percent" for unit in units):
        units = [_optional(unit) if unit.text == "percent" else unit for unit in units]
    joined: list[tuple[int, int, str, str]] = []
    for start in range(len(units)):
        for end in range(start + 2, min(len(units), start + 3) + 1):
            text = "".join(unit.text for unit in units[start:end])
            if text.isascii() and "\0" not in text and len(text) >= 4:
                joined.append((start, end, text, lemma(text)))
    whole = "".join(token.text for token in tokens)
    if len(tokens) > len(units) > 1 and len(tokens) <= 4 and not units[-1].optional:
        joined.append((0, len(units), whole, lemma(whole)))
    return Variant(
        units=tuple(_shared(unit) for unit in units),
        texts=tuple(token.text for token in tokens),
        origin=origin,
        joint=sum(not unit.optional for unit in units) == 2
        and any(token.text == "and" or token.text in _OR_ELSE for token in tokens),
        joined=tuple(joined),
    )


def _terms_in(tokens: Sequence[Token], terms: TermIndex) -> list[tuple[int, int, str]]:
    """Terms that a phrase names: first token, the one after the last, symbol."""
    return [
        (start, end, symbol)
        for symbol, spans in terms.find(tokens, strict=True).items()
        for start, end, form in spans
        if form == "exact"
    ]


def variants_of(text: str, origin: Origin, terms: TermIndex) -> Iterator[Variant]:
    """All variants of one wording, its own words first."""
    tokens = tokenize(text.split())
    if not tokens:
        return
    places = _content(tokens)
    named = len(places) == 1 and text[:1].isupper()
    units = [_unit(tokens, place, terms, named=named) for place in places]
    yield _variant(tokens, units, origin)
    # The same with each term as a single unit: "KV cache eviction" as "[KV cache] eviction".
    found = [
        (start, end, symbol, form)
        for symbol, spans in terms.find(tokens, strict=True).items()
        for start, end, form in spans
        if form != "fuzzy" and (end - start > 1 or form == "acronym")
    ]
    for start, end, symbol, form in sorted(found, key=lambda hit: hit[0] - hit[1])[:4]:
        wholes: list[Unit] = []
        for place in places:
            if start <= place < end:
                if not wholes or wholes[-1].symbols != {symbol}:
                    wholes.append(_term_unit(tokens, start, end, symbol, terms))
            else:
                wholes.append(_unit(tokens, place, terms))
        yield _variant(tokens, wholes, "acronym" if form == "acronym" else origin)
    # "KV cache" is "the cache for keys and values", its expansion in another order.
    for start, end, symbol in _terms_in(tokens, terms):
        for expansion in terms.expansions.get(symbol, ()):
            said = [t.text for t in tokens[:start]], [t.text for t in tokens[end:]]
            parts = tokenize([*said[0], *expansion.split(), *said[1]])
            kept = _content(parts)
            if len(kept) > 1:
                yield _variant(parts, [_unit(parts, n, terms) for n in kept], "acronym")
    yield from _headless(tokens, places, origin, terms)
    # "rollback" is "roll … back": the verb may take its object between.
    for at, token in enumerate(tokens):
        hit = _PHRASAL.match(token.text)
        if hit and is_known_english(hit["verb"]) and len(tokens) <= 3:
            apart = " ".join([*(t.text for t in tokens[:at]), hit["verb"], hit["particle"],
                              *(t.text for t in tokens[at + 1 :])])  # fmt: skip
            parts = tokenize(apart.split())
            verbal = [_unit(parts, n, terms) for n in range(len(parts))]
            # "failures … over" is not failover: the verb is inflected, not derived.
            yield _variant(parts, [replace(unit, family="\0") for unit in verbal], origin)
    # "B2B" is read "b to b".
    if len(tokens) == 3 and tokens[1].text in ("2", "4") and tokens[2].inside:
        word = {"2": "to", "4": "for"}[tokens[1].text]
        parts = tokenize([tokens[0].text, word, tokens[2].text])
        yield _variant(parts, [_unit(parts, n, terms) for n in range(3)], origin)
    # "p99 latency" is "99th percentile latency".
    for place in range(len(tokens) - 1):
        if tokens[place].text == "p" and re.fullmatch(r"\d\d(\.\d+)?", tokens[place + 1].text):
            words = [token.text for token in tokens]
            words[place : place + 2] = [f"{tokens[place + 1].text}th", "percentile"]
            yield from variants_of(" ".join(words), origin, terms)
    for other in in_other_units(tokens):
        parts = tokenize(other.split())
        has_article = not {"a", "an"}.isdisjoint(other.split())  # "a week" is not any week
        needed = [*range(len(parts))] if has_article else _content(parts)
        yield _variant(parts, [_unit(parts, at, terms) for at in needed], origin)


def _headless(
    tokens: Sequence[Token], places: Sequence[int], origin: Origin, terms: TermIndex
) -> Iterator[Variant]:
    """Without a head that only names the kind of thing: the "wildcard" of a certificate."""
    units = [_unit(tokens, place, terms) for place in places]
    while len(units) > 1 and units[-1].lemma in KIND_HEADS:
        units.pop()
        telling = len(units) > 1 or units[0].weight >= MIN_TELLING_WEIGHT
        if telling and units[-1].lemma not in KIND_HEADS:
            yield replace(_variant(tokens, units, origin), headless=True)
    last = tokens[-1].text
    if len(tokens) == 1 and last.endswith("db") and len(last) >= 6 and units[0].name:
        short = tokenize([last[:-2]])
        if rank(last[:-2]) >= RARE_RANK:
            yield replace(_variant(short, [_unit(short, 0, terms)], origin), headless=True)


def as_letters(variant: Variant) -> Variant:
    """The same as initials, which are not inflected."""
    units = tuple(_shared(replace(unit, letters=True)) for unit in variant.units)
    return replace(variant, units=units)


MIN_ACRONYM, MAX_ACRONYM = 3, 6
_MAX_VARIANTS = 60


_PARENTHESES = re.compile(r"^(?P<outer>.*?)\s*\((?P<inner>[^()]{2,})\)\s*(?P<rest>.*)$")


def _wordings(source: KeyPhrase) -> Iterator[tuple[str, Origin]]:
    names = (*source.aliases, *source.any_of)
    for text, origin in ((source.phrase, "exact"), *((name, "alias") for name in names)):
        hit = _PARENTHESES.match(text)
        # "O(1)" is not a phrase followed by its acronym, which would be set apart
        if hit and hit["outer"] and re.search(r"\s\(", text):
            yield f"{hit['outer']} {hit['rest']}".strip(), "exact" if origin == "exact" else "alias"
            yield f"{hit['inner']} {hit['rest']}".strip(), "alias"
        else:
            yield text, "exact" if origin == "exact" else "alias"


def _initials(text: str, terms: TermIndex) -> Iterator[str]:
    """Acronyms that a speaker may form from a phrase of three or more words."""
    tokens = tokenize(text.split())
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
            [token.family for token in tokenize(expansion.split())] == families
            for expansion in expansions
        ):
            continue  # these letters mean something else in the field
        yield letters


def _is_initials(acronym: str, text: str) -> bool:
    letters = re.sub(r"[^a-z0-9]", "", acronym.casefold())
    tokens = tokenize(text.split())
    if len(tokens) < 2 or not letters:
        return False
    full = "".join(token.text[0] for token in tokens)
    content = "".join(token.text[0] for token in tokens if token.text not in FUNCTION_WORDS)
    return letters in (full, content)


@lru_cache(maxsize=1024)
def compile_phrases(sources: tuple[KeyPhrase, ...], terms: TermIndex) -> PhraseSet:
    """All key phrases of a question."""
    phrases = tuple(compile_phrase(source, terms) for source in sources)
    units = {unit for each in phrases for variant in each.variants for unit in variant.units}
    writings = {
        text
        for unit in units
        for text in (unit.text, unit.text + "s", *(form for form, _ in unit.forms))
    }
    openings = {text[:size] for text in writings for size in range(OPENING + 1)}
    return PhraseSet(phrases, tuple(sorted(writings)), frozenset(openings))


@lru_cache(maxsize=4096)
def compile_phrase(source: KeyPhrase, terms: TermIndex) -> CompiledPhrase:
    """All variants of a key phrase; compiled once per phrase and lexicon."""
    variants: list[Variant] = []
    soundings: list[Sounding] = []
    for text, origin in _wordings(source):
        if origin == "alias" and (
            _is_initials(text, source.phrase) or _is_initials(source.phrase, text)
        ):
            origin = "acronym"
        variants.extend(variants_of(text, origin, terms))
        soundings.append(_sounding(text, origin, terms))
        for letters in _initials(text, terms):
            variants.extend(as_letters(v) for v in variants_of(letters, "acronym", terms))
    unique = {(variant.texts, variant.units): variant for variant in reversed(variants)}
    ordered = [v for v in variants if unique[(v.texts, v.units)] is v]
    return CompiledPhrase(source, tuple(ordered[:_MAX_VARIANTS]), tuple(soundings))


def _sounding(text: str, origin: Origin, terms: TermIndex) -> Sounding:
    tokens = tokenize(text.split())
    texts = [token.text for token in tokens]
    phones = [phones_of(text) for text in texts]
    for symbol, spans in terms.find(tokens, strict=True).items():
        term = terms.lexicon_terms.get(symbol)
        for start, end, _ in spans:
            one_word = all(token.inside for token in tokens[start + 1 : end])  # "A100", "K8s"
            said = "".join(texts[start:end])
            if term is not None and said == term.term.casefold() and one_word:
                reading = encode(parse_phones(term.readings[0]))
                phones[start:end] = [reading, *[""] * (end - start - 1)]
    return Sounding(tuple(texts), tuple(phones), origin)
