"""Comments that come back in a file, merged without loss: each one once, whoever sends it."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from server.errors import ConflictError, NotFoundError
from server.review.models import Author
from server.review_contract import Comment, NewComment, ReviewDocument
from server.service import utc_now
from server.store.audit import note
from server.store.database import Database
from server.store.models import AttemptRow
from server.store.review_store import add_comment, review_of
from server.store.tables_reviewing import CommentRow, CorrectionRow, RubricScoreRow

__all__ = ["MergedReview", "ReviewMerger"]


@dataclass(frozen=True)
class MergedReview:
    """What a merge changed; ``known`` was there already and stays as it is."""

    attempt_id: int
    added: tuple[Comment, ...]
    known: int
    scores: int = 0
    corrections: int = 0


class ReviewMerger:
    """Merges what coaches wrote about one owner's answers; ``None``: the embedded person's."""

    def __init__(
        self,
        database: Database,
        owner_id: int | None,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        self._database = database
        self._owner_id = owner_id
        self._clock = clock

    def document(self, attempt_id: int) -> ReviewDocument:
        """Everything that was written about an answer.

        Raises:
            NotFoundError: the owner has no such answer.
        """
        with self._database.read() as session:
            row = session.get(AttemptRow, attempt_id)
            if row is None or row.owner_id != self._owner_id:
                raise NotFoundError(f"there is no attempt {attempt_id}")
            found = review_of(session, attempt_id)
        return ReviewDocument(
            submission_id=found.submission_id,
            comments=found.comments,
            scores=found.scores,
            corrections=found.corrections,
        )

    def merge(self, document: ReviewDocument) -> MergedReview:
        """Adds what is not there yet. Merging the same again changes nothing.

        Who wrote it is the name in the document: a file proves nothing about accounts.

        Raises:
            NotFoundError: it is about none of the owner's answers.
            InvalidInputError: a comment stands where the answer has no word.
            ConflictError: an id belongs to another answer, or there are too many comments.
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
                added, known = _comments(session, attempt_id, document)
                scores = _scores(session, attempt_id, document)
                corrections = _corrections(session, attempt_id, document)
                if added or scores or corrections:
                    note(session, now, self._owner_id, "review.merge", f"attempt {attempt_id}")
        except IntegrityError:
            raise ConflictError("the comments could not be kept; merge the file again") from None
        return MergedReview(attempt_id, tuple(added), known, scores, corrections)


def _comments(
    session: Session, attempt_id: int, document: ReviewDocument
) -> tuple[list[Comment], int]:
    wanted = {each.external_id: each for each in document.comments}
    there: dict[str, int] = {}
    for row in session.execute(
        select(CommentRow.external_id, CommentRow.attempt_id).where(
            CommentRow.external_id.in_({*wanted, *(each.parent for each in wanted.values())})
        )
    ):
        there[row[0]] = row[1]
    if any(there.get(each, attempt_id) != attempt_id for each in wanted):
        raise ConflictError("a comment of this file belongs to another answer")
    new = [each for each in wanted.values() if each.external_id not in there]
    kept = {each for each, where in there.items() if where == attempt_id}
    added: list[Comment] = []
    waiting = sorted(new, key=lambda each: each.created_at)
    while waiting:
        ready = [each for each in waiting if each.parent is None or each.parent in kept]
        if not ready:
            # what answers a comment that nobody has any more is kept as a comment of its own
            here = {each.external_id for each in waiting}
            lost = next((each for each in waiting if each.parent not in here), waiting[0])
            ready = [lost.model_copy(update={"parent": None})]
        for each in ready:
            fields = each.model_dump(include=set(NewComment.model_fields))
            author = Author(None, each.author)
            add_comment(
                session, attempt_id, author, NewComment.model_validate(fields), each.created_at
            )
            session.flush()
            kept.add(each.external_id)
            added.append(each)
        waiting = [each for each in waiting if each.external_id not in kept]
    return added, len(wanted) - len(added)


def _scores(session: Session, attempt_id: int, document: ReviewDocument) -> int:
    added = 0
    for each in document.scores:
        known = select(RubricScoreRow.id).where(RubricScoreRow.external_id == each.external_id)
        if session.scalar(known) is None:
            values = each.model_dump(exclude={"author"})
            session.add(RubricScoreRow(attempt_id=attempt_id, guest_name=each.author, **values))
            session.flush()
            added += 1
    return added


def _corrections(session: Session, attempt_id: int, document: ReviewDocument) -> int:
    added = 0
    for each in document.corrections:
        known = select(CorrectionRow.id).where(CorrectionRow.external_id == each.external_id)
        if session.scalar(known) is None:
            values = each.model_dump(exclude={"author"})
            session.add(CorrectionRow(attempt_id=attempt_id, guest_name=each.author, **values))
            session.flush()
            added += 1
    return added
