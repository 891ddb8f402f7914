"""Random secrets, such as tokens: shown once, stored only as a digest."""

import hashlib
import hmac
import secrets
from collections.abc import Callable
from typing import Final

from itsdangerous import BadData, URLSafeTimedSerializer
from sqlalchemy.exc import IntegrityError

from server.db.database import Database
from server.db.tables import ServerSecretRow

SECRET_BYTES: Final = 32
"""256 bits cannot be guessed, so a fast hash is enough to store them (unlike passwords)."""


def new_secret(prefix: str = "") -> str:
    """A new secret; the prefix tells people and secret scanners what it is."""
    return prefix + secrets.token_urlsafe(SECRET_BYTES)


def digest(secret: str) -> str:
    """SHA-256 as 64 hexadecimal digits, which the database stores and looks up."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


def keyed_digest(key: str, text: str) -> str:
    """HMAC-SHA-256: without the key, even a short text cannot be found by trying all texts."""
    return hmac.new(key.encode(), text.encode("utf-8", "replace"), hashlib.sha256).hexdigest()


def server_secret(database: Database, name: str) -> str:
    """This server's secret of that name, created at the first start, the same in every process."""
    with database.read() as session:  # which a full disk does not prevent
        row = session.get(ServerSecretRow, name)
        if row is not None:
            return row.value
    try:
        with database.write() as session:
            row = session.get(ServerSecretRow, name)
            if row is None:
                row = ServerSecretRow(name=name, value=new_secret())
                session.add(row)
                session.flush()
            return row.value
    except IntegrityError:  # another process made it between our look and our write (PostgreSQL)
        with database.read() as session:
            row = session.get(ServerSecretRow, name)
            if row is None:
                raise
            return row.value


KNOWN_FOR_S: Final = 90 * 24 * 60 * 60
_SALT: Final = "known browser"


class KnownBrowsers:
    """Marks browsers that somebody has signed in with, so that an attack does not lock them out.

    Nothing about the marks is stored, and none contains a name. A mark does not sign anybody in:
    password attempts with it are counted separately, so it gives a thief ten tries in a quarter of
    an hour, like any address.
    """

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
