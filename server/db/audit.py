"""The audit log: who changed what; never a word of a transcript, never a secret."""

from datetime import datetime

from sqlalchemy.orm import Session

from server.db.tables import AuditRow


def note(session: Session, at: datetime, actor_id: int | None, action: str, subject: str) -> None:
    """Records an action in the transaction that performs it.

    Args:
        session: the transaction.
        at: when.
        actor_id: who; ``None``: the command line on the server's own machine, or a guest.
        action: e.g. ``account.disable``.
        subject: what it was done to, e.g. ``account 12``.
    """
    session.add(AuditRow(at=at, actor_id=actor_id, action=action[:80], object=subject[:200]))
