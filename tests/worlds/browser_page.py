"""A page of a real browser for tests, whichever protocol drives it.

Only what a walk through pages needs: go somewhere, wait for an element, click, look.
"""

import json
import time
from abc import ABC, abstractmethod
from typing import Any, Final

TIMEOUT_S: Final = 60.0
"""Machines that run other tests at the same time are slow."""


class Page(ABC):
    """The one tab of a browser."""

    @abstractmethod
    def goto(self, url: str) -> None:
        """Open an address and wait until it is loaded."""

    @abstractmethod
    def evaluate(self, expression: str) -> Any:
        """What an expression of JavaScript gives, as JSON could hold it.

        Raises:
            AssertionError: the expression raised.
            LookupError: the browser refused, as it does between two pages.
        """

    @abstractmethod
    def click(self, selector: str) -> None:
        """Click in the middle of an element, as a hand does."""

    @abstractmethod
    def resize(self, width_px: int, height_px: int) -> None:
        """Show the page in so many pixels."""

    def wait_for(self, condition: str, timeout_s: float = TIMEOUT_S) -> None:
        """Wait until an expression is true; the page may change meanwhile."""
        end_s = time.monotonic() + timeout_s
        while True:
            try:
                if self.evaluate(condition):
                    return
            except (AssertionError, LookupError):  # between two pages there is nothing to ask
                pass
            assert time.monotonic() < end_s, f"not within {timeout_s:g} s: {condition}"
            time.sleep(0.1)

    def wait_for_element(self, selector: str, timeout_s: float = TIMEOUT_S) -> None:
        """Wait until an element can be seen."""
        chosen = json.dumps(selector)
        shown = f"document.querySelector({chosen})?.getClientRects().length > 0"
        self.wait_for(shown, timeout_s)

    def text(self, selector: str = "body") -> str:
        """What an element says."""
        shown = self.evaluate(f"document.querySelector({json.dumps(selector)}).innerText")
        return str(shown)

    @property
    def path(self) -> str:
        """Where it is."""
        return str(self.evaluate("location.pathname"))
