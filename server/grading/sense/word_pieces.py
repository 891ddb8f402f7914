"""Words as the numbers of their pieces: the encoder's WordPiece vocabulary.

The same numbers as the ``tokenizers`` library gives with BERT's settings (lower case, no accents),
without the 35 ms that importing and filling it take.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Final

MAX_TOKENS: Final = 128
"""Of a sentence, with those at its start and end; the rest is cut off."""
_UNKNOWN, _START, _END = "[UNK]", "[CLS]", "[SEP]"
_LONGEST: Final = 100
"""Characters of a word; a longer one is unknown."""
_KEPT: Final = 1 << 16
"""Words that are remembered; spans of an answer share most of theirs."""
_IDEOGRAPH: Final = re.compile(
    "[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002a6df\U0002a700-\U0002b73f"
    "\U0002b740-\U0002b81f\U0002b920-\U0002ceaf\U0002f800-\U0002fa1f]"
)
_DROPPED: Final = frozenset(("Cc", "Cf", "Co", "Cs"))
"""Unicode categories of what is left out."""
_ASCII_PUNCTUATION: Final = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


class WordPieces:
    """Cuts sentences into pieces of words. Safe in several threads.

    Args:
        vocabulary: the pieces, one in a line; those inside a word begin with ``##``.
    """

    def __init__(self, vocabulary: str) -> None:
        pieces = vocabulary.split("\n")
        self._ids = dict(zip(pieces, range(len(pieces)), strict=True))
        self._of_word = lru_cache(_KEPT)(self._cut)

    @classmethod
    def shipped(cls) -> "WordPieces":
        """Those of the encoder."""
        file = Path(__file__).with_name("data") / "word_pieces.txt"
        return cls(file.read_text("utf-8").removesuffix("\n"))

    def of(self, sentence: str) -> list[int]:
        """The numbers of a sentence's pieces, at most ``MAX_TOKENS``."""
        inside = [number for word in sentence.split() for number in self._of_word(word)]
        return [self._ids[_START], *inside[: MAX_TOKENS - 2], self._ids[_END]]

    def _cut(self, word: str) -> tuple[int, ...]:
        """The pieces of what stands between two spaces."""
        return tuple(number for part in _parts(word) for number in self._pieces(part))

    def _pieces(self, part: str) -> list[int]:
        """The longest known pieces, from the left."""
        found: list[int] = []
        start = 0
        while start < len(part) <= _LONGEST:
            prefix = "##" if start else ""
            for end in range(len(part), start, -1):
                number = self._ids.get(prefix + part[start:end])
                if number is not None:
                    found.append(number)
                    start = end
                    break
            else:
                break
        return found if start == len(part) else [self._ids[_UNKNOWN]]


def _parts(word: str) -> Iterator[str]:
    """A word without accents and in lower case, cut at punctuation and ideographs."""
    start = 0
    plain = _plain(word)
    for at, letter in enumerate(plain):
        if letter == " " or _is_punctuation(letter):
            if start < at:
                yield plain[start:at]
            if letter != " ":
                yield letter
            start = at + 1
    if start < len(plain):
        yield plain[start:]


def _plain(word: str) -> str:
    if word.isascii() and word.isprintable():
        return word.lower()
    kept = "".join(
        each for each in word if each != "\ufffd" and unicodedata.category(each) not in _DROPPED
    )
    apart = unicodedata.normalize("NFD", _IDEOGRAPH.sub(r" \g<0> ", kept))
    # letter by letter: a sigma at the end of a word is like any other
    return "".join(each.lower() for each in apart if unicodedata.category(each) != "Mn")


def _is_punctuation(letter: str) -> bool:
    return letter in _ASCII_PUNCTUATION or unicodedata.category(letter)[0] == "P"
