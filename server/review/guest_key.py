"""Recognizes what a guest wrote, without accounts and without storing a list.

A guest's browser keeps a key in its signed session. The ids of what is written with it are half
random, half an HMAC of the random half with the key. So only the holder of the key can have written
it, and nobody can derive the key from the ids, which everybody sees.
"""

import hmac
import secrets
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, Self

_HALF: Final = 16
"""Hexadecimal digits: 64 bits to be unique, and 64 bits that nobody can guess over a network."""


@dataclass(frozen=True, repr=False)
class GuestKey:
    """The key of one browser."""

    secret: str

    @classmethod
    def new(cls) -> Self:
        """A new random key."""
        return cls(secrets.token_urlsafe(16))

    def new_id(self) -> str:
        """An ``external_id`` for something written with this key."""
        first = secrets.token_hex(_HALF // 2)
        return first + self._code(first)

    def made(self, external_id: str) -> bool:
        """Whether this id was made with this key."""
        first, code = external_id[:_HALF], external_id[_HALF:]
        return hmac.compare_digest(code.encode(), self._code(first).encode())

    def _code(self, first: str) -> str:
        return hmac.new(self.secret.encode(), first.encode(), sha256).hexdigest()[:_HALF]
