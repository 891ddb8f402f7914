"""What people with a link read and write: comments under a name they choose."""

from collections.abc import Callable
from datetime import datetime
from typing import Final

from sqlalchemy import func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from server.contract import Submission
from server.errors import ConflictError, InvalidInputError, NotFoundError
from server.review_contract import Comment, NewComment
from server.sharing.links import Guest
from server.store.audit import note
from server.store.database import Database
from server.store.models import AttemptRow
from server.store.tables_accounts import AccountRow
from server.store.tables_reviewing import CommentRow

__all__ = ["MAX_COMMENTS", "GuestService", "comments_of"]

MAX_COMMENTS: Final = 2_000
"""On one answer; the same as in a ``ReviewDocument``."""


class GuestService:
    """Comments by link over a database."""

    def __init__(self, database: Database, clock: Callable[[], datetime]) -> None:
        self._database = database
        self._clock = clock

    def comments(self, guest: Guest, attempt_id: int) -> tuple[Comment, ...]:
        """The comments on an attempt that the link shows, oldest first.

        Raises:
            NotFoundError: the link does not show it.
        """
        guest.demand(attempt_id)
        with self._database.read() as session:
            return comments_of(session, attempt_id)

    def comment(self, guest: Guest, attempt_id: int, name: str, wanted: NewComment) -> None:
        """Keeps a comment, once.

        Args:
            guest: by which link.
            attempt_id: on which answer.
            name: under which name.
            wanted: the comment.

        Raises:
            NotFoundError: the link does not show the attempt, or what it answers is gone.
            InvalidInputError: it stands where the answer has no word.
            ConflictError: its id is there with another content, or there are too many.
        """
        guest.demand(attempt_id)
        now = self._clock()
        row = CommentRow(
            attempt_id=attempt_id,
            guest_name=name,
            kind=wanted.kind,
            word_from=wanted.word_from,
            word_to=wanted.word_to,
            at_s=wanted.at_s,
            text=wanted.text,
            created_at=now,
            external_id=wanted.external_id,
        )
        try:
            with self._database.write() as session:
                self._database.alone(session, f"comments of {attempt_id}")
                if _is_there(session, row):
                    return
                _check_place(session, attempt_id, wanted)
                there = select(func.count()).where(CommentRow.attempt_id == attempt_id)
                if (session.scalar(there) or 0) >= MAX_COMMENTS:
                    raise ConflictError(f"the answer has {MAX_COMMENTS:,} comments already")
                if wanted.parent is not None:
                    row.parent_id = _parent(session, attempt_id, wanted.parent)
                session.add(row)
                session.flush()
                what = f"comment {row.id} by link {guest.link_id}"
                note(session, now, None, "comment.add.guest", what)
        except IntegrityError:
            raise ConflictError("the comment cannot be kept; load the page again") from None


def comments_of(session: Session, attempt_id: int) -> tuple[Comment, ...]:
    """All comments on an attempt, oldest first."""
    rows = session.execute(
        select(CommentRow, AccountRow.display_name, AttemptRow.owner_id)
        .join(AttemptRow, AttemptRow.id == CommentRow.attempt_id)
        .join(AccountRow, AccountRow.id == CommentRow.author_id, isouter=True)
        .where(CommentRow.attempt_id == attempt_id)
        .order_by(CommentRow.created_at, CommentRow.id)
    ).all()
    ids: dict[int, str] = {row.id: row.external_id for row, _, _ in rows}
    return tuple(
        Comment.model_validate(
            {
                "external_id": row.external_id,
                "parent": ids.get(row.parent_id) if row.parent_id is not None else None,
                "kind": "answer" if row.parent_id is not None else row.kind,
                "word_from": row.word_from,
                "word_to": row.word_to,
                "at_s": row.at_s,
                "text": row.text,
                "author": name or row.guest_name or "somebody",
                "by_owner": row.author_id is not None and row.author_id == owner_id,
                "created_at": row.created_at,
                "edited_at": row.edited_at,
            }
        )
        for row, name, owner_id in rows
    )


def _is_there(session: Session, row: CommentRow) -> bool:
    found = session.scalar(select(CommentRow).where(CommentRow.external_id == row.external_id))
    if found is None:
        return False
    if (found.attempt_id, found.guest_name, found.text) != (
        row.attempt_id,
        row.guest_name,
        row.text,
    ):
        raise ConflictError("a comment with this id is there already")
    return True


def _check_place(session: Session, attempt_id: int, wanted: NewComment) -> None:
    row = session.get(AttemptRow, attempt_id)
    if row is None:
        raise NotFoundError("the answer was deleted")
    if wanted.word_from is None:
        return
    words = len(Submission.model_validate(row.submission).transcript.words)
    if max(wanted.word_from, wanted.word_to or 0) >= words:
        raise InvalidInputError("the answer has no such word")


def _parent(session: Session, attempt_id: int, external_id: str) -> int:
    found = session.scalar(
        select(CommentRow.id).where(
            CommentRow.external_id == external_id, CommentRow.attempt_id == attempt_id
        )
    )
    if found is None:
        raise NotFoundError("the comment that this one answers is gone")
    return found
