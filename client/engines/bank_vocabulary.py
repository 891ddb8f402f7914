"""The vocabulary of the whole bank for a language model, with pronunciations.

Bank-wide on purpose: nothing here knows which question was asked, and neither a key phrase nor a
model answer goes in as a phrase, only the single words of all of them together. A recognizer that
expects the answer hears it (SYSTRAN/faster-whisper#1356).
"""

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

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

_ONES = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
    "nineteen",
]  # fmt: skip
_TENS = [
    "zero", "ten", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
]  # fmt: skip

_VOICELESS = {"P", "T", "K", "F", "TH"}
_SIBILANTS = {"S", "Z", "SH", "ZH", "CH", "JH"}
_PREFIXES = ("un", "re", "pre", "de", "non", "sub", "over", "multi", "inter", "auto", "micro")

_TOKEN = re.compile(r"[A-Za-z0-9]+(?:'[a-z]+)?")
_BETWEEN_TERMS = re.compile(r"\s+/\s+|[,;:()]|(?<=\w)/(?=\w{3})")
_LETTER_OR_NUMBER = re.compile(r"[a-z]+|[0-9]+", re.IGNORECASE)


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

    Args:
        vocabulary: of the whole bank.
        lookup: the recognizer's own dictionary.

    Returns:
        Terms of several words, lexicon terms, and single words missing from the dictionary. What
        cannot be pronounced by rule is left out.
    """
    pronouncer = Pronouncer(vocabulary.readings, lookup)
    found: dict[str, Entry] = {}
    for text in itertools.chain(vocabulary.terms, vocabulary.words):
        entry = _entry(text, pronouncer, lookup)
        if entry is not None:
            found.setdefault(entry.key, entry)
    return list(found.values())


def _entry(text: str, pronouncer: "Pronouncer", lookup: Lookup) -> Entry | None:
    tokens = _TOKEN.findall(text)
    if not tokens or len(tokens) > MAX_TERM_WORDS:
        return None
    whole = pronouncer.readings.get(text.casefold())
    if len(tokens) == 1 and whole is None and lookup(tokens[0].lower()) is not None:
        return None
    spoken = [pronouncer(token) for token in tokens]
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


class Pronouncer:
    """Says a word: by the lexicon, the dictionary, or rules of English word formation."""

    def __init__(self, readings: Mapping[str, tuple[str, ...]], lookup: Lookup) -> None:
        self.readings = readings
        self._lookup = lookup

    def __call__(self, token: str) -> tuple[str, ...]:
        """Readings as phones without stress; empty if no rule applies."""
        known = self.readings.get(token.casefold())
        if known:
            return known
        lower = token.lower()
        phones = self._lookup(lower)
        if phones:
            return (phones,)
        if token.isalpha():
            plural = token[:-1] if token.endswith("s") and token[:-1].isupper() else None
            if plural and len(plural) > 1:
                return tuple(f"{stem} Z" for stem in self(plural))
            if token.isupper() and len(token) <= 5:
                spelled = self._spell(lower)
                return (spelled,) if spelled else ()
            derived = self._derive(lower)
            return (derived,) if derived else ()
        if any(char.isdigit() for char in token):
            return self._mixed(lower)
        return ()

    def _mixed(self, token: str) -> tuple[str, ...]:
        parts: list[str] = []
        for run in _LETTER_OR_NUMBER.findall(token):
            if run.isdigit():
                parts.append(self._number(run))
            else:
                word = self._lookup(run) if len(run) > 3 else None
                parts.append(word or self._spell(run))
        return (" ".join(parts),) if all(parts) else ()

    def _spell(self, letters: str) -> str:
        """By the names of the letters, which the dictionary has as ``a.`` and so on."""
        names = [self._lookup(f"{letter}.") for letter in letters]
        return " ".join(name for name in names if name) if all(names) else ""

    def _number(self, digits: str) -> str:
        words = _number_words(digits)
        said = [self._lookup(word) for word in words]
        return " ".join(phones for phones in said if phones) if all(said) else ""

    def _derive(self, word: str) -> str | None:
        return self._inflected(word) or self._prefixed(word) or self._compound(word)

    def _inflected(self, word: str) -> str | None:
        for stem in _stems(word, "ing"):
            if phones := self._known(stem):
                return f"{phones} IH NG"
        for stem in _stems(word, "er"):
            if phones := self._known(stem):
                return f"{phones} ER"
        for stem in _stems(word, "ed"):
            if phones := self._known(stem):
                last = phones.split()[-1]
                ending = "AH D" if last in {"T", "D"} else "T" if _is_voiceless(last) else "D"
                return f"{phones} {ending}"
        for suffix, said in (("ly", "L IY"), ("less", "L AH S"), ("ness", "N AH S")):
            if word.endswith(suffix) and (phones := self._known(word.removesuffix(suffix))):
                return f"{phones} {said}"
        for stem in (word.removesuffix("s"), word.removesuffix("es")):
            if stem != word and (phones := self._known(stem) or self._derive(stem)):
                last = phones.split()[-1]
                ending = "AH Z" if last in _SIBILANTS else "S" if last in _VOICELESS else "Z"
                return f"{phones} {ending}"
        return None

    def _prefixed(self, word: str) -> str | None:
        for prefix in _PREFIXES:
            rest = word.removeprefix(prefix)
            if rest == word or len(rest) < 4:
                continue
            said, phones = self._lookup(prefix), self._lookup(rest) or self._inflected(rest)
            if said and phones:
                return f"{said} {phones}"
        return None

    def _compound(self, word: str) -> str | None:
        for cut in range(len(word) - 3, 2, -1):
            first, second = self._lookup(word[:cut]), self._known(word[cut:])
            if first and second:
                return f"{first} {second}"
        return None

    def _known(self, stem: str) -> str | None:
        if len(stem) < 3:
            return None
        reading = self.readings.get(stem)
        return reading[0] if reading else self._lookup(stem)


def _stems(word: str, suffix: str) -> Iterable[str]:
    """What a suffix may have been added to: ``batch``, ``cach(e)``, ``shar(d)d``, ``tr(y)i``."""
    if not word.endswith(suffix):
        return
    bare = word.removesuffix(suffix)
    yield bare
    yield bare + "e"
    if len(bare) > 3 and bare[-1] == bare[-2]:
        yield bare[:-1]
    if bare.endswith("i"):
        yield bare[:-1] + "y"


def _is_voiceless(phone: str) -> bool:
    return phone in _VOICELESS or phone in {"S", "SH", "CH"}


def _number_words(digits: str) -> list[str]:
    """``16`` → sixteen, ``100`` → one hundred, ``512`` → five twelve, longer by digits."""
    value = int(digits)
    if (len(digits) > 1 and digits[0] == "0") or value >= 1000:
        return [_ONES[int(digit)] for digit in digits]
    if value >= 100:
        rest = value % 100
        return [_ONES[value // 100], *(_number_words(str(rest)) if rest else ["hundred"])]
    if value >= 20:
        return [_TENS[value // 10], *([_ONES[value % 10]] if value % 10 else [])]
    return [_ONES[value]]
