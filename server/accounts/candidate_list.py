"""Candidates from a list: many accounts with their invitations, all of them or none."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy.exc import IntegrityError

from server.accounts.models import Invitation
from server.accounts.service import AccountService, clean_display_name, clean_name
from server.core.errors import ConflictError, InvalidInputError
from server.db.database import audit
from server.db.tables import AccountRow, CohortMemberRow

MOST_CANDIDATES: Final = 300
"""On one list."""

_SEPARATORS: Final = "\t;,"
_TITLES: Final = frozenset({"name", "sign-in name", "user", "username", "email", "e-mail"})


@dataclass(frozen=True)
class ListedCandidate:
    """One line of a list.

    Attributes:
        line: its number, from 1.
        name: the sign-in name; as typed, if it is not a valid one.
        display_name: how others see them.
        has_account: there is already an account with this name, which stays as it is.
        fault: what is wrong with the line; empty: nothing.
    """

    line: int
    name: str
    display_name: str
    has_account: bool = False
    fault: str = ""


def read_list(accounts: AccountService, text: str) -> tuple[ListedCandidate, ...]:
    """The candidates on a list, one per line, with a sign-in name and optionally a display name.

    Args:
        accounts: the existing accounts.
        text: CSV, separated by tab, semicolon or comma, whichever comes first; empty lines and a
            first line of titles do not count.

    Raises:
        InvalidInputError: the list is empty or too long, or is not CSV.
    """
    text = text.lstrip("\ufeff")
    separator = next((each for each in text.partition("\n")[0] if each in _SEPARATORS), ",")
    reader = csv.reader(text.splitlines(), delimiter=separator, skipinitialspace=True, strict=True)
    found: list[ListedCandidate] = []
    known = {each.name for each in accounts.all()}
    listed: set[str] = set()
    try:
        for cells in reader:
            filled = [" ".join(cell.split()) for cell in cells]
            is_title = not found and bool(filled) and filled[0].casefold() in _TITLES
            if not any(filled) or is_title:
                continue
            found.append(_candidate(reader.line_num, filled, known, listed))
            listed.add(found[-1].name)
            if len(found) > MOST_CANDIDATES:
                raise InvalidInputError(
                    f"a list has at most {MOST_CANDIDATES} people; split this one"
                )
    except csv.Error as error:
        raise InvalidInputError(f"line {reader.line_num} is not CSV: {error}") from None
    if not found:
        raise InvalidInputError("the list is empty")
    return tuple(found)


def _candidate(
    line: int, cells: Sequence[str], known: set[str], listed: set[str]
) -> ListedCandidate:
    name, shown = cells[0], (cells[1] if len(cells) > 1 else "") or cells[0]
    try:
        if any(cells[2:]):
            raise InvalidInputError("the line has more than two columns")
        cleaned, display_name = clean_name(name), clean_display_name(shown)
        if cleaned in listed:
            raise InvalidInputError("this name is already on the list")
    except InvalidInputError as error:
        return ListedCandidate(line, name, shown, fault=str(error))
    return ListedCandidate(line, cleaned, display_name, has_account=cleaned in known)


def invite_all(
    accounts: AccountService,
    candidates: Sequence[ListedCandidate],
    *,
    cohort_id: int | None = None,
    by: int | None = None,
) -> tuple[Invitation, ...]:
    """Makes an account and an invitation for each candidate who has no account.

    Args:
        accounts: the accounts.
        candidates: from ``read_list``.
        cohort_id: the cohort that the new ones join.
        by: who does it.

    Raises:
        InvalidInputError: a line has a fault.
        NotFoundError: there is no such cohort.
        ConflictError: one of the names was taken in the meantime; nobody is invited.
    """
    if any(each.fault for each in candidates):
        raise InvalidInputError("correct the marked lines first; nobody was invited")
    if cohort_id is not None:
        accounts.cohorts.get(cohort_id)
    now = accounts.now()
    invited: list[Invitation] = []
    try:
        with accounts.database.write() as session:
            for each in candidates:
                if each.has_account:
                    continue
                row = AccountRow(
                    name=each.name,
                    display_name=each.display_name,
                    role="candidate",
                    created_at=now,
                    session_epoch=0,
                )
                session.add(row)
                session.flush()
                audit(session, now, by, "account.add.candidate", f"account {row.id}")
                if cohort_id is not None:
                    session.add(
                        CohortMemberRow(cohort_id=cohort_id, account_id=row.id, as_role="candidate")
                    )
                    what = f"account {row.id} in cohort {cohort_id}"
                    audit(session, now, by, "cohort.assign.candidate", what)
                invited.append(accounts.invitations.add(session, row, by=by))
    except IntegrityError:
        raise ConflictError(
            "one of the names was taken in the meantime; nobody was invited"
        ) from None
    return tuple(invited)
