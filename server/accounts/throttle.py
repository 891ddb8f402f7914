"""How often one may try a password: counted in the database, so all processes count together."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from server.accounts.secrets import keyed_digest
from server.errors import TooManyTriesError
from server.store.database import Database
from server.store.tables_accounts import SignInFailureRow

__all__ = ["PER_ADDRESS", "PER_NAME", "WINDOW", "Throttle"]

WINDOW: Final = timedelta(minutes=15)
PER_NAME: Final = 10
"""Wrong passwords for one name: 960 a day against a password of ten characters."""
PER_ADDRESS: Final = 50
"""From one address, whatever the names: a class behind one router still signs in."""


class Throttle:
    """Counts wrong passwords by name and by address, which are kept as keyed digests only."""

    def __init__(self, database: Database, key: Callable[[], str]) -> None:
        self._database = database
        self._key = key

    def check(self, name: str, address: str, now: datetime) -> None:
        """Refuses a further try.

        Raises:
            TooManyTriesError: too many wrong ones lately; it says when to come back.
        """
        with self._database.read() as session:
            for subject, limit in self._subjects(name, address):
                recent = select(SignInFailureRow.at).where(
                    SignInFailureRow.subject == subject, SignInFailureRow.at > now - WINDOW
                )
                count = session.scalar(select(func.count()).select_from(recent.subquery())) or 0
                if count >= limit:
                    oldest = session.scalar(
                        recent.order_by(SignInFailureRow.at.desc()).offset(limit - 1).limit(1)
                    )
                    free_at = (oldest or now) + WINDOW
                    raise TooManyTriesError(max(1, round((free_at - now).total_seconds())))

    def failed(self, name: str, address: str, now: datetime) -> None:
        """Counts a wrong password."""
        with self._database.write() as session:
            self._sweep(session, now)
            for subject, _ in self._subjects(name, address):
                session.add(SignInFailureRow(subject=subject, at=now))

    def succeeded(self, name: str) -> None:
        """Forgets the wrong ones for a name whose owner has just signed in."""
        subject = keyed_digest(self._key(), f"name:{name}")
        with self._database.write() as session:
            session.execute(delete(SignInFailureRow).where(SignInFailureRow.subject == subject))

    def _sweep(self, session: Session, now: datetime) -> None:
        session.execute(delete(SignInFailureRow).where(SignInFailureRow.at <= now - WINDOW))

    def _subjects(self, name: str, address: str) -> tuple[tuple[str, int], ...]:
        key = self._key()
        return (
            (keyed_digest(key, f"name:{name}"), PER_NAME),
            (keyed_digest(key, f"address:{address}"), PER_ADDRESS),
        )
