"""The vocabulary of the whole bank for a language model, with pronunciations.

Bank-wide on purpose: nothing here knows which question was asked, and neither a key phrase nor a
model answer goes in as a phrase, only the single words of all of them together. A recognizer that
expects the answer hears it (SYSTRAN/faster-whisper#1356).
"""

import itertools
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from pronunciation.g2p import pronunciations
from pronunciation.phones import base_phone
from pronunciation.terms import Lexicon
from question_bank.models import Bank

MAX_READINGS = 3
"""Of one dictionary entry: PocketSphinx slows down with every variant, and confuses more."""

MAX_TERM_WORDS = 5
MIN_TERM_PHONES = 6
"""A shorter term of several words ("in use") would be heard everywhere."""

Lookup = Callable[[str], str | None]
"""A word in lower case → its phones without stress digits, or ``None``."""

_TOKEN = re.compile(r"[A-Za-z0-9]+(?:'[a-z]+)?")
_BETWEEN_TERMS = re.compile(r"\s+/\s+|[,;:()]|(?<=\w)/(?=\w{3})")


@dataclass(frozen=True)
class BankVocabulary:
    """What the bank and the lexicon talk about.

    Attributes:
        version: of bank and lexicon together.
        terms: as they are written: the roles' vocabulary, topics and spotlight terms, and the
            lexicon's terms. No key phrases, no answers.
        words: every single word anywhere in the bank, in order of first use, case kept.
        readings: lexicon term in lower case → its accepted readings, phones without stress.
    """

    version: str
    terms: tuple[str, ...]
    words: tuple[str, ...]
    readings: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Entry:
    """One word of the recognizer's dictionary, which may stand for several written words.

    Attributes:
        key: as the dictionary has it, no spaces: ``tail_latency``.
        written: the words to write, each with its number of phones (its share of the time).
        readings: phones separated by spaces, no stress.
    """

    key: str
    written: tuple[tuple[str, int], ...]
    readings: tuple[str, ...]


def bank_vocabulary(bank: Bank, lexicon: Lexicon) -> BankVocabulary:
    """Collect the terms and words of a bank and a lexicon."""
    terms: dict[str, str] = {}
    for text in itertools.chain(_bank_terms(bank), (entry.term for entry in lexicon)):
        for term in _apart(text):
            terms.setdefault(term.casefold(), term)
    words: dict[str, str] = {}
    for text in _bank_texts(bank):
        for token in _TOKEN.findall(text):
            if not token.isdigit():  # "8" would stand in for "eight"
                words.setdefault(token.casefold(), token)
    readings = {
        entry.term.casefold(): tuple(
            " ".join(base_phone(phone) for phone in reading.split())
            for reading in entry.readings[:MAX_READINGS]
        )
        for entry in lexicon
    }
    return BankVocabulary(
        f"{bank.version}+{lexicon.version}", tuple(terms.values()), tuple(words.values()), readings
    )


def _apart(text: str) -> Iterator[str]:
    """``S3 / GCS (object stores)`` is three terms."""
    for part in _BETWEEN_TERMS.split(text):
        if part.strip():
            yield part.strip()


def _bank_terms(bank: Bank) -> Iterator[str]:
    for role in bank.roles:
        yield from role.topics
        for spotlight in role.spotlight:
            yield spotlight.term
        for category in role.vocabulary:
            yield from category.terms
        for responsibility in role.landscape.responsibilities:
            yield from responsibility.tools


def _bank_texts(bank: Bank) -> Iterator[str]:
    yield from _bank_terms(bank)
    for role in bank.roles:
        yield role.summary
        yield from role.scenarios
        for spotlight in role.spotlight:
            yield spotlight.definition
            yield spotlight.example
    for question in bank.questions:
        yield question.prompt
        yield question.model_answer
        for phrase in question.key_phrases:
            yield phrase.phrase
            yield from phrase.aliases


def entries(vocabulary: BankVocabulary, lookup: Lookup) -> list[Entry]:
    """Dictionary entries for what the recognizer does not know yet.

    Returns:
        Terms of several words, lexicon terms, and single words missing from the dictionary.
    """
    found: dict[str, Entry] = {}
    for text in itertools.chain(vocabulary.terms, vocabulary.words):
        entry = _entry(text, vocabulary.readings, lookup)
        if entry is not None:
            found.setdefault(entry.key, entry)
    return list(found.values())


def _entry(text: str, readings: Mapping[str, tuple[str, ...]], lookup: Lookup) -> Entry | None:
    tokens = _TOKEN.findall(text)
    if not tokens or len(tokens) > MAX_TERM_WORDS:
        return None
    whole = readings.get(text.casefold())
    if len(tokens) == 1 and whole is None and lookup(tokens[0].lower()) is not None:
        return None
    spoken = [_said(token, readings) for token in tokens]
    if whole is not None:
        written: tuple[tuple[str, int], ...] = tuple((word, len(word)) for word in text.split())
        # a lexicon term that is an ordinary word said the ordinary way needs no second entry
        if len(tokens) == 1 and lookup(text.lower()) in whole:
            return None
        return Entry("_".join(text.split()), written, whole)
    if not all(spoken):
        return None
    if len(tokens) > 1 and sum(len(s[0].split()) for s in spoken) < MIN_TERM_PHONES:
        return None
    combined = itertools.islice(itertools.product(*spoken), MAX_READINGS)
    return Entry(
        "_".join(tokens),
        tuple((token, len(said[0].split())) for token, said in zip(tokens, spoken, strict=True)),
        tuple(" ".join(parts) for parts in combined),
    )


def _said(token: str, readings: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """How a word is said: by the lexicon, by the dictionary, or by espeak-ng's rules."""
    known = readings.get(token.casefold())
    return known or tuple(" ".join(phones) for phones in pronunciations(token)[:1])
