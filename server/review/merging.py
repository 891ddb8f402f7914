"""Merges comments from a coach's file without loss, each one once, no matter who sends it."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TypeVar

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from server.contract import Comment, Correction, MergedReview, ReviewDocument, RubricScore
from server.core.clock import utc_now
from server.core.errors import ConflictError, NotAllowedError, NotFoundError
from server.db.database import Database, UseCases, audit, row_of
from server.db.tables import AttemptRow, CommentRow, CorrectionRow, RubricScoreRow
from server.review.models import Author
from server.review.store import leave_room, new_comment, review_of, rubric_of, written_row
from server.sharing.recordings import cohorts_open_to
from server.sharing.shown import attempt_row

T = TypeVar("T", bound=Comment | RubricScore | Correction)


class ReviewMerger(UseCases):
    """Merges what coaches wrote about one owner's answers; ``None``: the embedded server's user."""

    def __init__(
        self, database: Database, owner_id: int | None, clock: Callable[[], datetime] = utc_now
    ) -> None:
        super().__init__(database, clock)
        self._owner_id = owner_id

    def document(self, attempt_id: int) -> ReviewDocument:
        """Everything that was written about an answer, and what the owner's cohorts score by.

        Raises:
            NotFoundError: the owner has no such answer.
        """
        with self._database.read() as session:
            attempt_row(session, self._owner_id, attempt_id)
            with self._database.readable(f"the review of attempt {attempt_id}"):
                found = review_of(session, attempt_id)
            if self._owner_id is None:
                return found.document()
            with self._database.readable("a cohort's rubric"):
                cohorts = {each.id for each in cohorts_open_to(session, self._owner_id)}
                return found.document(rubric_of(session, cohorts).criteria)

    def merge(self, document: ReviewDocument) -> MergedReview:
        """Adds what is new. Merging the same again changes nothing.

        The author is the name in the document, because a file proves nothing about accounts.

        Raises:
            NotFoundError: it is not about one of the owner's answers.
            InvalidInputError: a comment is at a place where the answer has no word.
            ConflictError: an id belongs to another answer, or there are too many of a kind.
        """
        now = self._clock()
        try:
            with self._database.write() as session:
                attempt_id = session.scalar(
                    select(AttemptRow.id).where(
                        AttemptRow.submission_id == document.submission_id,
                        AttemptRow.owner_id == self._owner_id,
                    )
                )
                if attempt_id is None:
                    raise NotFoundError(
                        "this is about an answer that is not (or no longer) among yours"
                    )
                self._database.alone(session, f"review of {attempt_id}")
                added = _add_comments(session, attempt_id, document.comments)
                scores = _add(session, RubricScoreRow, attempt_id, document.scores)
                corrections = _add(session, CorrectionRow, attempt_id, _of_reviewers(document))
                if added or scores or corrections:
                    audit(session, now, self._owner_id, "review.merge", f"attempt {attempt_id}")
        except IntegrityError:
            raise ConflictError("the comments could not be saved; merge the file again") from None
        given = sum(
            len({each.external_id for each in kind})
            for kind in (document.comments, document.scores, document.corrections)
        )
        return MergedReview(
            attempt_id=attempt_id,
            added=tuple(added),
            scores=scores,
            corrections=corrections,
            known=given - len(added) - scores - corrections,
        )

    def delete_comment(self, attempt_id: int, external_id: str) -> None:
        """Deletes a comment of somebody without an account, or the owner's own, with its replies.

        Raises:
            NotFoundError: the owner has no such answer, or nobody wrote such a comment.
            NotAllowedError: somebody with an account wrote it, and only they may delete it.
        """
        with self._database.write() as session:
            attempt_row(session, self._owner_id, attempt_id)
            row = written_row(session, CommentRow, attempt_id, external_id)
            if row.author_id not in (None, self._owner_id):
                raise NotAllowedError("only the author of this comment can delete it")
            session.delete(row)
            what = f"attempt {attempt_id}"
            audit(session, self._clock(), self._owner_id, "comment.delete", what)
        self._database.forget()


def _of_reviewers(document: ReviewDocument) -> list[Correction]:
    """The corrections without the candidate's own answers, which belong to the attempt."""
    return [each for each in document.corrections if not each.by_owner]


def _add_comments(session: Session, attempt_id: int, given: Sequence[Comment]) -> list[Comment]:
    """Adds new comments, each after the one that it replies to."""
    attempt = row_of(session, AttemptRow, attempt_id)
    new = _new(session, CommentRow, attempt_id, given)
    waiting = sorted(new, key=lambda each: each.created_at)
    there = select(CommentRow.external_id, CommentRow.id, CommentRow.parent_id)
    # a reply to a reply stays with it, under the comment that both are about
    kept = {
        row[0]: row[2] or row[1]
        for row in session.execute(there.where(CommentRow.attempt_id == attempt_id))
    }
    added: list[Comment] = []
    while waiting:
        ready = [each for each in waiting if each.parent is None or each.parent in kept]
        if not ready:
            # a reply to a deleted comment becomes a separate comment
            here = {each.external_id for each in waiting}
            lost = next((each for each in waiting if each.parent not in here), waiting[0])
            ready = [lost.model_copy(update={"parent": None})]
        rows = []
        for each in ready:
            parent_id = None if each.parent is None else kept[each.parent]
            author = Author(None, each.author)
            rows.append(new_comment(session, attempt, author, each, parent_id, each.created_at))
            rows[-1].edited_at = each.edited_at
        session.add_all(rows)
        session.flush()
        kept |= {row.external_id: row.parent_id or row.id for row in rows}
        added += ready
        waiting = [each for each in waiting if each.external_id not in kept]
    return added


def _add(
    session: Session,
    table: type[RubricScoreRow] | type[CorrectionRow],
    attempt_id: int,
    given: Sequence[RubricScore | Correction],
) -> int:
    """Adds new scores or corrections; returns how many."""
    new = _new(session, table, attempt_id, given)
    for each in new:
        values = each.model_dump(exclude={"author", "by_owner", "no_account"})
        session.add(table(attempt_id=attempt_id, guest_name=each.author, **values))
    session.flush()
    return len(new)


def _new(
    session: Session,
    table: type[CommentRow] | type[RubricScoreRow] | type[CorrectionRow],
    attempt_id: int,
    given: Sequence[T],
) -> list[T]:
    """The new ones, each id once.

    Raises:
        ConflictError: an id belongs to another answer, or there are too many.
    """
    wanted = {each.external_id: each for each in given}
    known = select(table.external_id, table.attempt_id).where(table.external_id.in_(wanted))
    there = {row[0]: row[1] for row in session.execute(known)}
    if any(each != attempt_id for each in there.values()):
        raise ConflictError("a part of this file belongs to another answer")
    new = [each for number, each in wanted.items() if number not in there]
    leave_room(session, table, attempt_id, len(new))
    return new
