"""Cohorts: which candidates belong to which coaches."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, cast

from sqlalchemy import bindparam, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from server.accounts.models import Cohort, Member, account_of
from server.core.errors import ConflictError, InvalidInputError, NotFoundError
from server.db.database import MAX_ID, UseCases, audit, row_of
from server.db.tables import AccountRow, CohortMemberRow, CohortRow

MAX_AUDIO_DAYS: Final = 3650


_COACHED: Final = select(CohortMemberRow.cohort_id).where(
    CohortMemberRow.account_id == bindparam("account"), CohortMemberRow.as_role == "coach"
)


def coached_by(session: Session, account_id: int) -> frozenset[int]:
    """The ids of the cohorts that an account is a coach of."""
    return frozenset(session.scalars(_COACHED, {"account": account_id}))


@dataclass(frozen=True)
class Membership:
    """What an account is in a cohort now, and what it was before; ``None``: it was not in it."""

    as_role: str
    before: str | None


class CohortService(UseCases):
    """Cohorts over a database."""

    def add(self, name: str, *, audio_days: int | None = None, by: int | None = None) -> Cohort:
        """Makes a cohort without members.

        Raises:
            ConflictError: the name is taken.
            InvalidInputError: the name or the number of days is not valid.
        """
        row = CohortRow(
            name=_name(name), created_at=self._clock(), audio_days=_days(audio_days), rubric=None
        )
        try:
            with self._database.write() as session:
                session.add(row)
                session.flush()
                audit(session, row.created_at, by, "cohort.add", f"cohort {row.id}")
        except IntegrityError:
            raise ConflictError(f"there is a cohort {row.name!r} already") from None
        return Cohort(row.id, row.name, row.created_at, row.audio_days, ())

    def change(
        self, cohort_id: int, *, name: str, audio_days: int | None, by: int | None = None
    ) -> None:
        """Changes the name of a cohort, or how long its recordings are kept."""
        try:
            with self._database.write() as session:
                row = row_of(session, CohortRow, cohort_id)
                row.name, row.audio_days = _name(name), _days(audio_days)
                audit(session, self._clock(), by, "cohort.change", f"cohort {cohort_id}")
        except IntegrityError:
            raise ConflictError(f"there is a cohort {name!r} already") from None

    def delete(self, cohort_id: int, *, by: int | None = None) -> None:
        """Deletes a cohort; its members stay, but what they shared with it is no longer shared.

        Raises:
            NotFoundError: there is no such cohort.
        """
        with self._database.write() as session:
            session.delete(row_of(session, CohortRow, cohort_id))
            audit(session, self._clock(), by, "cohort.delete", f"cohort {cohort_id}")

    def all(self) -> tuple[Cohort, ...]:
        """All cohorts with their members, by name."""
        with self._database.read() as session:
            return self._with_members(session, session.scalars(select(CohortRow)))

    def of(self, account_id: int) -> tuple[Cohort, ...]:
        """The cohorts that an account is in, as candidate or coach, by name."""
        mine = select(CohortMemberRow.cohort_id).where(CohortMemberRow.account_id == account_id)
        with self._database.read() as session:
            rows = session.scalars(select(CohortRow).where(CohortRow.id.in_(mine)))
            return self._with_members(session, rows)

    def get(self, cohort_id: int) -> Cohort:
        """One cohort with its members.

        Raises:
            NotFoundError: there is no such cohort.
        """
        with self._database.read() as session:
            return self._with_members(session, [row_of(session, CohortRow, cohort_id)])[0]

    def named(self, name: str) -> Cohort:
        """The cohort of that name.

        Raises:
            NotFoundError: there is none.
        """
        with self._database.read() as session:
            row = session.scalar(select(CohortRow).where(CohortRow.name == name.strip()))
            if row is None:
                raise NotFoundError(f"there is no cohort {name!r}")
            return self._with_members(session, [row])[0]

    def assign(
        self, cohort_id: int, account_id: int, as_role: str | None = None, *, by: int | None = None
    ) -> Membership:
        """Adds an account to a cohort, or changes its role in it.

        Args:
            cohort_id: the cohort.
            account_id: the account.
            as_role: candidate or coach; ``None``: what the account is in it already, or its own
                role, so that nobody becomes a candidate of those whom they coach by an oversight.
            by: who does it.

        Raises:
            NotFoundError: there is no such cohort or account.
            InvalidInputError: a candidate cannot be its coach.
        """
        if as_role not in ("candidate", "coach", None):
            raise InvalidInputError(f"a cohort has candidates and coaches, not {as_role!r}")
        try:
            with self._database.write() as session:
                row_of(session, CohortRow, cohort_id)
                account = row_of(session, AccountRow, account_id)
                member = session.get(CohortMemberRow, (cohort_id, account_id))
                before = None if member is None else member.as_role
                if as_role is None:
                    as_role = before or ("candidate" if account.role == "candidate" else "coach")
                if as_role == "coach" and account.role == "candidate":
                    raise InvalidInputError(
                        f"{account.name} is a candidate; give the account the role coach first"
                    )
                if member is None:
                    member = CohortMemberRow(cohort_id=cohort_id, account_id=account_id)
                    session.add(member)
                member.as_role = as_role
                what = f"account {account_id} in cohort {cohort_id}"
                audit(session, self._clock(), by, f"cohort.assign.{as_role}", what)
        except IntegrityError:  # another process was faster (PostgreSQL)
            return self.assign(cohort_id, account_id, as_role, by=by)
        return Membership(as_role, before)

    def unassign(self, cohort_id: int, account_id: int, *, by: int | None = None) -> None:
        """Removes an account from a cohort.

        Raises:
            NotFoundError: it is not a member.
        """
        with self._database.write() as session:
            known = 0 < cohort_id <= MAX_ID and 0 < account_id <= MAX_ID
            member = session.get(CohortMemberRow, (cohort_id, account_id)) if known else None
            if member is None:
                raise NotFoundError(f"the account {account_id} is not in the cohort {cohort_id}")
            session.delete(member)
            what = f"account {account_id} in cohort {cohort_id}"
            audit(session, self._clock(), by, "cohort.unassign", what)

    def _with_members(self, session: Session, rows: Iterable[CohortRow]) -> tuple[Cohort, ...]:
        cohorts = sorted(rows, key=lambda row: row.name.casefold())
        members: dict[int, list[Member]] = {row.id: [] for row in cohorts}
        query = (
            select(CohortMemberRow, AccountRow)
            .join(AccountRow, AccountRow.id == CohortMemberRow.account_id)
            .where(CohortMemberRow.cohort_id.in_(members))
            .order_by(AccountRow.name)
        )
        for member, account in session.execute(query):
            as_role = cast("Member", member).as_role
            members[member.cohort_id].append(Member(account_of(account), as_role))
        return tuple(
            Cohort(row.id, row.name, row.created_at, row.audio_days, tuple(members[row.id]))
            for row in cohorts
        )


def _name(name: str) -> str:
    cleaned = " ".join(name.split())
    if not 1 <= len(cleaned) <= 80 or not cleaned.isprintable():
        raise InvalidInputError("a cohort's name has 1 to 80 printable characters")
    return cleaned


def _days(audio_days: int | None) -> int | None:
    if audio_days is not None and not 1 <= audio_days <= MAX_AUDIO_DAYS:
        raise InvalidInputError(f"recordings are kept for 1 to {MAX_AUDIO_DAYS:,} days")
    return audio_days
