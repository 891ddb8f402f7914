"""Recordings on the server: only while a share asks for them, and no longer than agreed."""

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import delete, func, or_, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from server.errors import ConflictError, NotFoundError
from server.review_contract import Recording, ShareCohort
from server.sharing.encoding import encoded_anew
from server.sharing.rows import attempt_row
from server.store.audit import note
from server.store.database import Database
from server.store.models import AttemptRow
from server.store.tables_accounts import CohortMemberRow, CohortRow
from server.store.tables_sharing import RecordingRow, ShareLinkRow, ShareRow

__all__ = ["RecordingService", "Sound", "cohorts_open_to", "info_of", "settle"]

SWEEP_EVERY_S: Final = 300.0
"""Recordings are kept for days."""


@dataclass(frozen=True)
class Sound:
    """A recording to be heard."""

    media_type: str
    content: bytes
    sha256: str


class RecordingService:
    """Recordings over a database. Who may hear one is asked before."""

    def __init__(self, database: Database, clock: Callable[[], datetime]) -> None:
        self._database = database
        self._clock = clock
        self._sweep_at_s = float("-inf")

    def put(self, owner_id: int, attempt_id: int, content: bytes) -> Recording:
        """Keeps the recording of an attempt, encoded anew, in the place of an earlier one.

        Raises:
            NotFoundError: the owner has no such attempt.
            ConflictError: no share "with audio" asks for it.
            InvalidInputError: it is no FLAC or Opus, or too long.
        """
        with self._database.read() as session:  # before the work of decoding
            attempt_row(session, owner_id, attempt_id)
            _demand_wanted(session, self._clock(), attempt_id)
        sound = encoded_anew(content)
        now = self._clock()
        row = RecordingRow(
            attempt_id=attempt_id,
            owner_id=owner_id,
            media_type=sound.media_type,
            duration_s=sound.duration_s,
            content=sound.content,
            sha256=hashlib.sha256(sound.content).hexdigest(),
            uploaded_at=now,
            expires_at=None,
        )
        try:
            with self._database.write() as session:
                self._database.alone(session, f"shares of {owner_id}")
                attempt_row(session, owner_id, attempt_id)
                _demand_wanted(session, now, attempt_id)
                session.execute(delete(RecordingRow).where(RecordingRow.attempt_id == attempt_id))
                session.add(row)
                session.flush()
                settle(session, now, owner_id)
                note(session, now, owner_id, "recording.add", f"attempt {attempt_id}")
                info = info_of(session, attempt_id, now)
        except IntegrityError:  # the attempt was deleted in the meantime (PostgreSQL)
            raise NotFoundError(f"there is no attempt {attempt_id}") from None
        if info is None:
            raise ConflictError(_NOT_WANTED)
        return info

    def get(self, attempt_id: int) -> Sound:
        """The recording of an attempt.

        Raises:
            NotFoundError: there is none (any more).
        """
        now = self._clock()
        with self._database.read() as session:
            row = session.get(RecordingRow, attempt_id)
            if row is None or _is_over(row.expires_at, now):
                raise NotFoundError("there is no recording of this answer here")
            return Sound(row.media_type, row.content, row.sha256)

    def info(self, attempt_id: int) -> Recording | None:
        """What is known of a recording without loading it; ``None``: there is none."""
        with self._database.read() as session:
            return info_of(session, attempt_id, self._clock())

    def delete(self, owner_id: int, attempt_id: int) -> None:
        """Deletes the recording of an attempt for good; the shares stay.

        Raises:
            NotFoundError: the owner has no such attempt, or it has no recording here.
        """
        with self._database.write() as session:
            attempt_row(session, owner_id, attempt_id)
            row = session.get(RecordingRow, attempt_id)
            if row is None:
                raise NotFoundError("there is no recording of this answer here")
            session.delete(row)
            note(session, self._clock(), owner_id, "recording.delete", f"attempt {attempt_id}")
        self._database.forget()

    def sweep_when_due(self) -> None:
        """Does ``sweep`` now and then; for a worker's upkeep, which comes by more often."""
        now_s = time.monotonic()
        if now_s >= self._sweep_at_s:
            self._sweep_at_s = now_s + SWEEP_EVERY_S
            self.sweep()

    def sweep(self) -> int:
        """Deletes what no share asks for any more and what is older than agreed; how many.

        What is over is not handed out before that either.
        """
        with self._database.read() as session:
            if session.scalar(select(func.count()).select_from(RecordingRow)) == 0:
                return 0
        with self._database.write() as session:
            dropped = settle(session, self._clock())
        if dropped:
            self._database.forget()
        return dropped


_NOT_WANTED = "no share of this answer asks for its recording: share it with audio first"


def settle(session: Session, now: datetime, owner_id: int | None = None) -> int:
    """Deletes recordings whose sharing or time has ended and dates the others; how many went.

    Args:
        session: a transaction.
        now: the time.
        owner_id: only this owner's; ``None``: everybody's.
    """
    chosen = select(RecordingRow.attempt_id, RecordingRow.uploaded_at, RecordingRow.expires_at)
    if owner_id is not None:
        chosen = chosen.where(RecordingRow.owner_id == owner_id)
    dropped = 0
    for attempt_id, uploaded_at, expires_at in session.execute(chosen).all():
        audio_days = _asked_for(session, now, attempt_id)
        limits = [days for days in audio_days if days is not None]
        # the shortest of the times that were agreed: none of the cohorts is to keep it longer
        end = uploaded_at + timedelta(days=min(limits)) if limits else None
        row = session.get(RecordingRow, attempt_id)
        if row is None:
            continue
        if not audio_days or _is_over(end, now):
            session.delete(row)
            dropped += 1
        elif end != expires_at:
            row.expires_at = end
    session.flush()
    return dropped


def info_of(session: Session, attempt_id: int, now: datetime) -> Recording | None:
    """What is known of a recording, without its sound."""
    row = session.get(RecordingRow, attempt_id)
    if row is None or _is_over(row.expires_at, now):
        return None
    size = select(func.length(RecordingRow.content)).where(RecordingRow.attempt_id == attempt_id)
    return Recording.model_validate(
        {
            "attempt_id": attempt_id,
            "media_type": row.media_type,
            "duration_s": row.duration_s,
            "size_bytes": session.scalar(size) or 0,
            "uploaded_at": row.uploaded_at,
            "expires_at": row.expires_at,
        }
    )


def cohorts_open_to(session: Session, owner_id: int) -> tuple[ShareCohort, ...]:
    """The cohorts that somebody is a candidate of, by name."""
    rows = session.execute(
        select(CohortRow.id, CohortRow.name, CohortRow.audio_days)
        .join(CohortMemberRow, CohortMemberRow.cohort_id == CohortRow.id)
        .where(CohortMemberRow.account_id == owner_id, CohortMemberRow.as_role == "candidate")
        .order_by(CohortRow.name)
    )
    return tuple(ShareCohort(id=row[0], name=row[1], audio_days=row[2]) for row in rows)


def _is_over(end: datetime | None, now: datetime) -> bool:
    return end is not None and end <= now


def _demand_wanted(session: Session, now: datetime, attempt_id: int) -> None:
    if not _asked_for(session, now, attempt_id):
        raise ConflictError(_NOT_WANTED)


def _asked_for(session: Session, now: datetime, attempt_id: int) -> list[int | None]:
    """The days agreed with each valid share that asks for this recording; empty: none asks.

    A share with a cohort ends when its owner leaves the cohort; one by links, with its last link.
    """
    shares = (
        select(CohortRow.audio_days)
        .select_from(ShareRow)
        .join(
            AttemptRow,
            or_(
                ShareRow.attempt_id == AttemptRow.id,
                ShareRow.interview_id == AttemptRow.interview_id,
            ),
        )
        .where(
            AttemptRow.id == attempt_id,
            ShareRow.owner_id == AttemptRow.owner_id,
            ShareRow.revoked_at.is_(None),
            ShareRow.with_audio,
        )
    )
    with_cohorts = (
        shares.join(CohortRow, CohortRow.id == ShareRow.cohort_id)
        .join(
            CohortMemberRow,
            (CohortMemberRow.cohort_id == CohortRow.id)
            & (CohortMemberRow.account_id == AttemptRow.owner_id),
        )
        .where(CohortMemberRow.as_role == "candidate")
    )
    by_links = shares.join(CohortRow, CohortRow.id == ShareRow.cohort_id, isouter=True).where(
        select(ShareLinkRow.id)
        .where(
            ShareLinkRow.share_id == ShareRow.id,
            ShareLinkRow.revoked_at.is_(None),
            ShareLinkRow.expires_at > now,
        )
        .exists()
    )
    return [*session.scalars(with_cohorts), *session.scalars(by_links)]
