"""General English: its most frequent words, in order."""

from functools import cache
from importlib import resources

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
    """The words of a text, for word lists that stay readable in source."""
    return frozenset(text.split())
