"""Reading and writing the versions of a program's bank; every method is one transaction."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Select, func, select, update
from sqlalchemy.exc import IntegrityError

from server.core.errors import ConflictError, NotFoundError
from server.db.database import Database, audit
from server.db.tables import AccountRow, AuditRow, BankVersionRow

_MAX_NUMBER = 2**31 - 1
_ACTIVATE = "bank.activate"
_VERSION, _NO_VERSION = "bank version ", "no bank version"
_LISTED_ACTIVATIONS = 20


@dataclass(frozen=True)
class BankVersion:
    """One version, without its text. ``author``: as others see them; empty without an account."""

    number: int
    note: str
    author: str
    created_at: datetime
    active: bool


@dataclass(frozen=True)
class BankVersionText:
    """One version with its text."""

    version: BankVersion
    yaml: str
    lexicon_yaml: str


@dataclass(frozen=True)
class Activation:
    """When somebody put a version into use, or took all out of it (``number`` is ``None``).

    ``by``: as others see them; empty without an account.
    """

    number: int | None
    by: str
    at: datetime


class BankVersionStore:
    """Versions are only ever added; at most one is active."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def listed(self) -> list[BankVersion]:
        """All versions, newest first."""
        with self._database.read() as session:
            rows = session.execute(_select().order_by(BankVersionRow.number.desc())).all()
        return [BankVersion(*row) for row in rows]

    def get(self, number: int) -> BankVersionText:
        """One version.

        Raises:
            NotFoundError: there is no version with this number.
        """
        found = self._one(BankVersionRow.number == min(number, _MAX_NUMBER))
        if found is None:
            raise NotFoundError(f"the bank has no version {number}")
        return found

    def active(self) -> BankVersionText | None:
        """The version in use; ``None``: none is."""
        return self._one(BankVersionRow.active.is_(True))

    def active_number(self) -> int | None:
        with self._database.read() as session:
            return session.scalar(
                select(BankVersionRow.number).where(BankVersionRow.active.is_(True))
            )

    def activations(self) -> list[Activation]:
        """The last ones by the audit log, newest first."""
        wanted = (
            select(AuditRow.object, func.coalesce(AccountRow.display_name, ""), AuditRow.at)
            .join(AccountRow, AccountRow.id == AuditRow.actor_id, isouter=True)
            .where(AuditRow.action == _ACTIVATE)
            .order_by(AuditRow.id.desc())
            .limit(_LISTED_ACTIVATIONS)
        )
        with self._database.read() as session:
            rows = session.execute(wanted).all()
        return [
            Activation(None if what == _NO_VERSION else int(what.removeprefix(_VERSION)), by, at)
            for what, by, at in rows
        ]

    def latest_number(self) -> int:
        """The number of the newest version; 0: there is none."""
        with self._database.read() as session:
            return session.scalar(select(func.max(BankVersionRow.number))) or 0

    def add(
        self,
        yaml: str,
        lexicon_yaml: str,
        *,
        note: str,
        author_id: int | None,
        created_at: datetime,
        after: int | None = None,
    ) -> int:
        """Stores a new version, which is not yet active; returns its number.

        Raises:
            NotFoundError: the author's account no longer exists.
            ConflictError: ``after`` is not the newest version's number.
        """
        try:
            with self._database.write() as session:
                self._database.alone(session, "bank versions")
                number = (session.scalar(select(func.max(BankVersionRow.number))) or 0) + 1
                if after is not None and number != after + 1:
                    raise ConflictError(f"version {number - 1} of the bank was stored meanwhile")
                session.add(
                    BankVersionRow(
                        number=number,
                        yaml=yaml,
                        lexicon_yaml=lexicon_yaml,
                        note=note,
                        author_id=author_id,
                        created_at=created_at,
                        active=False,
                    )
                )
                audit(session, created_at, author_id, "bank.add", f"{_VERSION}{number}")
        except IntegrityError:
            raise NotFoundError("the account of the author no longer exists") from None
        return number

    def activate(self, number: int | None, by: int | None, now: datetime) -> None:
        """Makes this the version in use, or none.

        Args:
            number: the version's; ``None``: none is in use from now on.
            by: the account that does it.
            now: the time.

        Raises:
            NotFoundError: there is no version with this number.
        """
        with self._database.write() as session:
            self._database.alone(session, "bank versions")
            if number is not None:
                wanted = BankVersionRow.number == min(number, _MAX_NUMBER)
                if session.scalar(select(BankVersionRow.id).where(wanted)) is None:
                    raise NotFoundError(f"the bank has no version {number}")
            session.execute(update(BankVersionRow).values(active=False))
            if number is not None:
                session.execute(
                    update(BankVersionRow)
                    .where(BankVersionRow.number == number)
                    .values(active=True)
                )
            what = _NO_VERSION if number is None else f"{_VERSION}{number}"
            audit(session, now, by, _ACTIVATE, what)

    def _one(self, condition: object) -> BankVersionText | None:
        wanted = _select().add_columns(BankVersionRow.yaml, BankVersionRow.lexicon_yaml)
        with self._database.read() as session:
            row = session.execute(wanted.where(condition)).first()  # type: ignore[arg-type]
        if row is None:
            return None
        *about, yaml, lexicon_yaml = row
        return BankVersionText(BankVersion(*about), yaml, lexicon_yaml)


def _select() -> Select[int, str, str, datetime, bool]:
    return select(
        BankVersionRow.number,
        BankVersionRow.note,
        func.coalesce(AccountRow.display_name, ""),
        BankVersionRow.created_at,
        BankVersionRow.active,
    ).join(AccountRow, AccountRow.id == BankVersionRow.author_id, isouter=True)
