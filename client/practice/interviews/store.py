"""Stores interviews: one file each, on disk before anything else happens."""

import contextlib
import re
import threading
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Self

from filelock import FileLock, Timeout
from pydantic import ValidationError

from client.core.durable_file import sync_folder, write_durably
from client.core.settings import ClientSettings
from client.practice.interviews.plan import InterviewPlan
from client.practice.interviews.record import AskedQuestion, InterviewError, InterviewRecord
from question_bank.models import Role, RoundGuide

_ID: Final = re.compile(r"[0-9a-f]{32}")
_LOCK_S: Final = 5.0
"""A change takes milliseconds; a process that holds the lock this long hangs."""


class InterviewNotFound(InterviewError):
    """There is no interview of this id; it may have been deleted."""


@dataclass(frozen=True)
class KeptInterviews:
    """All interviews, the latest first; ``unreadable``: files that are no interviews."""

    records: tuple[InterviewRecord, ...]
    unreadable: tuple[str, ...]


class Interviews:
    """The interviews in one folder; safe to use from several threads and processes."""

    def __init__(
        self, folder: Path, clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._folder = folder
        self._clock = clock
        self._lock = threading.Lock()

    @classmethod
    def of(cls, settings: ClientSettings) -> Self:
        """The interviews of a person."""
        return cls(settings.home / "interviews")

    def now(self) -> datetime:
        """The time by this clock."""
        return self._clock()

    def start(
        self,
        role: Role,
        guide: RoundGuide,
        minutes: int,
        plan: InterviewPlan,
        *,
        follow_ups: bool = False,
    ) -> InterviewRecord:
        """Begin an interview: its first question is open.

        Raises:
            InterviewError: it cannot be written.
        """
        now = self._clock()
        questions = [
            AskedQuestion(
                question_id=each.id,
                role=each.role,
                topic=each.topic,
                prompt=each.prompt,
                answer_seconds=each.answer_seconds,
                signals=each.signals,
                state="waiting" if number else "open",
                asked_at=None if number else now,
            )
            for number, each in enumerate(plan.questions)
        ]
        try:
            record = InterviewRecord(
                id=uuid.uuid4().hex,
                role=role.id,
                role_title=role.title,
                round=guide.id,
                round_title=guide.title,
                minutes=minutes,
                planned=plan.planned,
                planned_s=plan.planned_s,
                started_at=now,
                follow_ups=follow_ups,
                short=plan.short,
                questions=tuple(questions),
            )
        except ValidationError as error:
            raise InterviewError(f"this interview cannot start: {_first(error)}") from error
        self._write(record)
        return record

    def get(self, interview_id: str) -> InterviewRecord:
        """One interview.

        Raises:
            InterviewNotFound: there is none with this ID.
            InterviewError: its file is broken.
        """
        path = self._path(interview_id)
        try:
            return InterviewRecord.model_validate_json(path.read_bytes())
        except FileNotFoundError as error:
            raise InterviewNotFound("there is no such interview here") from error
        except ValidationError as error:
            raise InterviewError(f"{path.name} is not an interview: {_first(error)}") from error
        except OSError as error:
            raise InterviewError(f"{path.name} cannot be read: {error.strerror}") from error

    def all(self) -> KeptInterviews:
        """Every interview; a broken file hides no other."""
        records, unreadable = [], []
        for path in sorted(self._folder.glob("*.json")):
            try:
                records.append(self.get(path.stem))
            except InterviewError:
                unreadable.append(path.name)
        records.sort(key=lambda record: record.started_at, reverse=True)
        return KeptInterviews(tuple(records), tuple(unreadable))

    def change(
        self, interview_id: str, step: Callable[[InterviewRecord], InterviewRecord]
    ) -> InterviewRecord:
        """Take an interview one step further; two tabs cannot undo each other's steps.

        Raises:
            InterviewNotFound: there is none with this ID.
            InterviewError: the step is not possible, or it cannot be written.
        """
        path = self._path(interview_id)
        if not path.exists():
            raise InterviewNotFound("there is no such interview here")
        try:
            with self._lock, FileLock(self._folder / ".lock", timeout=_LOCK_S):
                before = self.get(interview_id)
                after = step(before)
                if after != before:
                    self._write(after)
        except Timeout as error:
            raise InterviewError("another Aloud is writing this interview; try again") from error
        return after

    def answer(
        self, interview_id: str, question_id: str, submission_id: str, attempt_id: int | None
    ) -> InterviewRecord:
        """Note the answer to a question; see ``InterviewRecord.answered``."""
        return self.change(
            interview_id,
            lambda record: record.answered(question_id, submission_id, attempt_id, self._clock()),
        )

    def of_take(self, take: str) -> InterviewRecord | None:
        """The interview that waits for the report of a recording, or has it open."""
        needle = take.encode()
        for path in self._folder.glob("*.json"):
            with contextlib.suppress(InterviewError, OSError):
                if needle in path.read_bytes():  # most files need not be parsed
                    record = self.get(path.stem)
                    if any(each.take == take for each in record.questions):
                        return record
        return None

    def time(
        self, interview_id: str, question_id: str, *, runs: bool, ran_s: float | None = None
    ) -> InterviewRecord:
        """Let the clock run or stand; see ``InterviewRecord.timed``."""
        return self.change(
            interview_id,
            lambda record: record.timed(question_id, self._clock(), runs=runs, ran_s=ran_s),
        )

    def give(self, interview_id: str, question_id: str, take: str) -> InterviewRecord:
        """Note that an answer was spoken; see ``InterviewRecord.given``."""
        return self.change(
            interview_id, lambda record: record.given(question_id, take, self._clock())
        )

    def skip(self, interview_id: str, question_id: str) -> InterviewRecord:
        """Skip a question; see ``InterviewRecord.skipped``."""
        return self.change(interview_id, lambda record: record.skipped(question_id, self._clock()))

    def end(self, interview_id: str, *, shown: bool = True) -> InterviewRecord:
        """End an interview; see ``InterviewRecord.ended``."""
        return self.change(interview_id, lambda record: record.ended(self._clock(), shown=shown))

    def close(self, interview_id: str, closing: str) -> InterviewRecord:
        """Note what the candidate asked at the end; empty: nothing."""
        return self.change(
            interview_id, lambda record: record.model_copy(update={"closing": closing})
        )

    def delete(self, interview_id: str) -> None:
        """Forget one interview; its answers stay in the history."""
        self._path(interview_id).unlink(missing_ok=True)
        if self._folder.is_dir():
            sync_folder(self._folder)

    def forget_all(self) -> None:
        """Forget every interview, broken files too."""
        for path in self._folder.glob("*.json"):
            path.unlink(missing_ok=True)

    def _path(self, interview_id: str) -> Path:
        if not _ID.fullmatch(interview_id):  # never a path of somebody's choosing
            raise InterviewNotFound("there is no such interview here")
        return self._folder / f"{interview_id}.json"

    def _write(self, record: InterviewRecord) -> None:
        try:
            content = record.model_dump_json(indent=1).encode("utf-8")
            write_durably(self._path(record.id), content, private=True)
        except OSError as error:
            raise InterviewError(
                f"the interview cannot be written to {self._folder}: {error.strerror}"
            ) from error


def _first(error: ValidationError) -> str:
    fault = error.errors()[0]
    place = ".".join(str(each) for each in fault["loc"])
    return f"{place}: {fault['msg']}" if place else str(fault["msg"])
