"""Sharing in one place: an owner shows an attempt or an interview until they revoke it.

Shares stand here, their links and the recordings they ask for in modules of their own.
"""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Final

from sqlalchemy import func, or_, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from server.contract import Shared, ShareRequest, Sharing
from server.core.clock import utc_now
from server.core.errors import ConflictError, NotFoundError
from server.db.database import Database, UseCases, audit
from server.db.tables import AttemptRow, CohortRow, ShareRow
from server.sharing.links import LinkService, links_of
from server.sharing.recordings import (
    RecordingService,
    cohorts_open_to,
    info_of,
    is_under_way,
    preparing_of,
    settle,
)
from server.sharing.shown import attempt_row, share_row

MAX_SHARES: Final = 10_000
"""Valid shares of one owner: every answer of years, but a limit to what one account can store."""


class ShareService(UseCases):
    """Shares in a database; every method takes the owner."""

    def share(self, owner_id: int, wanted: ShareRequest) -> Shared:
        """Shares it. If the same cohort already sees it, only "with audio" changes.

        Raises:
            NotFoundError: it is not theirs, or they are not a candidate of that cohort.
            ConflictError: an answer belongs to another interview already, or too many shares.
        """
        now = self._clock()
        with self._database.write() as session:
            self._database.alone(session, f"shares of {owner_id}")
            _check_object(session, owner_id, wanted)
            if wanted.cohort_id is not None:
                open_to = {each.id for each in cohorts_open_to(session, owner_id)}
                if wanted.cohort_id not in open_to:
                    raise NotFoundError("there is no such cohort, or you are not a candidate in it")
            row = _same(session, owner_id, wanted)
            if row is None:
                _leave_room(session, owner_id)
                row = ShareRow(
                    owner_id=owner_id,
                    attempt_id=wanted.attempt_id,
                    interview_id=wanted.interview_id,
                    cohort_id=wanted.cohort_id,
                    with_audio=wanted.with_audio,
                    created_at=now,
                )
                session.add(row)
                try:
                    session.flush()
                except IntegrityError:  # deleted since we looked (PostgreSQL)
                    raise NotFoundError(
                        "the answer that you are sharing no longer exists"
                    ) from None
                audit(session, now, owner_id, "share.add", f"share {row.id}")
            elif row.with_audio != wanted.with_audio:
                row.with_audio = wanted.with_audio
                session.flush()
                audit(session, now, owner_id, "share.change", f"share {row.id}")
            dropped = settle(session, now, owner_id)
            shared = _shared(session, [row])[0]
        if dropped:
            self._database.forget()
        return shared

    def revoke(self, owner_id: int, share_id: int) -> None:
        """Revokes a share: its links end, and recordings that no other share shows are deleted.

        Raises:
            NotFoundError: the owner has no such share.
        """
        now = self._clock()
        with self._database.write() as session:
            self._database.alone(session, f"shares of {owner_id}")
            row = share_row(session, owner_id, share_id)
            row.revoked_at = now
            session.flush()
            dropped = settle(session, now, owner_id)
            audit(session, now, owner_id, "share.revoke", f"share {share_id}")
        if dropped:
            self._database.forget()

    def of_attempt(self, owner_id: int, attempt_id: int) -> Sharing:
        """What its owner shows of one attempt, alone and with its interview.

        Raises:
            NotFoundError: the owner has no such attempt.
        """
        now = self._clock()
        with self._database.read() as session:
            attempt = attempt_row(session, owner_id, attempt_id)
            whole = ShareRow.attempt_id == attempt_id
            if attempt.interview_id is not None:
                whole = or_(whole, ShareRow.interview_id == attempt.interview_id)
            rows = session.scalars(
                select(ShareRow)
                .where(ShareRow.owner_id == owner_id, ShareRow.revoked_at.is_(None), whole)
                .order_by(ShareRow.id)
            )
            shares = _shared(session, rows)
            recording = info_of(session, attempt_id, now)
            with_audio = any(each.with_audio for each in shares)
            return Sharing(
                attempt_id=attempt_id,
                interview_id=attempt.interview_id,
                shares=shares,
                cohorts=cohorts_open_to(session, owner_id),
                recording=recording,
                preparing=preparing_of(session, attempt_id) if with_audio else None,
                wants_audio=with_audio
                and recording is None
                and not is_under_way(session, attempt_id),
            )

    def all(self, owner_id: int) -> tuple[Shared, ...]:
        """Everything that the owner shows now, the latest first."""
        with self._database.read() as session:
            rows = session.scalars(
                select(ShareRow)
                .where(ShareRow.owner_id == owner_id, ShareRow.revoked_at.is_(None))
                .order_by(ShareRow.id.desc())
            )
            return _shared(session, rows)


def _check_object(session: Session, owner_id: int, wanted: ShareRequest) -> None:
    """Refuses what is not theirs; records which answers make up the interview."""
    if wanted.attempt_id is not None:
        attempt_row(session, owner_id, wanted.attempt_id)
        return
    for attempt_id in wanted.attempt_ids:
        row = attempt_row(session, owner_id, attempt_id)
        if row.interview_id not in (None, wanted.interview_id):
            raise ConflictError(f"attempt {attempt_id} belongs to another interview")
    if wanted.attempt_ids:
        session.execute(
            update(AttemptRow)
            .where(AttemptRow.id.in_(wanted.attempt_ids), AttemptRow.owner_id == owner_id)
            .values(interview_id=wanted.interview_id)
        )
    has_one = session.scalar(
        select(func.count())
        .select_from(AttemptRow)
        .where(AttemptRow.owner_id == owner_id, AttemptRow.interview_id == wanted.interview_id)
    )
    if not has_one:
        raise NotFoundError(
            "the server has no answer of this interview; name them with the interview"
        )


def _same(session: Session, owner_id: int, wanted: ShareRequest) -> ShareRow | None:
    if wanted.cohort_id is None:
        return None  # each share by link has its own links and ends separately
    return session.scalar(
        select(ShareRow).where(
            ShareRow.owner_id == owner_id,
            ShareRow.attempt_id == wanted.attempt_id,
            ShareRow.interview_id == wanted.interview_id,
            ShareRow.cohort_id == wanted.cohort_id,
            ShareRow.revoked_at.is_(None),
        )
    )


def _leave_room(session: Session, owner_id: int) -> None:
    valid = select(func.count()).where(ShareRow.owner_id == owner_id, ShareRow.revoked_at.is_(None))
    if (session.scalar(valid) or 0) >= MAX_SHARES:
        raise ConflictError(f"you already have {MAX_SHARES:,} shares; revoke some first")


def _shared(session: Session, rows: Iterable[ShareRow]) -> tuple[Shared, ...]:
    found = list(rows)
    cohorts = {each.cohort_id for each in found if each.cohort_id is not None}
    names: dict[int, str] = {
        row[0]: row[1]
        for row in session.execute(
            select(CohortRow.id, CohortRow.name).where(CohortRow.id.in_(cohorts))
        )
    }
    links = links_of(session, [each.id for each in found])
    return tuple(
        Shared(
            id=each.id,
            attempt_id=each.attempt_id,
            interview_id=each.interview_id,
            cohort_id=each.cohort_id,
            cohort=names.get(each.cohort_id) if each.cohort_id is not None else None,
            with_audio=each.with_audio,
            created_at=each.created_at,
            links=links.get(each.id, ()),
        )
        for each in found
    )


class SharingService:
    """The use cases of sharing. Safe to use from several threads and processes.

    Attributes:
        shares: what owners share.
        links: access without an account.
        recordings: the recordings that shares ask for.
    """

    def __init__(self, database: Database, clock: Callable[[], datetime] = utc_now) -> None:
        self.shares = ShareService(database, clock)
        self.links = LinkService(database, clock)
        self.recordings = RecordingService(database, clock)
