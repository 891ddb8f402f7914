"""The order of one session: what is due, then what is new, and misses come back."""

from collections import deque
from collections.abc import Sequence
from typing import Final

from client.practice.drills.items import Item
from server.contract import DrillQueue, DrillVerdictName

__all__ = ["BACK_AFTER", "MAX_RETURNS", "Deck", "choose_items"]

BACK_AFTER: Final = 3
"""A missed item returns after so many others: late enough that it must be remembered."""
MAX_RETURNS: Final = 3
"""An item missed more often waits for another day; a session must end."""


def choose_items(items: Sequence[Item], queue: DrillQueue, count: int) -> list[Item]:
    """The items of a session: those due first, the longest overdue at the front, then new ones.

    Args:
        items: what can be drilled, the most useful first.
        queue: what is due and what is known, from the server.
        count: how many at most.
    """
    by_id = {item.id: item for item in items}
    due = [by_id[card.item_id] for card in queue.due if card.item_id in by_id]
    known = set(queue.known)
    new = [item for item in items if item.id not in known]
    return [*due, *new][:count]


class Deck:
    """The items still to be said."""

    def __init__(self, items: Sequence[Item]) -> None:
        self._left = deque(items)
        self._returns: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._left)

    @property
    def current(self) -> Item | None:
        """What is to be said now; ``None``: the session is over."""
        return self._left[0] if self._left else None

    def record(self, verdict: DrillVerdictName) -> bool:
        """Take in a verdict and go on to the next item; one that decides nothing stays.

        Returns:
            Whether the item said now comes back: it was mispronounced, and not too often yet.
        """
        if verdict not in ("correct", "mispronounced"):
            return False
        item = self._left.popleft()
        returns = self._returns.get(item.id, 0)
        if verdict != "mispronounced" or returns >= MAX_RETURNS:
            return False
        self._returns[item.id] = returns + 1
        self._left.insert(min(BACK_AFTER, len(self._left)), item)
        return True

    def skip(self) -> None:
        """Leave the current item for another day."""
        self._left.popleft()
