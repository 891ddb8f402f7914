"""How the words of a transcript sound, each as a string of phones (``confusions.encode``)."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from pronunciation.confusions import encode, merged
from pronunciation.errors import HearingError
from pronunciation.g2p import dictionary, pronunciations
from server.grading.english import FUNCTION_WORDS, by_word
from server.grading.tokenizer import NO_BREAK, Token

_MAX_CHARS = 24
"""Longer tokens are identifiers, which nobody says as a word."""
_PIECES = {"ctl": "control", "py": "pie", "kube": "cube", "sql": "sequel"}
"""Pieces of coined names, as they are read: "kubectl" is "cube control"."""
MIN_PHONES, MAX_PHONES = 3, 24
MAX_RUN_WORDS = 5
"""Words that a transcriber may write for one phrase it does not know."""
_READ_AS_WORDS = frozenset("ai")
"""Letters that are also words."""


@dataclass(frozen=True, slots=True)
class WordPhones:
    """How an answer sounds, and every short run of words that may be a transcribed phrase.

    Attributes:
        of: the phones of each token, one character per phone.
        runs: the first token and the token after the last, of up to ``MAX_RUN_WORDS`` consecutive
            tokens without a break, at least one of them a content word.
        classes: the phones of each run, with those that listeners confuse merged.
    """

    of: tuple[str, ...]
    runs: tuple[tuple[int, int], ...]
    classes: tuple[str, ...]

    def between(self, start: int, end: int) -> str:
        """The phones of tokens ``start`` to ``end``."""
        return "".join(self.of[start:end])


@by_word
def phones_of(word: str) -> str:
    """How a lower-case word is usually said; empty if unknown."""
    if len(word) > _MAX_CHARS or not word.isascii():
        return ""
    if len(word) == 1 and word.isalpha() and word not in _READ_AS_WORDS:
        return encode(dictionary()[f"{word}."][0])
    if word == "eff":  # the name of the letter, which espeak-ng would spell
        return phones_of("f")
    if word not in dictionary():
        for piece, said in _PIECES.items():
            rest = word.removeprefix(piece) if word.startswith(piece) else word.removesuffix(piece)
            if 1 < len(rest) < len(word):
                parts = phones_of(said), phones_of(rest)
                return "".join(parts if word.startswith(piece) else reversed(parts))
    try:
        return encode(next(iter(pronunciations(word)), ()))
    except HearingError:  # without espeak-ng, only words of the dictionary have a sound
        return ""


@by_word
def _sound(word: str) -> tuple[str, str, bool]:
    """The phones of a word, the merged phones, and whether it is a function word."""
    phones = phones_of(word)
    return phones, merged(phones), word in FUNCTION_WORDS


def phones_of_words(tokens: Sequence[Token]) -> WordPhones:
    """The phones of an answer's tokens, and of all runs of them."""
    sounds = [_sound(token.text) for token in tokens]
    text = "".join([classes for _, classes, _ in sounds])
    places = [0, *accumulate([len(classes) for _, classes, _ in sounds])]
    breaks = [at for at, token in enumerate(tokens) if token.gap != NO_BREAK and at]
    meant = [*range(len(tokens))]  # for each token, the next one that is not a function word
    for at in range(len(tokens) - 1, -1, -1):
        if sounds[at][2]:
            meant[at] = meant[at + 1] if at + 1 < len(tokens) else len(tokens)
    runs: list[tuple[int, int]] = []
    classes: list[str] = []
    for first, stop in pairwise((0, *breaks, len(tokens))):
        for start in range(first, stop):
            left = places[start]
            if places[start + 1] == left:
                continue
            least, most = left + MIN_PHONES, left + MAX_PHONES
            end, last = meant[start], min(stop, start + MAX_RUN_WORDS)
            before = places[end]
            for right in places[end + 1 : last + 1]:
                end += 1
                if right > most:
                    break
                if right >= least and right > before:
                    runs.append((start, end))
                    classes.append(text[left:right])
                before = right
    return WordPhones(tuple([phones for phones, _, _ in sounds]), tuple(runs), tuple(classes))
