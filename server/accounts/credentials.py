"""Passwords and random secrets.

Passwords are hashed with Argon2id at the cost OWASP recommends, a few at a time. Secrets, such as
tokens, are shown once and stored only as a digest.
"""

import hashlib
import hmac
import re
import secrets
import threading
from collections.abc import Callable
from importlib import resources
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from itsdangerous import BadData, URLSafeTimedSerializer
from sqlalchemy.exc import IntegrityError

from server.core.errors import InvalidInputError
from server.db.database import Database
from server.db.tables import ServerSecretRow

MIN_PASSWORD: Final = 10
MAX_PASSWORD: Final = 200

_MIN_SCORE: Final = 3
"""Of zxcvbn: 10^8 guesses or more."""

_MIN_BARE_SCORE: Final = 2
_MOST_SIGNS: Final = 2
"""Of its letters and digits alone, if it has so few kinds of signs: 10^6. zxcvbn takes a sign
between two words for a random one, so that password-password would do."""

_MOST_JUDGED: Final = 40
"""Characters: the time it takes grows with their cube."""

_GUESSED_FIRST: Final = tuple(
    resources.files("server.accounts").joinpath("guessed_first.txt").read_text("utf-8").split()
)
"""Beside the account's name: words of this service and its trade, and phrases that everybody knows,
which zxcvbn takes for random words."""

_LEAST_OWN: Final = 4
"""Different signs besides these words and a year, each of which zxcvbn counts as 50 guesses."""

_AT_ONCE: Final = 4
"""Each takes 19 MiB for about 20 ms; a flood of sign-ins must not use up the machine's memory."""


class Passwords:
    """Hashes and verifies: Argon2id with 19 MiB, two passes, one lane; tests use cheaper ones.

    https://cheatsheetseries.owasp.org (password storage)
    """

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        self._hasher = hasher or PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
        self._turns = threading.BoundedSemaphore(_AT_ONCE)
        self._nobodys: str | None = None

    def hash(self, password: str) -> str:
        with self._turns:
            return self._hasher.hash(password)

    def verify(self, kept: str | None, password: str) -> bool:
        """Whether it is the password; takes as long if there is no such account or password."""
        if self._nobodys is None:
            self._nobodys = self.hash("nobody's password")
        with self._turns:
            try:
                return self._hasher.verify(kept or self._nobodys, password) and kept is not None
            except (VerificationError, InvalidHashError):
                return False

    def outdated(self, kept: str) -> bool:
        """Whether it was hashed at another cost, so that the next sign-in hashes it again."""
        return self._hasher.check_needs_rehash(kept)

    @staticmethod
    def check(password: str, name: str) -> None:
        """Refuses a weak password.

        zxcvbn estimates in how many guesses it is found, from lists of common passwords, words
        and names, keyboard patterns, dates and their usual disguises, and from the account's name.
        Below 10^8 it is too easy for a service that limits tries (Wheeler, "zxcvbn: low-budget
        password strength estimation", USENIX Security 2016).

        Raises:
            InvalidInputError: it is too short, too long, or easy to guess.
        """
        if len(password) < MIN_PASSWORD:
            raise InvalidInputError(f"the password needs at least {MIN_PASSWORD} characters")
        if len(password) > MAX_PASSWORD:
            raise InvalidInputError(f"the password may have at most {MAX_PASSWORD} characters")
        from zxcvbn import zxcvbn  # its lists take a fifth of a second to load

        names = re.findall(r"[^\W_]+", name)
        guessed_first = [name, *names, "".join(names), *_GUESSED_FIRST]
        known = "|".join(map(re.escape, sorted(guessed_first, key=len, reverse=True)))
        if len({*re.sub(rf"{known}|(19|20)\d\d", "", password, flags=re.I)}) < _LEAST_OWN:
            raise InvalidInputError("the password is easy to guess: little but a name or a date")
        judged = [(password, _MIN_SCORE)]
        if len({*re.findall(r"[\W_]", password)}) <= _MOST_SIGNS:
            judged.append((re.sub(r"[\W_]", "", password) or "-", _MIN_BARE_SCORE))
        for text, least in judged:
            found = zxcvbn(text[:_MOST_JUDGED], user_inputs=guessed_first)
            if found["score"] >= least:
                continue
            why = str(found["feedback"]["warning"]).rstrip(".")
            raise InvalidInputError(
                "the password is easy to guess"
                + (f" ({why[:1].lower()}{why[1:]})" if why else "")
                + "; a few words that do not belong together work well"
            )


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
