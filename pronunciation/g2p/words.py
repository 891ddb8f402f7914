"""From text to phones: the dictionary first, then letter names, then espeak-ng's rules.

The dictionary is the CMU dictionary in PocketSphinx's wheel.
"""

import re
from collections.abc import Container, ItemsView, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import groupby
from pathlib import Path

from pronunciation.g2p.letter_to_sound import espeak_phones

Phones = tuple[str, ...]

_EDGE = re.compile(r"^[^\w]+|[^\w+#%]+$")
_APOSTROPHES = str.maketrans("’‘ʼ", "'''")
_VOWEL_LETTERS = set("aeiouy")
_PART = re.compile(r"[\s\-/_.]+|(?<=[a-z])(?=[A-Z])")
_SENTENCE_WORDS = frozenset(
    ("a", "am", "an", "and", "as", "at", "be", "by", "do", "for", "go", "he", "i", "if", "in",
     "is", "it", "me", "my", "no", "not", "of", "on", "or", "so", "the", "to", "up", "us", "we")
)  # fmt: skip
"""Words that join others in any sentence: "I am" is not IAM, nor "red is" Redis."""
LONGEST_SPELLED = 5
"""Capitals or vowelless tokens up to this many letters are read letter by letter."""


def dictionary_path() -> Path:
    """The packaged ``cmudict-en-us.dict``: about 130,000 words, phones without stress."""
    import pocketsphinx

    return Path(pocketsphinx.get_model_path()) / "en-us" / "cmudict-en-us.dict"


class Dictionary(Mapping[str, tuple[Phones, ...]]):
    """Every word in lower case with its pronunciations, the usual one first.

    The text is kept as it is and searched by halves: as Python objects its words would take 80 MB,
    and the time of reading them all at each start.

    Args:
        text: a line for each pronunciation, ``word`` or ``word(2)`` and its phones, sorted by word.
    """

    def __init__(self, text: str) -> None:
        self._text = text if text.endswith("\n") or not text else text + "\n"

    def __getitem__(self, word: str) -> tuple[Phones, ...]:
        low, high = 0, len(self._text)
        while low < high:  # the first line whose word is not smaller
            middle = (low + high) // 2
            start = self._text.rfind("\n", low, middle) + 1 or low
            if self._word_at(start) < word:
                low = self._text.index("\n", middle) + 1
            else:
                high = start
        found = []
        while low < len(self._text) and self._word_at(low) == word:
            end = self._text.index("\n", low)
            found.append(tuple(self._text[low:end].split()[1:]))
            low = end + 1
        if not found:
            raise KeyError(word)
        return tuple(found)

    def __iter__(self) -> Iterator[str]:
        names = (_without_number(line.split(" ", 1)[0]) for line in self.lines())
        return (name for name, _ in groupby(names))

    def items(self) -> ItemsView[str, tuple[Phones, ...]]:
        """The words with their pronunciations, read in one pass instead of searched for."""
        return _Entries(self)

    def lines(self) -> list[str]:
        """The dictionary as it is written."""
        return self._text.splitlines()

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _word_at(self, start: int) -> str:
        return _without_number(self._text[start : self._text.index(" ", start)])


class _Entries(ItemsView[str, tuple[Phones, ...]]):
    _mapping: Dictionary

    def __iter__(self) -> Iterator[tuple[str, tuple[Phones, ...]]]:
        lines = map(str.split, self._mapping.lines())
        for word, found in groupby(lines, key=lambda pieces: _without_number(pieces[0])):
            yield word, tuple(tuple(phones) for _, *phones in found)


def _without_number(name: str) -> str:
    """The word of a line's name: ``read`` of ``read(2)``."""
    return name.split("(", 1)[0] if name.endswith(")") else name


@cache
def dictionary() -> Dictionary:
    """The packaged dictionary."""
    return Dictionary(dictionary_path().read_text(encoding="utf-8"))


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


_HISSES = ("s", "x", "z", "ch", "sh", "o")
"""Endings whose plural is written with "es"."""


def with_s(stem: Phones) -> Phones:
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
                return tuple(with_s(p) for p in dictionary()[stem.lower()])
            if stem.isupper() and _is_spelled(stem):
                return (with_s(_spelled(stem)),)
    parts = [p for p in re.split(r"[-_/.]+", token) if p]
    if len(parts) > 1 and not any(c.isdigit() for c in token):
        phones = tuple(phone for part in parts for phone in next(iter(pronunciations(part)), ()))
        return (phones,) if phones else ()
    if _is_spelled(token):
        return (_spelled(token),)
    phones = espeak_phones(token)
    return (phones,) if phones else ()


@lru_cache(maxsize=4096)
def normal(token: str) -> str:
    """A token for comparing: lower case, no punctuation, no hyphens."""
    return re.sub(r"[^\w+#%]", "", token.translate(_APOSTROPHES).casefold())


def numbers_of(name: str) -> tuple[str, ...]:
    """A joined name as it may be written: in the singular, and in the plural or possessive."""
    if name.endswith(_HISSES):
        return name, name + "s", name + "es"
    return name, name + "s"  # "lanes" are no LANs


def name_parts(name: str) -> frozenset[str]:
    """The words that a name is made of, in lower case: MySQL of ``my`` and ``sql``."""
    return frozenset(normal(part) for part in _PART.split(name)) - {""}


def is_sentence_word(word: str) -> bool:
    """Whether a word, see ``normal``, stands in any sentence, whatever it is about."""
    return word in _SENTENCE_WORDS


def is_written_apart(pieces: Sequence[str], parts: Container[str]) -> bool:
    """Whether words that join to a name may be that name written apart.

    Letters apart may ("A P I"), and so may any words ("kube flow") but those of every sentence,
    unless the name is made of them ("my SQL").

    Args:
        pieces: the words, see ``normal``.
        parts: the name's own, see ``name_parts``.
    """
    if len(pieces) == 1 or all(len(piece) == 1 for piece in pieces):
        return True
    return all(piece in parts or not is_sentence_word(piece) for piece in pieces)


def find_term(words: list[str], term: str) -> list[tuple[int, int]]:
    """Where a term stands in a text.

    Case, hyphens and surrounding punctuation do not matter, nor a plural or possessive s, nor
    that it is written apart (see ``is_written_apart``).

    Args:
        words: the text's words, see ``split_words``.
        term: as written, one word or more.

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
                break  # more words than the name has are letters
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
