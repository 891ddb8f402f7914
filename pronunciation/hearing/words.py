"""From text to phones: the dictionary first, then letter names, then espeak-ng's rules."""

import re
from functools import cache

from pronunciation.hearing.dictionary import dictionary
from pronunciation.hearing.letter_to_sound import espeak_phones

__all__ = ["find_term", "normal", "plain", "pronunciations", "split_words"]

Phones = tuple[str, ...]

_EDGE = re.compile(r"^[^\w]+|[^\w+#%]+$")
_APOSTROPHES = str.maketrans("’‘ʼ", "'''")
_VOWEL_LETTERS = set("aeiouy")
LONGEST_SPELLED = 5
"""Capitals or vowelless tokens up to this many letters are read letter by letter."""


def split_words(text: str) -> list[str]:
    """The words of a text as whitespace parts them: what ``word_index`` counts."""
    return text.split()


def plain(word: str) -> str:
    """A word without the punctuation around it, in lower case: ``"RoCE,`` → ``roce``."""
    return _EDGE.sub("", word.translate(_APOSTROPHES)).casefold()


def _spelled(letters: str) -> Phones:
    known = dictionary()
    return tuple(phone for letter in letters.lower() for phone in known[f"{letter}."][0])


def _is_spelled(token: str) -> bool:
    letters = token.isascii() and token.isalpha() and len(token) <= LONGEST_SPELLED
    return letters and (
        (token.isupper() and len(token) > 1) or not _VOWEL_LETTERS & set(token.lower())
    )


def _with_s(stem: Phones) -> Phones:
    """A plural's or possessive's ending, as English says it."""
    if stem[-1] in ("S", "Z", "SH", "ZH", "CH", "JH"):
        return (*stem, "IH", "Z")
    return (*stem, "S" if stem[-1] in ("P", "T", "K", "F", "TH") else "Z")


@cache
def pronunciations(word: str) -> tuple[Phones, ...]:
    """How an ordinary word may be said, the usual way first; empty for mere punctuation.

    Args:
        word: as written, with its punctuation and case.

    Raises:
        HearingError: espeak-ng, needed for a word that no dictionary has, cannot be loaded.
    """
    token = _EDGE.sub("", word.translate(_APOSTROPHES))
    known = dictionary().get(token.lower())
    if known:
        return known
    if not any(c.isalnum() for c in token):
        return ()
    for ending in ("'s", "s"):
        stem = token[: -len(ending)]
        if token.endswith(ending) and len(stem) > 1:
            if stem.lower() in dictionary():
                return tuple(_with_s(p) for p in dictionary()[stem.lower()])
            if stem.isupper() and _is_spelled(stem):
                return (_with_s(_spelled(stem)),)
    parts = [p for p in re.split(r"[-_/.]+", token) if p]
    if len(parts) > 1 and not any(c.isdigit() for c in token):
        phones = tuple(phone for part in parts for phone in next(iter(pronunciations(part)), ()))
        return (phones,) if phones else ()
    if _is_spelled(token):
        return (_spelled(token),)
    phones = espeak_phones(token)
    return (phones,) if phones else ()


def normal(token: str) -> str:
    """A token for comparing: lower case, no punctuation, no hyphens."""
    return re.sub(r"[^\w+#%]", "", token.translate(_APOSTROPHES).casefold())


def find_term(words: list[str], term: str) -> list[tuple[int, int]]:
    """Where a term stands in a text.

    Case, hyphens and surrounding punctuation do not matter, nor a plural or possessive s.

    Args:
        words: the text's words, see ``split_words``.
        term: as written, one word or more.

    Returns:
        (index of its first word, number of words) of each place, in order.
    """
    wanted = "".join(normal(part) for part in term.split())
    if not wanted:
        return []
    endings = {wanted, wanted + "s", wanted + "es"}
    bare = [normal(word) for word in words]
    found: list[tuple[int, int]] = []
    longest = len(term.split()) + term.count("-") + 1
    index = 0
    while index < len(words):
        joined = ""
        for n in range(1, min(longest, len(words) - index) + 1):
            joined += bare[index + n - 1]
            if bare[index] and bare[index + n - 1] and joined in endings:
                found.append((index, n))
                index += n - 1
                break
            if len(joined) > len(wanted) + 2:
                break
        index += 1
    return found
