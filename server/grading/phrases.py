"""Key phrases prepared for search: the variants of each, as units that must be found."""

import re
from collections.abc import Iterator
from functools import lru_cache

from pronunciation.confusions import encode
from pronunciation.phones import parse_phones
from question_bank.models import KeyPhrase
from server.grading.lexis.vocabulary import FUNCTION_WORDS
from server.grading.lexis.words import is_known_english
from server.grading.phones import phones_of
from server.grading.sense.caching import by_identity
from server.grading.terms import TermIndex
from server.grading.tokenizer import tokenize
from server.grading.units import OPENING, CompiledPhrase, Origin, PhraseSet, Sounding, Variant
from server.grading.variants import as_letters, variants_of

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


@by_identity
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
