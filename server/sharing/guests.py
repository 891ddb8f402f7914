"""What people with a link read and write: comments under a name they choose."""

from collections.abc import Callable
from datetime import datetime

from server.review.models import Author
from server.review_contract import Comment, NewComment
from server.sharing.links import Guest
from server.store.audit import note
from server.store.database import Database
from server.store.review_store import add_comment, review_of, writing_review

__all__ = ["GuestService"]


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
            return review_of(session, attempt_id).comments

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
        with writing_review(self._database, attempt_id, "comment") as session:
            add_comment(session, attempt_id, Author(None, name), wanted, now)
            what = f"attempt {attempt_id} by link {guest.link_id}"
            note(session, now, None, "comment.add.guest", what)
