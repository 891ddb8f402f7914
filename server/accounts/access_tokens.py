"""Access tokens, with which clients sign in instead of a name and password."""

from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import and_, func, select, update
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from server.accounts.credentials import digest, new_secret
from server.accounts.models import NewToken, Token, actor_for
from server.core.access import Actor
from server.core.errors import ConflictError, InvalidInputError, StoreError
from server.db.database import UseCases, audit, row_of
from server.db.tables import AccountRow, CohortMemberRow, TokenRow

PREFIX: Final = "aloud_"
MAX_TOKENS: Final = 50
"""Valid tokens per account."""

_SHOWN: Final = len(PREFIX) + 4
_NOTE_USE_EVERY: Final = timedelta(minutes=1)
"""Not every request is recorded, because "last used" is only for people to read."""


class TokenService(UseCases):
    """Tokens over a database."""

    def add(self, account_id: int, label: str, *, by: int | None = None) -> NewToken:
        """A new token of an account.

        Raises:
            NotFoundError: there is no such account.
            InvalidInputError: the label is empty or too long.
            ConflictError: the account has too many.
        """
        label = " ".join(label.split())
        if not 1 <= len(label) <= 80 or not label.isprintable():
            raise InvalidInputError("a token's label has 1 to 80 characters, as in: my laptop")
        secret, now = new_secret(PREFIX), self._clock()
        row = TokenRow(
            account_id=account_id,
            label=label,
            token_hash=digest(secret),
            prefix=secret[:_SHOWN],
            created_at=now,
        )
        with self._database.write() as session:
            row_of(session, AccountRow, account_id)
            valid = select(func.count()).where(
                TokenRow.account_id == account_id, TokenRow.revoked_at.is_(None)
            )
            if (session.scalar(valid) or 0) >= MAX_TOKENS:
                raise ConflictError(
                    f"the account has {MAX_TOKENS} tokens; revoke one that is not used"
                )
            session.add(row)
            session.flush()
            audit(session, now, by, "token.add", f"token {row.id} of account {account_id}")
        return NewToken(_token_of(row), secret)

    def of(self, account_id: int) -> tuple[Token, ...]:
        """The tokens of an account, the newest first; revoked ones too."""
        query = select(TokenRow).where(TokenRow.account_id == account_id)
        with self._database.read() as session:
            rows = session.scalars(query.order_by(TokenRow.created_at.desc(), TokenRow.id.desc()))
            return tuple(_token_of(row) for row in rows)

    def revoke(self, account_id: int, token_id: int, *, by: int | None = None) -> Token:
        """Invalidates a token.

        Raises:
            NotFoundError: the account has no such token.
        """
        with self._database.write() as session:
            row = row_of(session, TokenRow, token_id, lambda row: row.account_id == account_id)
            if row.revoked_at is None:
                row.revoked_at = self._clock()
                what = f"token {token_id} of account {account_id}"
                audit(session, row.revoked_at, by, "token.revoke", what)
        return _token_of(row)

    def revoke_all(self, session: Session, account_id: int, *, by: int | None) -> int:
        """Invalidates all tokens of an account, within a transaction; how many there were."""
        now = self._clock()
        valid = (TokenRow.account_id == account_id) & TokenRow.revoked_at.is_(None)
        ids = session.scalars(select(TokenRow.id).where(valid)).all()
        session.execute(update(TokenRow).where(TokenRow.id.in_(ids)).values(revoked_at=now))
        for each in ids:
            audit(session, now, by, "token.revoke", f"token {each} of account {account_id}")
        return len(ids)

    def actor(self, secret: str) -> Actor | None:
        """The actor of a valid token; records the use. ``None``: the token is not valid."""
        now = self._clock()
        coaches = and_(
            CohortMemberRow.account_id == AccountRow.id, CohortMemberRow.as_role == "coach"
        )
        valid = (
            select(TokenRow, AccountRow, CohortMemberRow.cohort_id)
            .join(AccountRow, AccountRow.id == TokenRow.account_id)
            .outerjoin(CohortMemberRow, coaches)
            .where(
                TokenRow.token_hash == digest(secret),
                TokenRow.revoked_at.is_(None),
                AccountRow.disabled_at.is_(None),
            )
        )
        with self._database.read() as session:
            rows = session.execute(valid).all()  # one for each cohort that the account coaches
        if not rows:
            return None
        token, account, _ = rows[0]
        if token.last_used_at is None or token.last_used_at <= now - _NOTE_USE_EVERY:
            self._note_use(token.id, now)
        coached = frozenset(row[2] for row in rows if row[2] is not None)
        return actor_for(account, coached, by_token=True)

    def _note_use(self, token_id: int, now: datetime) -> None:
        try:
            with self._database.write() as session:
                row = session.get(TokenRow, token_id)
                if row is not None:
                    row.last_used_at = now
        except (StoreError, SQLAlchemyError):
            return  # a busy database must not reject a valid token


def _token_of(row: TokenRow) -> Token:
    return Token(
        id=row.id,
        label=row.label,
        prefix=row.prefix,
        created_at=row.created_at,
        last_used_at=row.last_used_at,
        revoked_at=row.revoked_at,
    )
