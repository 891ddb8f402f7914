"""Random secrets, such as tokens: shown once, stored only as a digest."""

import hashlib
import hmac
import secrets
from typing import Final

from sqlalchemy.exc import IntegrityError

from server.db.database import Database
from server.db.tables import ServerSecretRow

SECRET_BYTES: Final = 32
"""256 bits cannot be guessed, so a fast hash is enough to keep them by (unlike passwords)."""


def new_secret(prefix: str = "") -> str:
    """A new secret; the prefix says to people and secret scanners what it is."""
    return prefix + secrets.token_urlsafe(SECRET_BYTES)


def digest(secret: str) -> str:
    """SHA-256 as 64 hexadecimal digits: what the database keeps, and finds a secret by."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


def keyed_digest(key: str, text: str) -> str:
    """HMAC-SHA-256: without the key, a short text cannot be found by trying all."""
    return hmac.new(key.encode(), text.encode("utf-8", "replace"), hashlib.sha256).hexdigest()


def server_secret(database: Database, name: str) -> str:
    """This server's own secret of that name, made at the first start; the same in each process."""
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
