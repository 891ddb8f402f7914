"""Random secrets, such as tokens: shown once, stored only as a digest."""

import hashlib
import hmac
import secrets
from typing import Final

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
