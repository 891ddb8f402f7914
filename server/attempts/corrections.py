"""What reviewers corrected in the verdicts of an attempt, read and imported."""

from collections.abc import Sequence
from hashlib import sha256

from sqlalchemy import select
from sqlalchemy.orm import Session

from server.contract import Correction
from server.db.tables import AccountRow, CorrectionRow

NOBODY = "somebody who has left"
"""The author of what has neither an account's name nor a typed one."""


def keep_corrections(session: Session, attempt_id: int, corrections: Sequence[Correction]) -> None:
    """Keeps the corrections that an archive brings for a new attempt, each once.

    Their author is a name in a file: it proves nothing.
    """
    kept: set[str] = set()
    for each in corrections:
        external_id = each.external_id
        if external_id in kept:
            continue
        kept.add(external_id)
        known = select(CorrectionRow.id).where(CorrectionRow.external_id == external_id)
        if session.scalar(known) is not None:
            # of the same answer of another owner: somebody who practiced without an account on this
            # server, and takes the answers along into one
            external_id = sha256(f"{external_id} {attempt_id}".encode()).hexdigest()[:32]
        session.add(
            CorrectionRow(
                attempt_id=attempt_id,
                guest_name=each.author,
                external_id=external_id,
                target=each.target,
                name=each.name,
                word_index=each.word_index,
                verdict=each.verdict,
                note=each.note,
                created_at=each.created_at,
            )
        )
    session.flush()


def corrections_of(session: Session, attempt_ids: Sequence[int]) -> dict[int, list[Correction]]:
    """The corrections of each of these attempts that has some, oldest first."""
    rows = session.execute(
        select(CorrectionRow, AccountRow.display_name)
        .join(AccountRow, AccountRow.id == CorrectionRow.author_id, isouter=True)
        .where(CorrectionRow.attempt_id.in_(attempt_ids))
        .order_by(CorrectionRow.created_at, CorrectionRow.id)
    )
    found: dict[int, list[Correction]] = {}
    for row, name in rows:
        found.setdefault(row.attempt_id, []).append(
            Correction(
                external_id=row.external_id,
                target=row.target,
                name=row.name,
                word_index=row.word_index,
                verdict=row.verdict,
                note=row.note,
                created_at=row.created_at,
                author=name or row.guest_name or NOBODY,
            )
        )
    return found
