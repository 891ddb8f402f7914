"""Whose vectors are taken: those of accounts whose vectors were right whenever they were tested."""

from collections import OrderedDict
from random import Random, SystemRandom
from threading import Lock
from typing import Final

TESTED_SHARE: Final = 1 / 16
"""Of the answers after an account's first one, which always is tested."""
_ACCOUNTS: Final = 10_000
"""Remembered; one that was away for longer begins again with a test."""


class Trust:
    """Remembers in this process which accounts send right vectors. Safe in several threads.

    Attributes:
        random: chooses what is tested.
    """

    def __init__(self, random: Random | None = None) -> None:
        self.random = random or SystemRandom()
        self._lock = Lock()
        self._right: OrderedDict[int | None, bool] = OrderedDict()

    def takes(self, owner_id: int | None) -> bool:
        """Whether this account's vectors are taken at all."""
        with self._lock:
            return self._right.get(owner_id, True)

    def wants_test(self, owner_id: int | None) -> bool:
        """Whether to test the vectors of this answer."""
        with self._lock:
            known = owner_id in self._right
        return not known or self.random.random() < TESTED_SHARE

    def note(self, owner_id: int | None, right: bool) -> None:
        """Remembers how a test ended; one wrong answer counts for as long as the process runs."""
        with self._lock:
            self._right[owner_id] = right and self._right.pop(owner_id, True)
            if len(self._right) > _ACCOUNTS:
                self._right.popitem(last=False)
