"""Which attempts are shared with a cohort, and with which cohorts an attempt is shared."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import ColumnElement, Select, exists, or_, select, tuple_, union_all
from sqlalchemy.orm import Session

from server.core.access import Resource
from server.core.errors import NotFoundError
from server.db.database import MAX_ID, Database, row_of
from server.db.tables import AccountRow, AnswerFactsRow, AttemptRow, CohortMemberRow, ShareRow

NOTHING_HERE: Final = "there is nothing here, or it is not shared with you"


@dataclass(frozen=True)
class ShownAttempt:
    """A shared attempt and its owner."""

    attempt_id: int
    owner_id: int
    interview_id: str | None
    candidate: str
    name: str


def attempts_shown_to(
    database: Database,
    cohort_id: int,
    *,
    since: datetime | None = None,
    until: datetime | None = None,
) -> list[ShownAttempt]:
    """What candidates of a cohort show to it now, by candidate and time.

    Args:
        database: the database.
        cohort_id: the cohort.
        since: only attempts made at this time or later.
        until: only attempts made before this time.
    """
    wanted = (
        select(
            AttemptRow.id,
            AccountRow.id,
            AttemptRow.interview_id,
            AccountRow.display_name,
            AccountRow.name,
        )
        .join(AccountRow, AccountRow.id == AttemptRow.owner_id)
        .where(AttemptRow.id.in_(shown_ids({cohort_id})))
        .order_by(AccountRow.name, AttemptRow.created_at, AttemptRow.id)
    )
    if since is not None:
        wanted = wanted.where(AttemptRow.created_at >= since)
    if until is not None:
        wanted = wanted.where(AttemptRow.created_at < until)
    with database.read() as session:
        return [ShownAttempt(*row) for row in session.execute(wanted)]


def shown_ids(cohort_ids: Collection[int]) -> Select[int]:
    """Selects what candidates of any of these cohorts show to it now: the attempts' ids.

    An attempt that is shown twice, alone and with its interview, is selected twice.
    """
    candidates = select(CohortMemberRow.cohort_id, CohortMemberRow.account_id).where(
        CohortMemberRow.cohort_id.in_(cohort_ids), CohortMemberRow.as_role == "candidate"
    )
    # by pairs, so that SQLite seeks each candidate's shares in the one index that has it all
    valid = (
        ShareRow.cohort_id.in_(cohort_ids),
        tuple_(ShareRow.cohort_id, ShareRow.owner_id).in_(candidates),
        ShareRow.revoked_at.is_(None),
    )
    both = union_all(
        select(AnswerFactsRow.attempt_id)
        .join(
            ShareRow,
            (ShareRow.attempt_id == AnswerFactsRow.attempt_id)
            & (ShareRow.owner_id == AnswerFactsRow.owner_id),
        )
        .where(*valid),
        select(AttemptRow.id)
        .join(
            ShareRow,
            (ShareRow.interview_id == AttemptRow.interview_id)
            & (ShareRow.owner_id == AttemptRow.owner_id),
        )
        .where(*valid, ShareRow.attempt_id.is_(None)),
    ).subquery()
    return select(both.c[0])


def still_shown(database: Database, cohort_id: int, attempt_ids: Collection[int]) -> bool:
    """Whether all of these attempts are (still) shown to the cohort."""
    with database.read() as session:
        now = set(session.scalars(shown_ids({cohort_id})))
    return now.issuperset(attempt_ids)


def resource_of_attempt(database: Database, attempt_id: int) -> Resource:
    """An attempt as ``server.core.access`` judges it.

    Raises:
        NotFoundError: there is none; the same error as for somebody who may not read it.
    """
    shares = (
        select(ShareRow.cohort_id, ShareRow.with_audio)
        .join(
            AttemptRow,
            or_(
                ShareRow.attempt_id == AttemptRow.id,
                (ShareRow.interview_id == AttemptRow.interview_id)
                & (ShareRow.owner_id == AttemptRow.owner_id),
            ),
        )
        .where(
            AttemptRow.id == min(attempt_id, MAX_ID),
            ShareRow.owner_id == AttemptRow.owner_id,
            ShareRow.revoked_at.is_(None),
            _is_candidate_of(ShareRow.cohort_id),
        )
    )
    with database.read() as session:
        row = session.execute(
            select(AttemptRow.owner_id).where(AttemptRow.id == min(attempt_id, MAX_ID))
        ).first()
        if row is None:
            raise NotFoundError(NOTHING_HERE)
        found = session.execute(shares).all()
    return Resource(
        owner_id=row[0],
        shown_to=frozenset(cohort for cohort, _ in found if cohort is not None),
        sound_to=frozenset(cohort for cohort, audio in found if cohort is not None and audio),
    )


def _is_candidate_of(cohort_id: object) -> ColumnElement[bool]:
    """A share ends when its owner leaves the cohort."""
    member: ColumnElement[bool] = exists().where(
        CohortMemberRow.account_id == AttemptRow.owner_id,
        CohortMemberRow.cohort_id == cohort_id,
        CohortMemberRow.as_role == "candidate",
    )
    return member


def share_row(session: Session, owner_id: int, share_id: int) -> ShareRow:
    """A share of this owner that is not revoked.

    Raises:
        NotFoundError: there is none.
    """

    def is_valid(row: ShareRow) -> bool:
        return row.owner_id == owner_id and row.revoked_at is None

    return row_of(session, ShareRow, share_id, is_valid)


def attempt_row(session: Session, owner_id: int | None, attempt_id: int) -> AttemptRow:
    """An attempt of this owner.

    Raises:
        NotFoundError: there is none.
    """
    return row_of(session, AttemptRow, attempt_id, lambda row: row.owner_id == owner_id)
