"""Browser sessions that ended before their cookie: after signing out, a copied cookie is useless.

The cookie is signed and holds the whole session; the server stores nothing about open sessions. A
cookie that was copied before its browser signed out would otherwise open the account until it
expires.
"""

import secrets
from datetime import timedelta
from typing import Final

from sqlalchemy import delete
from sqlalchemy.orm import Session

from server.accounts.credentials import digest
from server.db.database import UseCases
from server.db.tables import AccountRow, EndedSessionRow

SESSION_FOR: Final = timedelta(days=14)
"""How long a cookie is valid after it was last sent to the browser."""

_A_REQUEST: Final = timedelta(days=1)
"""Longer than any request lasts, because one answered while its session ends still sends a
cookie."""


def new_session_id() -> str:
    """What distinguishes the sessions of an account."""
    return secrets.token_urlsafe(16)


def has_ended(session: Session, session_id: str) -> bool:
    """Whether the browser of this session has signed out."""
    return session.get(EndedSessionRow, digest(session_id)) is not None


class SessionService(UseCases):
    """Ends single sessions, over a database."""

    def end(self, account_id: int, session_id: str) -> None:
        """Ends this session; the account's other sessions continue.

        Args:
            account_id: the session's account; a deleted account has no sessions.
            session_id: the one in the cookie.
        """
        now = self._clock()
        key = digest(session_id)
        with self._database.write() as session:
            # by then, each of their cookies has expired
            session.execute(delete(EndedSessionRow).where(EndedSessionRow.until <= now))
            self._database.alone(session, f"session {key}")
            if session.get(AccountRow, account_id) is None or has_ended(session, session_id):
                return
            until = now + SESSION_FOR + _A_REQUEST
            session.add(EndedSessionRow(digest=key, account_id=account_id, until=until))
