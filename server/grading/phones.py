"""How the words of a transcript sound, each as the string of its phones (``confusions.encode``)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise

from pronunciation.confusions import encode, merged
from pronunciation.errors import HearingError
from pronunciation.g2p.words import dictionary, pronunciations
from server.grading.tokens import SENTENCE, Token

_MAX_CHARS = 24
"""Longer tokens are identifiers, which nobody says as a word."""
_PIECES = {"ctl": "control", "py": "pie", "kube": "cube", "sql": "sequel"}
"""Pieces of coined names, as they are read: "kubectl" is "cube control"."""
MIN_PHONES, MAX_PHONES = 3, 24
MAX_RUN_WORDS = 5
"""Words that a transcriber makes of one phrase it does not know."""
_READ_AS_WORDS = frozenset("ai")
"""Letters that are words, too."""


@dataclass(frozen=True, slots=True)
class WordPhones:
    """How an answer sounds, and every short run of its words.

    Attributes:
        of: the phones of each token, one character a phone.
        runs: first token and the token behind the last, of up to ``MAX_RUN_WORDS`` tokens of one
            sentence.
        classes: the phones of each run, with those that listeners confuse merged.
    """

    of: tuple[str, ...]
    runs: tuple[tuple[int, int], ...]
    classes: tuple[str, ...]

    def between(self, start: int, end: int) -> str:
        """The phones of tokens ``start`` to ``end``."""
        return "".join(self.of[start:end])


@lru_cache(maxsize=65536)
def phones_of(word: str) -> str:
    """How a lower-case word is usually said; empty where that is not known."""
    if len(word) > _MAX_CHARS or not word.isascii():
        return ""
    if len(word) == 1 and word.isalpha() and word not in _READ_AS_WORDS:
        return encode(dictionary()[f"{word}."][0])
    if word == "eff":  # the letter's name, which espeak-ng spells
        return phones_of("f")
    if word not in dictionary():
        for piece, said in _PIECES.items():
            rest = word.removeprefix(piece) if word.startswith(piece) else word.removesuffix(piece)
            if 1 < len(rest) < len(word):
                parts = phones_of(said), phones_of(rest)
                return "".join(parts if word.startswith(piece) else reversed(parts))
    try:
        return encode(next(iter(pronunciations(word)), ()))
    except HearingError:  # without espeak-ng only the dictionary's words have a sound
        return ""


_merged = lru_cache(maxsize=65536)(merged)


def phones_of_words(tokens: Sequence[Token]) -> WordPhones:
    """The phones of an answer's tokens, and of all runs of them."""
    of = tuple([phones_of(token.text) for token in tokens])
    classes_of = [_merged(phones) for phones in of]
    starts = [at for at, token in enumerate(tokens) if token.gap == SENTENCE and at]
    runs: list[tuple[int, int]] = []
    classes: list[str] = []
    for first, stop in pairwise((0, *starts, len(tokens))):
        for start in range(first, stop):
            if not classes_of[start]:
                continue
            run = classes_of[start : min(stop, start + MAX_RUN_WORDS)]
            for end, whole in enumerate(accumulate(run), start + 1):
                length = len(whole)
                if length > MAX_PHONES:
                    break
                if length >= MIN_PHONES and classes_of[end - 1]:
                    runs.append((start, end))
                    classes.append(whole)
    return WordPhones(of, tuple(runs), tuple(classes))
