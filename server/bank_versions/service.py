"""The bank of a server: the built-in bank with the active version of the program's bank on top.

Versions are added, never changed. The database says which one is active, so that all processes of a
server grade with the same one; each process checks once a second.
"""

import difflib
import logging
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from pydantic import Field
from sqlalchemy import Select, func, select, update
from sqlalchemy.exc import IntegrityError

from pronunciation.terms import Lexicon, Term
from question_bank.models import Bank, Question
from server.attempts.grading_data import GradingData
from server.bank_versions.text import Draft, DraftError, Fault, read_draft
from server.contract import Wire
from server.core.errors import ConflictError, InvalidInputError, NotFoundError
from server.db.database import Database, audit
from server.db.tables import AccountRow, AuditRow, BankVersionRow
from server.jobs.job import Outcome, Task, Work

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


logger = logging.getLogger(__name__)

CHECK_BANK: Final = "bank-check"

CHECKED_AT_ONCE: Final = 8
"""Grading a model answer against all unrelated questions takes 0.3 s on one core; more questions
than this are checked in the background."""

LOOK_EVERY_S: Final = 1.0
MAX_NOTE_CHARS: Final = 500
MAX_DIFF_LINES: Final = 20_000
"""difflib's time grows with the square of the number of lines if all of them differ."""


class DraftOrder(Wire):
    """A version to be checked and stored in the background."""

    yaml: str
    lexicon_yaml: str
    note: str = Field(default="", max_length=MAX_NOTE_CHARS)


@dataclass(frozen=True)
class Changes:
    """How one version differs from another: ids and terms, and the texts line by line.

    Attributes:
        lines: as ``diff -u`` writes them; ``None``: the texts are too long to compare.
    """

    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    lines: tuple[str, ...] | None

    @property
    def is_empty(self) -> bool:
        return not (self.added or self.changed or self.removed or self.lines)


class ActiveGradingData(GradingData):
    """What a server grades with: the bank it was started with, with the active version on top."""

    def __init__(
        self,
        base: GradingData,
        store: BankVersionStore,
        *,
        look_every_s: float = LOOK_EVERY_S,
        clock_s: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(lambda: base.bank, lambda: base.lexicon, lambda: base.grader)
        self._base = base
        self._store = store
        self._look_every_s = look_every_s
        self._clock_s = clock_s
        self._lock = threading.Lock()
        self._look_at_s = float("-inf")
        self._loaded: tuple[int | None, Bank, Lexicon] | None = None
        self._problem: str | None = None

    @property
    def below(self) -> tuple[Bank, Lexicon]:
        """Bank and lexicon without a version of the program's own."""
        return self._base.bank, self._base.lexicon

    @property
    def bank(self) -> Bank:
        return self._now()[1]

    @property
    def lexicon(self) -> Lexicon:
        return self._now()[2]

    @property
    def problem(self) -> str | None:
        """Why the active version is not in use, if so; an upgrade can be the reason."""
        self._now()
        return self._problem

    def reload(self) -> None:
        """Reads bank and lexicon again; a broken one raises its error and changes nothing."""
        self._base.reload()
        self.look_again()

    def look_again(self) -> None:
        """Forgets what is active, so that the next use checks again."""
        with self._lock:
            self._loaded, self._look_at_s = None, float("-inf")

    def _now(self) -> tuple[int | None, Bank, Lexicon]:
        with self._lock:
            now_s = self._clock_s()
            if self._loaded is not None and now_s < self._look_at_s:
                return self._loaded
            number = self._store.active_number()
            if self._loaded is None or self._loaded[0] != number:
                self._loaded = self._load(number)
            self._look_at_s = now_s + self._look_every_s
            return self._loaded

    def _load(self, number: int | None) -> tuple[int | None, Bank, Lexicon]:
        bank, lexicon = self.below
        self._problem = None
        text = None if number is None else self._store.get(number)
        if text is None:
            return number, bank, lexicon
        try:
            draft = read_draft((bank, lexicon), text.yaml, text.lexicon_yaml)
        except DraftError as error:
            # It was valid when it was stored; since then, an upgrade or a file has changed the bank
            # below it. The server still starts, so that an editor can fix the version.
            first = error.faults[0].text
            self._problem = f"version {number} no longer fits this server's bank: {first}"
            logger.error("the active bank is not in use: %s", self._problem)
            return number, bank, lexicon
        return number, draft.bank, draft.lexicon


class BankVersions:
    """What a bank's editors do."""

    def __init__(
        self,
        database: Database,
        grading_data: GradingData,
        check_answers: Callable[[Draft, Callable[[int, int], None]], Iterable[Fault]],
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """Over the server's database, what the server was started with, and the check of drafts."""
        self.store = BankVersionStore(database)
        self._check_answers = check_answers
        self.grading_data = ActiveGradingData(grading_data, self.store)
        self._clock = clock

    def read(self, yaml: str, lexicon_yaml: str) -> Draft:
        """Both texts, with their form checked.

        Raises:
            DraftError: with every fault found.
        """
        return read_draft(self.grading_data.below, yaml, lexicon_yaml)

    def check(
        self, draft: Draft, progress: Callable[[int, int], None] = lambda done, total: None
    ) -> None:
        """Grades the draft's model answers.

        Raises:
            DraftError: with every fault found.
        """
        faults: list[Fault] = list(self._check_answers(draft, progress))
        if faults:
            raise DraftError(faults)

    def save(self, order: DraftOrder, author_id: int | None, after: int | None = None) -> int:
        """Stores what was read and checked as a new version; returns its number.

        The text of the newest version is not stored again.

        Args:
            order: the texts, with a note.
            author_id: the author's account.
            after: the number of the newest version that the text was made from; ``None``: any.

        Raises:
            NotFoundError: the author's account no longer exists.
            ConflictError: there is a newer version than ``after``.
        """
        latest = self.store.latest_number()
        if latest:
            newest = self.store.get(latest)
            if (newest.yaml, newest.lexicon_yaml) == (order.yaml, order.lexicon_yaml):
                return latest
        return self.store.add(
            order.yaml,
            order.lexicon_yaml,
            note=" ".join(order.note.split()),
            author_id=author_id,
            created_at=self._clock(),
            after=after,
        )

    def activate(self, number: int | None, by: int | None = None) -> None:
        """Makes this the version in use; ``None``: only what the server was started with.

        Raises:
            NotFoundError: there is no version with this number.
            InvalidInputError: it does not fit this server's bank (any more).
        """
        if number is not None:
            text = self.store.get(number)
            try:
                self.read(text.yaml, text.lexicon_yaml)
            except DraftError as error:
                raise InvalidInputError(
                    f"version {number} no longer fits this server's bank: {error.faults[0].text}"
                ) from error
        self.store.activate(number, by, self._clock())
        self.grading_data.look_again()

    def changes(self, number: int, since: int | None) -> Changes:
        """How a version differs from another one, or from none.

        A built-in question that a version replaces is changed, not added: it was asked before too.

        Raises:
            NotFoundError: there is no version with this number.
        """
        new = self.store.get(number)
        old = None if since is None else self.store.get(since)
        own_before = self._entries("", "") if old is None else self._entries(*_texts(old))
        own_after = self._entries(*_texts(new))
        bank, lexicon = self.grading_data.below
        below = _by_name(bank.questions, lexicon.terms)
        named = own_before.keys() | own_after.keys()
        below = {name: entry for name, entry in below.items() if name in named}
        entries_before, entries_after = below | own_before, below | own_after
        lines = difference(("", "") if old is None else _texts(old), _texts(new))
        return Changes(
            added=tuple(sorted(entries_after.keys() - entries_before.keys())),
            removed=tuple(sorted(entries_before.keys() - entries_after.keys())),
            changed=tuple(
                sorted(
                    name
                    for name in entries_after.keys() & entries_before.keys()
                    if entries_after[name] != entries_before[name]
                )
            ),
            lines=lines,
        )

    def checking(self) -> Task:
        """The background task for ``DraftOrder`` payloads: check, then store."""

        def check_and_save(work: Work) -> Outcome:
            order = DraftOrder.model_validate(work.payload)
            try:
                self.check(self.read(order.yaml, order.lexicon_yaml), work.progress)
            except DraftError as error:
                return Outcome({"number": None, "faults": [vars(each) for each in error.faults]})
            return Outcome({"number": self.save(order, work.owner_id), "faults": []})

        return check_and_save

    def _entries(self, yaml: str, lexicon_yaml: str) -> dict[str, Any]:
        """The questions and terms of a version by name; none if it no longer fits."""
        try:
            draft = self.read(yaml, lexicon_yaml)
        except DraftError:
            return {}
        return _by_name(draft.questions, draft.terms)


def _by_name(questions: Iterable[Question], terms: Iterable[Term]) -> dict[str, Any]:
    named: dict[str, Any] = {each.id: each for each in questions}
    return named | {f"term {each.term}": each for each in terms}


def _texts(version: BankVersionText) -> tuple[str, str]:
    return version.yaml, version.lexicon_yaml


def difference(old: tuple[str, str], new: tuple[str, str]) -> tuple[str, ...] | None:
    """How texts of bank and lexicon differ, as by ``diff -u``; ``None``: they are too long."""
    lines: list[str] = []
    for name, before, after in zip(("bank", "lexicon"), old, new, strict=True):
        a, b = before.splitlines(), after.splitlines()
        if a == b:
            continue
        if len(a) + len(b) > MAX_DIFF_LINES:
            return None
        lines += difflib.unified_diff(a, b, f"{name} before", f"{name} after", lineterm="", n=2)
    return tuple(lines)
