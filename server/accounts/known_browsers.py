"""Marks browsers that somebody has signed in with, so that an attack does not lock them out.

A mark does not sign anybody in. Password attempts with it are counted separately, so it gives a
thief ten tries in a quarter of an hour, like any address.
"""

import hmac
import secrets
from collections.abc import Callable
from typing import Final

from itsdangerous import BadData, URLSafeTimedSerializer

from server.accounts.secrets import keyed_digest

KNOWN_FOR_S: Final = 90 * 24 * 60 * 60
_SALT: Final = "known browser"


class KnownBrowsers:
    """Makes and reads marks; nothing about them is stored, and none contains a name."""

    def __init__(self, key: Callable[[], str]) -> None:
        self._key = key

    def mark(self, name: str) -> str:
        """A mark for the browser that has just signed in with this name."""
        return self._signer().dumps([self._whose(name), secrets.token_hex(16)])

    def number(self, mark: str, name: str) -> str:
        """The number of the browser, if this name signed in with it recently; otherwise empty."""
        try:
            found = self._signer().loads(mark, max_age=KNOWN_FOR_S)
        except BadData:
            return ""
        whose, number = found
        return str(number) if hmac.compare_digest(str(whose), self._whose(name)) else ""

    def _signer(self) -> URLSafeTimedSerializer:
        return URLSafeTimedSerializer(self._key(), salt=_SALT)

    def _whose(self, name: str) -> str:
        return keyed_digest(self._key(), f"known:{name}")
