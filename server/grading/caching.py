"""Caches of results: for the words of all answers, and by the identity of the arguments."""

from collections.abc import Callable
from typing import TypeVar, TypeVarTuple

Ts = TypeVarTuple("Ts")
R = TypeVar("R")

_KEPT = 1024
"""Results kept for one function."""
_WORDS = 65536
"""Words whose results are kept for one function; then it begins again."""


class _Kept(dict[str, R]):
    """Results by word, made when they are looked up for the first time."""

    def __init__(self, make: Callable[[str], R]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, word: str) -> R:
        if len(self) >= _WORDS:
            self.clear()
        made = self[word] = self._make(word)
        return made


def by_word(make: Callable[[str], R]) -> Callable[[str], R]:
    """``make``, called once for the same word.

    A report looks up its words thousands of times. ``lru_cache`` takes twice as long for each,
    because it writes to memory to remember which word was used last.

    Args:
        make: a pure function of a word.
    """
    return _Kept(make).__getitem__


def by_identity(make: Callable[[*Ts], R]) -> Callable[[*Ts], R]:
    """``make``, called once for the same objects.

    For objects that are read from the bank once and graded against many times. ``lru_cache`` would
    hash the question each time, which takes longer than judging an answer's delivery.

    Args:
        make: a pure function of objects that never change.
    """
    known: dict[tuple[int, ...], tuple[tuple[*Ts], R]] = {}

    def get(*args: *Ts) -> R:
        key = tuple(map(id, args))
        entry = known.get(key)
        if entry is None:
            if len(known) >= _KEPT:
                known.clear()
            entry = known[key] = (
                args,
                make(*args),
            )  # keeps the objects alive, so that no id is reused
        return entry[1]

    return get
