"""The rows of coaching. Callers check access; a row is written once or not at all."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any, Final, TypeVar

from sqlalchemy import func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from server.attempts.corrections import NOBODY, corrections_of
from server.attempts.read_reports import word_count
from server.contract import (
    MAX_OF_ONE_ATTEMPT,
    Comment,
    Criterion,
    NewComment,
    NewCorrection,
    NewRubricScore,
    RubricScore,
)
from server.core.errors import ConflictError, InvalidInputError, NotAllowedError, NotFoundError
from server.db.database import Database, row_of
from server.db.tables import (
    AccountRow,
    AttemptRow,
    CohortRow,
    CommentRow,
    CorrectionRow,
    RubricScoreRow,
)
from server.review.models import Author, Review, Rubric

Written = TypeVar("Written", CommentRow, CorrectionRow)
_WORDS: Final[dict[type, tuple[str, str]]] = {
    CommentRow: ("comment", "change or delete"),
    CorrectionRow: ("correction", "delete"),
}


@contextmanager
def writing_review(database: Database, attempt_id: int, what: str) -> Iterator[Session]:
    """A transaction that writes about an attempt: one at a time, all or nothing.

    Args:
        database: the database.
        attempt_id: the attempt.
        what: what is written, for the message, e.g. ``comment``.

    Raises:
        ConflictError: somebody else wrote in between.
    """
    try:
        with database.write() as session:
            database.alone(session, f"review of {attempt_id}")
            yield session
    except IntegrityError:
        raise ConflictError(f"the {what} could not be saved; reload the page") from None


def review_of(session: Session, attempt_id: int) -> Review:
    """Everything that was written about an attempt, oldest first.

    Raises:
        NotFoundError: there is no such attempt.
    """
    attempt = row_of(session, AttemptRow, attempt_id)
    rows = session.execute(
        select(CommentRow, AccountRow.display_name)
        .join(AccountRow, AccountRow.id == CommentRow.author_id, isouter=True)
        .where(CommentRow.attempt_id == attempt_id)
        .order_by(CommentRow.created_at, CommentRow.id)
    ).all()
    ids = {row.id: row.external_id for row, _ in rows}
    accounts = {row.external_id: row.author_id for row, _ in rows}
    comments = []
    for row, name in rows:
        values = _columns(row, "external_id", "text", "created_at", "edited_at", "kind")
        values |= _columns(row, "word_from", "word_to", "at_s")
        values["parent"] = ids.get(row.parent_id) if row.parent_id is not None else None
        values["author"] = name or row.guest_name or NOBODY
        values["by_owner"] = row.author_id is not None and row.author_id == attempt.owner_id
        values["no_account"] = row.author_id is None
        comments.append(Comment.model_validate(values))
    scores = []
    for given, name in session.execute(
        select(RubricScoreRow, AccountRow.display_name)
        .join(AccountRow, AccountRow.id == RubricScoreRow.author_id, isouter=True)
        .where(RubricScoreRow.attempt_id == attempt_id)
        .order_by(RubricScoreRow.created_at, RubricScoreRow.id)
    ):
        values = _columns(given, "external_id", "criterion", "score", "note", "created_at")
        values["author"] = name or given.guest_name or NOBODY
        accounts[given.external_id] = given.author_id
        scores.append(RubricScore.model_validate(values))
    for external_id, account_id in session.execute(
        select(CorrectionRow.external_id, CorrectionRow.author_id).where(
            CorrectionRow.attempt_id == attempt_id
        )
    ):
        accounts[external_id] = account_id
    return Review(
        submission_id=attempt.submission_id,
        comments=tuple(comments),
        scores=tuple(scores),
        corrections=tuple(corrections_of(session, [attempt_id]).get(attempt_id, ())),
        accounts=accounts,
    )


def add_comment(
    session: Session, attempt_id: int, author: Author, wanted: NewComment, now: datetime
) -> None:
    """Stores a comment, once; sending the same again changes nothing.

    A reply to a reply stays with it, under the comment that both are about.

    Raises:
        NotFoundError: there is no such attempt, or no such comment to reply to.
        InvalidInputError: the answer has no such word.
        ConflictError: its id was used for something else, or there are too many.
    """
    attempt = row_of(session, AttemptRow, attempt_id)
    found = session.scalar(select(CommentRow).where(CommentRow.external_id == wanted.external_id))
    if found is not None:
        text = wanted.text if found.edited_at is not None else found.text
        _same_or_conflict(
            (found.attempt_id, found.author_id, found.guest_name, text),
            (attempt_id, author.account_id, author.guest_name, wanted.text),
        )
        return
    parent_id = None
    if wanted.parent is not None:
        parent = written_row(session, CommentRow, attempt_id, wanted.parent)
        parent_id = parent.parent_id or parent.id
    leave_room(session, CommentRow, attempt_id)
    session.add(new_comment(session, attempt, author, wanted, parent_id, now))
    session.flush()


def new_comment(
    session: Session,
    attempt: AttemptRow,
    author: Author,
    wanted: NewComment,
    parent_id: int | None,
    now: datetime,
) -> CommentRow:
    """A new comment's row.

    Raises:
        InvalidInputError: the answer has no such word.
    """
    last = wanted.word_from if wanted.word_to is None else wanted.word_to
    if last is not None and last >= word_count(session, attempt.id):
        raise InvalidInputError("the answer has no such word")
    return CommentRow(
        attempt_id=attempt.id,
        parent_id=parent_id,
        author_id=author.account_id,
        guest_name=author.guest_name,
        created_at=now,
        **_columns(wanted, "external_id", "text", "kind", "word_from", "word_to", "at_s"),
    )


def written_row(
    session: Session, table: type[Written], attempt_id: int, external_id: str
) -> Written:
    """A comment on this attempt, or a correction of it.

    Raises:
        NotFoundError: it does not exist (any more).
    """
    wanted = table.external_id == external_id, table.attempt_id == attempt_id
    row = session.scalar(select(table).where(*wanted))
    if row is None:
        raise NotFoundError(f"there is no such {_WORDS[table][0]}")
    return row


def own_row(
    session: Session, table: type[Written], attempt_id: int, author: Author, external_id: str
) -> Written:
    """The same, of what this author wrote.

    Raises:
        NotFoundError: it does not exist (any more).
        NotAllowedError: somebody else wrote it.
    """
    row = written_row(session, table, attempt_id, external_id)
    if not author.wrote(row.author_id, row.external_id):
        kind, may = _WORDS[table]
        raise NotAllowedError(f"only the author of a {kind} can {may} it")
    return row


def put_score(
    session: Session, attempt_id: int, author: Author, wanted: NewRubricScore, now: datetime
) -> None:
    """Stores a score, replacing the same author's earlier one for the criterion."""
    row_of(session, AttemptRow, attempt_id)
    mine = scores_of(session, attempt_id, author)
    row = next((each for each in mine if each.criterion == wanted.criterion), None)
    if row is None:
        leave_room(session, RubricScoreRow, attempt_id)
        row = RubricScoreRow(
            attempt_id=attempt_id,
            author_id=author.account_id,
            criterion=wanted.criterion,
            external_id=wanted.external_id,
        )
        session.add(row)
    elif (row.score, row.note, row.guest_name) == (wanted.score, wanted.note, author.guest_name):
        return
    row.score, row.note, row.created_at = wanted.score, wanted.note, now
    row.guest_name = author.guest_name
    session.flush()


def scores_of(session: Session, attempt_id: int, author: Author) -> list[RubricScoreRow]:
    """One author's scores of an attempt."""
    rows = session.scalars(
        select(RubricScoreRow).where(
            RubricScoreRow.attempt_id == attempt_id, RubricScoreRow.author_id == author.account_id
        )
    )
    return [each for each in rows if author.wrote(each.author_id, each.external_id)]


def add_correction(
    session: Session, attempt_id: int, author: Author, wanted: NewCorrection, now: datetime
) -> None:
    """Stores a correction, once. A later one about the same place takes precedence."""
    row_of(session, AttemptRow, attempt_id)
    found = session.scalar(
        select(CorrectionRow).where(CorrectionRow.external_id == wanted.external_id)
    )
    if found is not None:
        _same_or_conflict(
            (found.attempt_id, found.author_id, found.name, found.verdict),
            (attempt_id, author.account_id, wanted.name, wanted.verdict),
        )
        return
    leave_room(session, CorrectionRow, attempt_id)
    session.add(
        CorrectionRow(
            attempt_id=attempt_id,
            author_id=author.account_id,
            guest_name=author.guest_name,
            created_at=now,
            **wanted.model_dump(),
        )
    )
    session.flush()


def rubric_of(session: Session, cohort_ids: Collection[int]) -> Rubric:
    """The criteria of all these cohorts; of two with the same name, the first cohort's counts."""
    rows = session.scalars(
        select(CohortRow.rubric).where(CohortRow.id.in_(cohort_ids)).order_by(CohortRow.id)
    )
    criteria: dict[str, Criterion] = {}
    for each in rows:
        if each is not None:
            for criterion in Rubric.model_validate(each).criteria:
                criteria.setdefault(criterion.name.casefold(), criterion)
    return Rubric.model_construct(criteria=tuple(criteria.values()))


def leave_room(
    session: Session,
    table: type[CommentRow] | type[RubricScoreRow] | type[CorrectionRow],
    attempt_id: int,
    more: int = 1,
) -> None:
    """Refuses more than the limit per attempt.

    Raises:
        ConflictError: there are too many already.
    """
    there = select(func.count()).select_from(table).where(table.attempt_id == attempt_id)
    if (session.scalar(there) or 0) + more > MAX_OF_ONE_ATTEMPT:
        raise ConflictError(f"an answer can have at most {MAX_OF_ONE_ATTEMPT:,} of them")


def _same_or_conflict(found: tuple[object, ...], wanted: tuple[object, ...]) -> None:
    if found != wanted:
        raise ConflictError("its id is already in use; reload the page")


def _columns(row: object, *names: str) -> dict[str, Any]:
    return {name: getattr(row, name) for name in names}
