"""Links for coaches without an account: unguessable, expiring, revocable."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session

from server.accounts.credentials import digest, new_secret
from server.contract import LinkRequest, NewShareLink, ShareLink
from server.core.errors import ConflictError, NotFoundError, StoreError
from server.db.database import MAX_ID, UseCases, audit
from server.db.tables import AccountRow, AttemptRow, ShareLinkRow, ShareRow
from server.sharing.recordings import settle
from server.sharing.shown import share_row

MAX_LINKS: Final = 50
"""The most links of one share, including those that have ended."""

_NOTE_USE_EVERY: Final = timedelta(minutes=1)
"""Not every request writes: "last used" is for people."""

_GONE: Final = "this link is not valid (any more); ask who sent it for a new one"


@dataclass(frozen=True)
class GuestAttempt:
    """One attempt that a link shows."""

    id: int
    question: str
    created_at: datetime


@dataclass(frozen=True)
class Guest:
    """Somebody who opened a valid link.

    Attributes:
        link_id: the link.
        owner_id: the owner of the answers.
        owner_name: the name that others see.
        with_audio: whether recordings may be heard.
        attempts: what it shows, in the order of answering.
        expires_at: when the link ends.
    """

    link_id: int
    owner_id: int
    owner_name: str
    with_audio: bool
    attempts: tuple[GuestAttempt, ...]
    expires_at: datetime

    def demand(self, attempt_id: int) -> None:
        """Refuses an attempt that the link does not show.

        Raises:
            NotFoundError: it does not.
        """
        if all(each.id != attempt_id for each in self.attempts):
            raise NotFoundError("this link does not show that answer")


class LinkService(UseCases):
    """Links over a database."""

    def add(self, owner_id: int, share_id: int, wanted: LinkRequest) -> NewShareLink:
        """A new link to a share of this owner.

        Raises:
            NotFoundError: the owner has no such share.
            ConflictError: the share has too many links.
        """
        secret, now = new_secret(), self._clock()
        with self._database.write() as session:
            share_row(session, owner_id, share_id)
            there = select(func.count()).where(ShareLinkRow.share_id == share_id)
            if (session.scalar(there) or 0) >= MAX_LINKS:
                raise ConflictError(f"the share has had {MAX_LINKS} links; share it again")
            row = ShareLinkRow(
                share_id=share_id,
                token_hash=digest(secret),
                label=wanted.label,
                created_at=now,
                expires_at=now + timedelta(days=wanted.days),
            )
            session.add(row)
            session.flush()
            audit(session, now, owner_id, "link.add", f"link {row.id} of share {share_id}")
        return NewShareLink(link=_link(row), path=f"/s/{secret}")

    def revoke(self, owner_id: int, link_id: int) -> None:
        """Revokes this link.

        Raises:
            NotFoundError: the owner has no such link.
        """
        now = self._clock()
        with self._database.write() as session:
            self._database.alone(session, f"shares of {owner_id}")
            row = session.get(ShareLinkRow, link_id) if 0 < link_id <= MAX_ID else None
            share = session.get(ShareRow, row.share_id) if row is not None else None
            if row is None or share is None or share.owner_id != owner_id:
                raise NotFoundError(f"there is no link {link_id}")
            dropped = 0
            if row.revoked_at is None:
                row.revoked_at = now
                session.flush()
                dropped = settle(session, now, owner_id)
                audit(session, now, owner_id, "link.revoke", f"link {link_id}")
        if dropped:
            self._database.forget()

    def open(self, secret: str) -> Guest:
        """The guest with this secret; records the use.

        Raises:
            NotFoundError: the link is not valid, or shows nothing (any more).
        """
        now = self._clock()
        with self._database.read() as session:
            found = session.execute(
                select(ShareLinkRow, ShareRow, AccountRow.display_name)
                .join(ShareRow, ShareRow.id == ShareLinkRow.share_id)
                .join(AccountRow, AccountRow.id == ShareRow.owner_id)
                .where(
                    ShareLinkRow.token_hash == digest(secret),
                    ShareLinkRow.revoked_at.is_(None),
                    ShareLinkRow.expires_at > now,
                    ShareRow.revoked_at.is_(None),
                    AccountRow.disabled_at.is_(None),
                )
            ).first()
            if found is None:
                raise NotFoundError(_GONE)
            link, share, owner_name = found
            attempts = _shown_by(session, share)
            if not attempts or share.owner_id is None:
                raise NotFoundError(_GONE)
            guest = Guest(
                link_id=link.id,
                owner_id=share.owner_id,
                owner_name=owner_name,
                with_audio=share.with_audio,
                attempts=attempts,
                expires_at=link.expires_at,
            )
            used = link.last_used_at
        if used is None or now - used >= _NOTE_USE_EVERY:
            self._note_use(guest.link_id, now)
        return guest

    def _note_use(self, link_id: int, now: datetime) -> None:
        try:
            with self._database.write() as session:
                row = session.get(ShareLinkRow, link_id)
                if row is not None:
                    row.last_used_at = now
        except StoreError:  # busy: reading continues without recording the use
            return


def links_of(session: Session, share_ids: Sequence[int]) -> dict[int, tuple[ShareLink, ...]]:
    """The links of each of these shares, ended ones too."""
    rows = session.scalars(
        select(ShareLinkRow).where(ShareLinkRow.share_id.in_(share_ids)).order_by(ShareLinkRow.id)
    )
    links: dict[int, tuple[ShareLink, ...]] = {}
    for row in rows:
        links[row.share_id] = (*links.get(row.share_id, ()), _link(row))
    return links


def _shown_by(session: Session, share: ShareRow) -> tuple[GuestAttempt, ...]:
    chosen: ColumnElement[bool] = AttemptRow.id == share.attempt_id
    if share.interview_id is not None:
        chosen = AttemptRow.interview_id == share.interview_id
    rows = session.execute(
        select(AttemptRow.id, AttemptRow.question, AttemptRow.created_at)
        .where(chosen, AttemptRow.owner_id == share.owner_id)
        .order_by(AttemptRow.created_at, AttemptRow.id)
    )
    return tuple(
        GuestAttempt(id=row[0], question=str(row[1].get("prompt", "")), created_at=row[2])
        for row in rows
    )


def _link(row: ShareLinkRow) -> ShareLink:
    return ShareLink(
        id=row.id,
        label=row.label,
        created_at=row.created_at,
        expires_at=row.expires_at,
        revoked_at=row.revoked_at,
        last_used_at=row.last_used_at,
    )
