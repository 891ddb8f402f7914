"""Finds an owner's rows by id; other people's rows are not found."""

from sqlalchemy.orm import Session

from server.core.errors import NotFoundError
from server.db.database import MAX_ID
from server.db.tables import AttemptRow, ShareRow


def share_row(session: Session, owner_id: int, share_id: int) -> ShareRow:
    """A share of this owner that is not revoked.

    Raises:
        NotFoundError: there is none.
    """
    row = session.get(ShareRow, share_id) if 0 < share_id <= MAX_ID else None
    if row is None or row.owner_id != owner_id or row.revoked_at is not None:
        raise NotFoundError(f"there is no share {share_id}")
    return row


def attempt_row(session: Session, owner_id: int, attempt_id: int) -> AttemptRow:
    """An attempt of this owner.

    Raises:
        NotFoundError: there is none.
    """
    row = session.get(AttemptRow, attempt_id) if 0 < attempt_id <= MAX_ID else None
    if row is None or row.owner_id != owner_id:
        raise NotFoundError(f"there is no attempt {attempt_id}")
    return row
