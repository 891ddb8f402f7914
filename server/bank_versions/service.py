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

from pronunciation.terms import Lexicon, Term
from question_bank.models import Bank, Question
from server.attempts.grading_data import GradingData
from server.bank_versions.check import check_answers
from server.bank_versions.store import BankVersion, BankVersionStore, BankVersionText
from server.bank_versions.text import Draft, DraftError, Fault, read_draft
from server.contract import Wire
from server.core.errors import InvalidInputError
from server.db.database import Database
from server.jobs.job import Outcome, Task, Work

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
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """Over the server's database, and what the server was started with."""
        self.store = BankVersionStore(database)
        self.grading_data = ActiveGradingData(grading_data, self.store)
        self._clock = clock

    def listed(self) -> list[BankVersion]:
        """All versions, newest first."""
        return self.store.listed()

    def get(self, number: int) -> BankVersionText:
        """One version with its text.

        Raises:
            NotFoundError: there is no version with this number.
        """
        return self.store.get(number)

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
        faults: list[Fault] = list(check_answers(draft, progress))
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
