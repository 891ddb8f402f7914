"""What is known about English words: rank, spelling, lemma, family, parts of speech, classes.

Lemmas come from the library lemminflect (the NIH SPECIALIST lexicon, and a small model for words
that it lacks), families from ``data/families.txt``, ranks from ``data/english_words.txt``.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from importlib import resources
from typing import Final

from lemminflect import getAllLemmas, getAllLemmasOOV  # type: ignore[import-untyped]

from question_bank.strict_yaml import parse_yaml

by_word = lru_cache(1 << 16)
"""Keeps what a pure function of a word gave; a report looks up the same words again and again."""

UNRANKED = 1_000_000
"""Rank of a word that is not among the 30,000 most frequent."""


@cache
def _ranks() -> dict[str, int]:
    text = resources.files("server.grading").joinpath("data/english_words.txt").read_text("utf-8")
    words = [line for line in text.splitlines() if line and not line.startswith("#")]
    return {word: place for place, word in enumerate(words)}


def rank(word: str) -> int:
    """How common a lower-case word is: 0 is the most frequent, ``UNRANKED`` an unlisted one."""
    return _ranks().get(word, UNRANKED)


def is_known_english(word: str) -> bool:
    """Whether a lower-case word is one of the 30,000 most frequent."""
    return word in _ranks()


def word_set(text: str) -> frozenset[str]:
    """The words of a text; keeps word lists readable in the source."""
    return frozenset(text.split())


@cache
def _classes() -> dict[str, str]:
    text = resources.files("server.grading").joinpath("data/classes.yaml").read_text("utf-8")
    loaded: dict[str, str] = parse_yaml(text, "classes.yaml").data
    return loaded


@cache
def word_class(name: str) -> frozenset[str]:
    """One of the classes of words in ``data/classes.yaml``."""
    return word_set(_classes()[name])


def _phrases(name: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(phrase.split()) for phrase in _classes()[name].split(" | "))


_PART_OF: Final = {"modal": "AUX"}
"""Parts of speech that Universal Dependencies names differently."""

Lemmas = Mapping[str, tuple[str, ...]]
"""Part of speech (``NOUN``, ``VERB``, ``ADJ``, ``ADV``, ``AUX``) → the lemmas of a word."""


@by_word
def lemmas_in_dictionary(word: str) -> Lemmas:
    """The lemmas of a lower-case word; empty if the dictionary does not have it."""
    return {
        _PART_OF.get(part, part): tuple(lemma.lower() for lemma in lemmas)
        for part, lemmas in getAllLemmas(word).items()
    }


# British spellings that no suffix rule covers (or whose rule would also hit "hour", "four").
_BRITISH = dict(pair.split("=") for pair in word_class("british"))
_SPELLINGS = (
    (re.compile(r"^(behavi|col|fav|hon|lab|neighb|harb|hum|rum|vap|endeav|vig|od|arm|glam|tum|parl"
                r"|rig|sav|splend|cand|clam|ferv|val|disc?ol|demean)our"), r"\1or"),
    (re.compile(r"^(label|model|travel|cancel|signal|level|channel|total|tunnel|fuel|dial|rival"
                r"|marshal|panel|spiral|unravel|trial)l(ed|ing|er|ers|or|ors)$"), r"\1\2"),
    (re.compile(r"is(e|ed|es|er|ers|ing|ation|ations|able|ational)$"), r"iz\1"),
    (re.compile(r"ys(e|ed|er|ers|ing)$"), r"yz\1"),
    (re.compile(r"^(cent|fib|met|lit)r(es|ed)$"), r"\1er\2"),
)  # fmt: skip
_PREFIXES = tuple(_classes()["prefixes_of_families"].split())
COMMON_RANK = 5_000
"""Words up to this rank of English make compounds."""
_KEPT = word_set("https data ops aws ios does access less least most last further later")
"""Words whose lemma, or plural, is a different word in this field."""
_PLURAL_ACRONYM = re.compile(r"^[b-df-hj-np-tv-z]{2,3}us$")
"""Plurals of acronyms in u ("GPUs", "SKUs"); no noun in -us looks like them."""
_OWN_ENDINGS = (
    ("ization", "ize"), ("izer", "ize"), ("ator", "ate"), ("ation", "ate"), ("ability", "able"),
    ("er", "e"), ("er", ""), ("or", ""),
)  # fmt: skip
"""Derivations that no dictionary has ("autoscaler", "tokenization")."""
_REGULAR_ENDINGS = (
    *_OWN_ENDINGS, ("ically", "ic"), ("bly", "ble"), ("ily", "y"), ("ly", ""), ("ness", ""),
    ("iness", "y"), ("able", "e"), ("able", ""), ("wise", ""), ("less", ""),
)  # fmt: skip
"""Derivations in which the word that they are made from keeps its meaning or most of its sound."""


@by_word
def american(word: str) -> str:
    """The American spelling of a lower-case word, as a key ("enterprize" is also one)."""
    for ending in ("", "s"):
        base: str | None = _BRITISH.get(word.removesuffix(ending))
        if base is not None:
            return base + ending
    if len(word) < 5:
        return word
    for british, own in _SPELLINGS:
        word = british.sub(own, word)
    return word


@by_word
def lemma(word: str) -> str:
    """The key that a word's inflections share.

    Args:
        word: lower case. Anything but ASCII letters is returned unchanged.
    """
    if len(word) < 3 or not (word.isascii() and word.isalpha()) or word in _KEPT:
        return word
    word = american(word)
    known = lemmas_in_dictionary(word) or _british_lemmas(word)
    if not known:
        return _unknown_lemma(word)
    for part in ("VERB", "NOUN", "ADJ"):
        if part == "ADJ" and not known.keys() <= {"ADJ", "ADV"}:
            break  # "number" is not a comparative of "numb"
        base = american(min(known.get(part, (word,)), key=rank))
        if base != word:
            # "embeddings" → "embedding" → "embed"
            return lemma(base) if part == "NOUN" and base.endswith("ing") else base
    return word


def _british_lemmas(word: str) -> Lemmas:
    """Lemmas of a key that no dictionary has because its -ise became -ize."""
    other = re.sub(r"iz(e|es|ed|ing)$", r"is\1", word)
    return lemmas_in_dictionary(other) if other != word else {}


def _unknown_lemma(word: str) -> str:
    if len(word) > 2 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        singular = word[:-2] if word.endswith(("ches", "shes", "xes")) else word[:-1]
        return lemma(singular)
    if _PLURAL_ACRONYM.match(word):
        return word[:-1]
    if word.endswith(("ing", "ed")) and len(word) > 5:
        base = str(getAllLemmasOOV(word, "VERB")["VERB"][0])
        return base.removesuffix("e") if is_known_english(base.removesuffix("e")) else base
    return word


@by_word
def inflections(key: str) -> frozenset[str]:
    """The regular forms of a lemma, with which joined words are compared."""
    short, double = key[:-1], key + key[-1:]
    forms = {key, key + "s", key + "es", key + "ed", key + "d", key + "ing", double + "ed",
             double + "ing", short + "ing", short + "ies", short + "ied"}  # fmt: skip
    return frozenset(form for form in forms if lemma(form) == key)


@cache
def relatives() -> dict[str, tuple[str, ...]]:
    """The lemmas of each family, by its key."""
    members: dict[str, list[str]] = {}
    for member, key in _families().items():
        members.setdefault(key, []).append(member)
    return {key: tuple(group) for key, group in members.items()}


@cache
def _families() -> dict[str, str]:
    text = resources.files("server.grading").joinpath("data/families.txt").read_text("utf-8")
    lines = [line.split() for line in text.splitlines() if line and not line.startswith("#")]
    return {member: members[0] for members in lines for member in members}


@by_word
def family(word: str) -> str:
    """The key of a word's family: noun, verb, adjective and adverb of one root.

    "replication" and "replicate", "consistency" and "consistent". Not "production" and "product".
    """
    key = lemma(word)
    known = _families().get(key) or _families().get(american(word))
    if known is not None:
        return known
    if len(key) >= 6 and not is_known_english(key):
        for ending, base in _OWN_ENDINGS:
            root = key.removesuffix(ending) + base
            if key.endswith(ending) and (root in _families() or lemmas_in_dictionary(root)):
                return _families().get(root, root)
    return key


@by_word
def parts_of_speech(word: str) -> frozenset[str]:
    """Which of NOUN, VERB, ADJ, ADV a lower-case word may be; empty if it is in no dictionary."""
    known = lemmas_in_dictionary(american(word)) or _british_lemmas(word)
    return frozenset(known)


@by_word
def is_odd(word: str) -> bool:
    """Whether a token is not English: in no dictionary, not a number, not a letter."""
    if len(word) < 4 or not word.isalpha() or is_known_english(word):
        return False
    if parts_of_speech(word) or parts_of_speech(lemma(word)) or family(word) in _families():
        return False
    if any(map(_is_word, _roots(word))):
        return False
    return not any(  # "dataset", "timestamp"
        rank(word[:at]) < COMMON_RANK and rank(lemma(word[at:])) < COMMON_RANK
        for at in range(4, len(word) - 2)
    )


def _roots(word: str) -> Iterator[str]:
    """What a word may be made from, by its prefix or ending."""
    for prefix in _PREFIXES:
        if word.startswith(prefix):
            yield word.removeprefix(prefix)
            break
    for ending, base in _REGULAR_ENDINGS:
        if word.endswith(ending):
            root = word.removesuffix(ending)
            yield root + base
            if ending == "able" and root[-1:] == root[-2:-1]:
                yield root[:-1]  # "pluggable"


def _is_word(word: str) -> bool:
    key = lemma(word)
    known = is_known_english(word) or is_known_english(key)
    return len(word) > 3 and (known or bool(parts_of_speech(key)))


ARTICLES = word_set("a an the this that these those our my your their its his her some any")

FUNCTION_WORDS = word_class("function_words")
"""Words that hardly matter between the words of a phrase."""

DISFLUENCIES = word_class("disfluencies")
DISFLUENT_PHRASES = _phrases("disfluent_phrases")

SUBJECTS = word_class("subjects")
AUXILIARIES = word_class("auxiliaries")
CLAUSE_STARTS = word_class("clause_starts_of_english")

PREFIX_WORDS = word_class("prefix_words")
"""Prefixes that turn a term into another one, even if written as a separate word."""
PREFIXES = PREFIX_WORDS | word_class("prefixes")
"""Prefixes that make another word of a word."""

VACUOUS_HEADS = frozenset(lemma(word) for word in word_class("vacuous_heads"))
"""Heads that only name the kind of thing: the "pattern" in "circuit breaker pattern"."""

KIND_HEADS = frozenset(
    lemma(word)
    for word in word_set("time point score deployment rollout release storage certificate delivery")
)
"""Heads that a speaker may leave out after a distinctive word: the "storage" after "ephemeral"."""

EVERYDAY_RANK = 5000
_FIELD = frozenset(lemma(word) for word in word_class("field"))


def is_generic(word: str) -> bool:
    """Whether a lemma occurs in so many terms that it alone is no evidence for any of them.

    Everyday nouns, verbs and adjectives are, and the everyday words of the field.
    """
    everyday = rank(word) < EVERYDAY_RANK and "ADV" not in parts_of_speech(word)
    return everyday or word in _FIELD


# Prepositions and words that form an adverb: "in parallel" is not a kind of parallelism.
ADVERBIAL = frozenset(_phrases("adverbial"))


@cache
def _contrast_index() -> dict[str, tuple[frozenset[str], ...]]:
    text = resources.files("server.grading").joinpath("data/siblings.txt").read_text("utf-8")
    index: dict[str, tuple[frozenset[str], ...]] = {}
    for line in text.splitlines():
        group = frozenset(lemma(word) for word in line.split()) if line[:1] != "#" else frozenset()
        for word in group:
            index[word] = (*index.get(word, ()), group)
    return index


def contrast(one: str, other: str) -> bool:
    """Whether two lemmas are siblings that exclude each other before a head ("data", "tensor")."""
    return one != other and any(other in group for group in _contrast_index().get(one, ()))
