"""Corrections that come with an archive. Who made them is a name in a file: it proves nothing."""

from collections.abc import Sequence
from hashlib import sha256

from sqlalchemy import select
from sqlalchemy.orm import Session

from server.contract import Correction
from server.db.tables import CorrectionRow

__all__ = ["keep_corrections"]


def keep_corrections(session: Session, attempt_id: int, corrections: Sequence[Correction]) -> None:
    """Keeps the corrections of an attempt that is new here, each once."""
    kept: set[str] = set()
    for each in corrections:
        external_id = each.external_id
        if external_id in kept:
            continue
        kept.add(external_id)
        known = select(CorrectionRow.id).where(CorrectionRow.external_id == external_id)
        if session.scalar(known) is not None:
            # of the same answer of another owner: whoever practised without an account on this
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
