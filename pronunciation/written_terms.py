"""Terms as a text writes them: one form of each word, where a term occurs, seen spellings."""

import json
import re
from collections.abc import Container, Mapping, Sequence
from functools import cache, lru_cache
from importlib import resources

_EDGE = re.compile(r"^[^\w]+|[^\w+#%]+$")
_APOSTROPHES = str.maketrans("’‘ʼ", "'''")
_PART = re.compile(r"[\s\-/_.]+|(?<=[a-z])(?=[A-Z])")
_SENTENCE_WORDS = frozenset(
    ("a", "am", "an", "and", "as", "at", "be", "by", "do", "for", "go", "he", "i", "if", "in",
     "is", "it", "me", "my", "no", "not", "of", "on", "or", "so", "the", "to", "up", "us", "we")
)  # fmt: skip
"""Words that follow others in any sentence: "I am" is not IAM, and "red is" is not Redis."""
_HISSES = ("s", "x", "z", "ch", "sh", "o")
"""Endings whose plural is written with "es"."""


def split_words(text: str) -> list[str]:
    """The words of a text, split at whitespace; ``word_index`` counts these."""
    return text.split()


def stripped(word: str) -> str:
    """A word without the punctuation around it: ``"RoCE,`` → ``RoCE``."""
    return _EDGE.sub("", word.translate(_APOSTROPHES))


def plain(word: str) -> str:
    """The same in lower case: ``"RoCE,`` → ``roce``."""
    return stripped(word).casefold()


@lru_cache(maxsize=4096)
def normal(token: str) -> str:
    """A token for comparing: lower case, no punctuation, no hyphens."""
    return re.sub(r"[^\w+#%]", "", token.translate(_APOSTROPHES).casefold())


def numbers_of(name: str) -> tuple[str, ...]:
    """How a joined name may be written: the singular, and the plural or possessive."""
    if name.endswith(_HISSES):
        return name, name + "s", name + "es"
    return name, name + "s"  # "lanes" are not LANs


def name_parts(name: str) -> frozenset[str]:
    """The words in a name, in lower case: ``my`` and ``sql`` in MySQL."""
    return frozenset(normal(part) for part in _PART.split(name)) - {""}


def is_sentence_word(word: str) -> bool:
    """Whether a word, see ``normal``, occurs in any sentence, whatever its subject."""
    return word in _SENTENCE_WORDS


def is_written_apart(pieces: Sequence[str], parts: Container[str]) -> bool:
    """Whether consecutive words that spell a name may be that name, written in pieces.

    Single letters may ("A P I"), and other words too ("kube flow"), but not the words of every
    sentence, unless the name contains them ("my SQL").
    """
    if len(pieces) == 1 or all(len(piece) == 1 for piece in pieces):
        return True
    return all(piece in parts or not is_sentence_word(piece) for piece in pieces)


def find_term(words: list[str], term: str) -> list[tuple[int, int]]:
    """Where a term occurs in a text.

    Case, hyphens, surrounding punctuation and a plural or possessive s do not matter, and the term
    may be written in pieces (see ``is_written_apart``).

    Returns:
        (index of its first word, number of words) of each place, in order.
    """
    wanted = "".join(normal(part) for part in term.split())
    if not wanted:
        return []
    parts = name_parts(term)
    forms = numbers_of(wanted)
    bare = [normal(word) for word in words]
    found: list[tuple[int, int]] = []
    longest = len(term.split()) + term.count("-") + 1
    index = 0
    while index < len(words):
        joined = ""
        for n in range(1, min(max(longest, len(wanted)), len(words) - index) + 1):
            if n > longest and len(bare[index + n - 1]) > 1:
                break  # longer runs can only be letters
            joined += bare[index + n - 1]
            if (
                bare[index]
                and bare[index + n - 1]
                and joined in forms
                and is_written_apart(bare[index : index + n], parts)
            ):
                found.append((index, n))
                index += n - 1
                break
            if len(joined) > len(wanted) + 2:
                break
        index += 1
    return found


@cache
def spellings() -> Mapping[str, Mapping[str, int]]:
    """How often a transcriber wrote each spelling, in lower case, of a term or key phrase.

    ``scripts/spellings.py`` and ``scripts/phrase_spellings.py`` make the data.
    """
    folder = resources.files("pronunciation").joinpath("data")
    table: dict[str, dict[str, int]] = {}
    for name in ("phrase_spellings.json", "spellings.json"):
        table |= json.loads(folder.joinpath(name).read_text("utf-8"))
    return table
