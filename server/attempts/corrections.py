"""Corrected verdicts of an attempt: reading and importing them, and storing the candidate's own.

The candidate's own are answers to "Did you mean …?", "I did say it" with the words as the note, and
"I said it right" about a term. No column marks them; their author is the attempt's owner or,
without accounts, ``OWNER_NAME``.
"""

import secrets
from collections.abc import Sequence
from datetime import datetime
from hashlib import sha256
from typing import Final, Literal

from sqlalchemy import ColumnElement, and_, or_, select
from sqlalchemy.orm import Session

from server.contract import Correction, Transcript, word_places
from server.db.tables import AccountRow, AttemptRow, CommentRow, CorrectionRow

NOBODY: Final = "somebody who has left"
"""The author shown if there is neither an account nor a typed name."""
OWNER_NAME: Final = "you"
"""The name of the only user of a server without accounts."""

IS_BY_OWNER: Final[ColumnElement[bool]] = or_(
    and_(
        CorrectionRow.author_id.is_not(None),
        CorrectionRow.author_id.is_not_distinct_from(AttemptRow.owner_id),
    ),
    and_(
        CorrectionRow.author_id.is_(None),
        AttemptRow.owner_id.is_(None),
        CorrectionRow.guest_name.is_not_distinct_from(OWNER_NAME),
    ),
)
"""Whether a correction is the candidate's own; for statements that join the attempt."""


def put_own_answer(
    session: Session,
    attempt: AttemptRow,
    target: Literal["phrase", "term"],
    name: str,
    verdict: str | None,
    words: str,
    now: datetime,
) -> None:
    """Stores what the candidate says about a phrase or a term, replacing an earlier statement.

    Args:
        session: writes.
        attempt: the candidate's.
        target: what it is about.
        name: the key phrase or the term.
        verdict: a verdict on that target; ``None`` withdraws the answer.
        words: those that say the phrase, stored as the note; empty if the grader asked.
        now: the time of the answer.
    """
    found = session.scalars(
        select(CorrectionRow)
        .join(AttemptRow, AttemptRow.id == CorrectionRow.attempt_id)
        .where(
            CorrectionRow.attempt_id == attempt.id,
            CorrectionRow.target == target,
            CorrectionRow.name == name,
            IS_BY_OWNER,
        )
    ).all()
    for row in found:
        session.delete(row)
    if verdict is not None:
        session.add(
            CorrectionRow(
                attempt_id=attempt.id,
                **_owner(attempt.owner_id),
                external_id=secrets.token_hex(16),
                target=target,
                name=name,
                verdict=verdict,
                note=words,
                created_at=now,
            )
        )
    session.flush()


def _owner(owner_id: int | None) -> dict[str, int | str | None]:
    """The owner of an attempt, as author of a correction."""
    return {"author_id": owner_id, "guest_name": OWNER_NAME if owner_id is None else None}


def keep_corrections(
    session: Session, attempt: AttemptRow, corrections: Sequence[Correction]
) -> None:
    """Stores an archive's corrections of a new attempt, each once.

    Their author is only a name in a file, which proves nothing. The owner's own answers become
    those of the new attempt's owner, who imports the archive.
    """
    kept: set[str] = set()
    for each in corrections:
        external_id = each.external_id
        if external_id in kept:
            continue
        kept.add(external_id)
        known = select(CorrectionRow.id).where(CorrectionRow.external_id == external_id)
        if session.scalar(known) is not None:
            # for the same answer of another owner: somebody practiced on this server without an
            # account and now moves the answers into one
            external_id = sha256(f"{external_id} {attempt.id}".encode()).hexdigest()[:32]
        author = _owner(attempt.owner_id) if each.by_owner else {"guest_name": each.author}
        session.add(
            CorrectionRow(
                attempt_id=attempt.id,
                **author,
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
    """The corrections of each of these attempts that has any, oldest first."""
    rows = session.execute(
        select(CorrectionRow, AccountRow.display_name, IS_BY_OWNER)
        .join(AttemptRow, AttemptRow.id == CorrectionRow.attempt_id)
        .join(AccountRow, AccountRow.id == CorrectionRow.author_id, isouter=True)
        .where(CorrectionRow.attempt_id.in_(attempt_ids))
        .order_by(CorrectionRow.created_at, CorrectionRow.id)
    )
    found: dict[int, list[Correction]] = {}
    for row, name, by_owner in rows:
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
                by_owner=bool(by_owner),
            )
        )
    return found


def move_places(session: Session, attempt_id: int, before: Transcript, after: Transcript) -> None:
    """Moves comments on single words to the same words in another transcript."""
    comments = session.scalars(
        select(CommentRow).where(
            CommentRow.attempt_id == attempt_id, CommentRow.word_from.is_not(None)
        )
    ).all()
    corrections = session.scalars(
        select(CorrectionRow).where(
            CorrectionRow.attempt_id == attempt_id, CorrectionRow.word_index.is_not(None)
        )
    ).all()
    if not comments and not corrections:
        return
    places = word_places(before.tokens, after.tokens)
    for comment in comments:
        comment.word_from = _place(places, comment.word_from)
        comment.word_to = _place(places, comment.word_to)
    for correction in corrections:
        correction.word_index = _place(places, correction.word_index)


def _place(places: Sequence[int], index: int | None) -> int | None:
    return index if index is None or index >= len(places) else places[index]
