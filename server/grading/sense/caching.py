"""Results kept by the very objects they were made of."""

from collections.abc import Callable
from typing import TypeVar, TypeVarTuple

Ts = TypeVarTuple("Ts")
R = TypeVar("R")

_KEPT = 1024
"""Results kept of one function."""


def by_identity(make: Callable[[*Ts], R]) -> Callable[[*Ts], R]:
    """``make``, asked once for the same objects.

    For what is read from the bank once and graded against again and again: the hash of a question,
    which ``lru_cache`` needs each time, takes longer than judging an answer's delivery.

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
            entry = known[key] = (args, make(*args))  # holds the objects: ids are not used again
        return entry[1]

    return get
