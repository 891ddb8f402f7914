"""What the checks know about words: lists of ``data/grammar.yaml``, inflection, "a" or "an"."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import Any

from lemminflect import getAllLemmas, getInflection  # type: ignore[import-untyped]
from rapidfuzz import process
from rapidfuzz.distance import OSA

from question_bank.strict_yaml import parse_yaml


def word_set(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


HESITATIONS = word_set("um umm uh uhm uhh er erm ah eh ehm hm hmm hmmm mm mhm")
MODALS = word_set("can could will would shall should may might must 'll ca wo cannot")
OBJECTIVE = {"i": "me", "he": "him", "she": "her", "we": "us", "they": "them"}
NOMINATIVE = {"me": "I", "him": "he", "her": "she", "us": "we", "them": "they"}
_BE = {"VB": "be", "VBP": "are", "VBZ": "is", "VBD": "was", "VBG": "being", "VBN": "been"}
_HAVE = {"VB": "have", "VBP": "have", "VBZ": "has", "VBD": "had", "VBG": "having", "VBN": "had"}
_AN_LETTERS = frozenset("AEFHILMNORSX")
_SILENT_H = ("hour", "honest", "heir", "honor", "honour")
_LIKE_YOU = ("uni", "use", "usu", "user", "eu", "one", "once", "ubi", "uti", "unix", "ura")
_UN_WORDS = ("unim", "unin", "unid", "unident", "unint")
_MAX_SPELLED = 5
_PREFERRED = {("get", "VBN"): "gotten", ("learn", "VBD"): "learned", ("learn", "VBN"): "learned"}


def load(name: str) -> Any:
    """The data of a file of ``data``."""
    text = resources.files("server.language").joinpath(f"data/{name}").read_text("utf-8")
    return parse_yaml(text, name).data


def marked(line: str) -> tuple[str, str, tuple[str, ...], str]:
    """Of a line with ``{said=>better|or}``: what is before it, its parts, and what follows."""
    before, said, better, after = re.split(r"\{|=>|\}", line)
    return before, said, tuple(better.split("|")), after


def is_hesitation(word: str) -> bool:
    """Whether a word of a transcript is "um" or the like."""
    return word.strip(",.?!;:…").lower() in HESITATIONS


@dataclass(frozen=True, eq=False)
class Lists:
    """The word lists of ``data/grammar.yaml``."""

    raw: dict[str, Any]

    @cache  # noqa: B019 - one object for the life of the process
    def words(self, *names: str) -> frozenset[str]:
        """The words of these lists."""
        return frozenset(word for name in names for word in self.raw[name].split())

    @cache  # noqa: B019
    def governed(self, part: str) -> dict[str, str]:
        """Word → its preposition; ``part`` is verb, adjective or noun."""
        pairs: dict[str, str] = {}
        for preposition, words in self.raw[f"{part}_prepositions"].items():
            for word in words:
                pairs.setdefault(word, preposition)
        return pairs

    def also_right(self, part: str, word: str) -> Iterable[str]:
        """Prepositions that may follow a word as well."""
        table = {"verb": "also_right", "adjective": "adjective_also_right"}.get(part)
        return self.raw[table].get(word, ()) if table else ()


@cache
def lists() -> Lists:
    """The word lists, read once."""
    return Lists(load("grammar.yaml"))


def american(verb: str) -> str:
    """A verb as the lists spell it ("emphasise" is "emphasize")."""
    known = verb.endswith("ise") and verb[:-3] in listed("ize_verbs")
    return f"{verb[:-3]}ize" if known else verb


def listed(*names: str) -> frozenset[str]:
    """The words of lists of ``data/grammar.yaml``."""
    return lists().words(*names)


@cache
def frequent_words() -> dict[str, str]:
    """The 30,000 most frequent words, the most frequent first; each with itself."""
    text = resources.files("server.grading").joinpath("data/english_words.txt").read_text("utf-8")
    return {word: word for word in text.split()}


@lru_cache(4096)
def respelled(word: str) -> tuple[str, ...]:
    """Of a word that is none, the frequent ones one letter away ("becouse"); else nothing."""
    if len(word) < _SHORTEST_MISSPELLED or not (word.isalpha() and word.islower()):
        return ()
    known = frequent_words()
    joined = any(word[:at] in known and word[at:] in known for at in range(3, len(word)))
    stem = _DERIVED.sub("", word)
    derived = stem != word and not known.keys().isdisjoint((stem, f"{stem}e", stem[:-1]))
    if (
        word in known
        or word in listed("technical", "number_words")
        or joined
        or derived
        or getAllLemmas(word)
    ):
        return ()
    near = process.extract(word, known, scorer=OSA.distance, score_cutoff=1, limit=_MOST_RESPELLED)
    right = tuple(each[0] for each in near)
    return () if f"{word}s" in right else right  # of "rupee" only the plural is frequent


def is_misspelled(word: str) -> bool:
    """Whether a word is none, and one letter away from a frequent one."""
    return bool(respelled(word))


_MOST_RESPELLED = 3
_DERIVED = re.compile("^(re|un|sub|pre|de|multi)|(er|ers|able|(?<!y)s)$")
_SHORTEST_MISSPELLED = 5


@lru_cache(4096)
def inflect(lemma: str, tag: str) -> str:
    """A verb, noun or adjective in a form by its Penn tag; of several words the first is put."""
    if " " in lemma:
        first, rest = lemma.split(" ", 1)
        return f"{inflect(first, tag)} {rest}"
    if lemma in ("be", "have"):
        return (_BE if lemma == "be" else _HAVE).get(tag, lemma)
    if (lemma, tag) in _PREFERRED:
        return _PREFERRED[lemma, tag]
    if tag in ("VB", "VBP"):
        return lemma
    found = getInflection(lemma, tag) or getInflection(lemma, tag, inflect_oov=True)
    return str(found[0]) if found else lemma


@lru_cache(4096)
def compared(adjective: str, tag: str) -> str | None:
    """The form with -er (JJR) or -est (JJS), of adjectives that have one."""
    found = getInflection(adjective, tag)
    if not found or " " in found[0] or len(adjective) > _LONGEST_COMPARED:
        return None
    return None if adjective in _NEVER_COMPARED else str(found[0])


_LONGEST_COMPARED = 8
_NEVER_COMPARED = word_set(
    "fun real right wrong clear just like often little likely complex stable"
)


def article(word: str) -> str:
    """The article ("a" or "an"), by how the word after it begins."""
    if not word:
        return "a"
    if word.isupper() and 1 < len(word) <= _MAX_SPELLED:
        return "an" if word[0] in _AN_LETTERS else "a"
    lower = word.lower()
    if lower.startswith(_SILENT_H):
        return "an"
    if lower.startswith(_LIKE_YOU) and not lower.startswith(_UN_WORDS):
        return "a"
    return "an" if lower[0] in "aeiou" else "a"


def cased(like: str, text: str) -> str:
    """A text with the capital that the words it stands for begin with."""
    if like[:1].isupper() and like not in ("I",) and not like[:2].isupper():
        return text[:1].upper() + text[1:]
    return text
