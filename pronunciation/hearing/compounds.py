"""Compounds with a term in them: the GPU in "GPU-bound", both terms in "RoCE/InfiniBand".

And words that are not compounds: a transcriber joins what it did not understand ("job-QV's" for job
queues).
"""

import re
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from pronunciation.g2p import dictionary
from pronunciation.written_terms import is_sentence_word, name_parts, normal, numbers_of

MIN_MADE_UP: Final = 3
"""Letters; shorter pieces are syllables of a word ("re-use") or letters ("x-ray")."""
_JOINT = re.compile(r"[-‐‑–—/]|(?<=[^\W\d_]{3})\.(?=[^\W\d_]{3})")
"""Also matches a period between words where Whisper left out the space ("queue.points")."""
_COUNT = re.compile(r"(\d+)([^\W\d_]{3,}|[^\W\d_][^\W_]{2,})|([^\W\d_]{3,})(\d+)")
"""A number joined with what is counted ("2GPUs", "8H100s") or with what it tells from others
("GPU1"); shorter ones are units and versions."""

_MARKS: Final = ".,;:!?"


@dataclass(frozen=True)
class Names:
    """Names of terms, to find the compounds that contain one."""

    names: tuple[str, ...]

    @cached_property
    def whole(self) -> Container[str]:
        """Each name as one word, see ``normal``, in the singular and the plural."""
        joined = ("".join(normal(word) for word in name.split()) for name in self.names)
        return {form for name in joined for form in numbers_of(name)}

    @cached_property
    def parts(self) -> Container[str]:
        """The words of the names, except those of every sentence, in singular and plural."""
        words: Iterable[str] = frozenset().union(*map(name_parts, self.names))
        own = (word for word in words if len(word) > 1 and not is_sentence_word(word))
        return {form for word in own for form in numbers_of(word)}


@dataclass(frozen=True)
class Parts:
    """The words of a text, with some compounds taken apart.

    Attributes:
        words: words and parts of words.
        whole: for each, the index of the text's word that it is or belongs to.
    """

    words: tuple[str, ...]
    whole: tuple[int, ...]

    def place(self, index: int, n_words: int) -> tuple[int, int]:
        """A place among ``words`` in the text's numbering: its first word, and how many."""
        first = self.whole[index]
        return first, self.whole[index + n_words - 1] - first + 1


def take_apart(words: Sequence[str], names: Names) -> Parts:
    """Take apart the compounds that are not names themselves but contain one, or a part of one.

    Also those with a piece of three letters or more that is in no dictionary, or with a single
    letter ("Q-depth") unless the whole is a word ("x-ray").
    """
    parts: list[str] = []
    whole: list[int] = []
    for index, word in enumerate(words):
        pieces = [
            piece for joined in _JOINT.split(word) for piece in _counted(joined) if normal(piece)
        ]
        apart = (
            len(pieces) > 1
            and normal(word) not in names.whole
            and any(
                normal(p) in names.whole
                or normal(p) in names.parts
                or _is_made_up(p)
                or _is_letter(p, word)
                for p in pieces
            )
        )
        found = pieces if apart else [word]
        parts += found
        whole += [index] * len(found)
    return Parts(tuple(parts), tuple(whole))


def _counted(word: str) -> tuple[str, ...]:
    """Separates a number from what it counts or tells from others."""
    found = _COUNT.fullmatch(word.strip(_MARKS))
    if found is None:
        return (word,)
    second = word.index(found[2] or found[4], len(found[1] or found[3]))
    return word[:second], word[second:]


def _is_letter(piece: str, whole: str) -> bool:
    """Whether a piece is a letter and the whole not a word: the letter may stand for a word."""
    letter, forms = normal(piece), (normal(whole), whole.strip(_MARKS).casefold())
    return len(letter) == 1 and letter.isalpha() and not any(form in dictionary() for form in forms)


def _is_made_up(piece: str) -> bool:
    """Whether this is not a spoken word; numbers are not words."""
    word = normal(piece)
    return len(word) >= MIN_MADE_UP and word.isalpha() and word not in dictionary()
