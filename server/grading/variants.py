"""From the text of a key phrase to its variants: all the ways its words may be arranged."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from server.grading.lexis.vocabulary import (
    FUNCTION_WORDS,
    KIND_HEADS,
    PREFIX_WORDS,
    VACUOUS_HEADS,
    is_generic,
)
from server.grading.lexis.words import (
    inflections,
    is_known_english,
    lemma,
    rank,
    relatives,
    word_set,
)
from server.grading.sense.thresholds import MIN_TELLING_WEIGHT, RARE_RANK
from server.grading.terms import TermIndex
from server.grading.tokenizer import Token, tokenize
from server.grading.units import Origin, Tier, Unit, Variant

_ALWAYS_NEEDED = word_set(
    "out up down off over under no not all each both once most more before after without only "
    "into onto through across between even every"
)
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
        glued=token.inside
        and place > 0
        and (text[0].isdecimal() or len(tokens[place - 1].text) == 1)
        and not (len(text) > 1 and text.isalpha()),
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
