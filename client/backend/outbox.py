"""Answers that wait on the disk until a server has them.

One JSON file for each answer, written whole or not at all, named by a sequence number that only
grows, so that they go out in the order they were given. An answer leaves the folder only when the
server has said that it is stored; because the server stores the same submission once, sending one
again after a lost reply does no harm.
"""

import hashlib
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from client.backend.protocol import BackendError, RejectedError, UnavailableError
from client.core.durable_file import sync_folder, write_durably
from client.core.file_lock import held
from server.contract import Attempt, Submission

__all__ = ["Flush", "Outbox", "OutboxError", "Waiting"]

_ADD_TIMEOUT_S: Final = 10.0
"""Adding holds its lock for one small write; on a slow disk (fsync) that is below a second."""

_NAME = re.compile(r"(?P<sequence>\d{10})-(?P<submission_id>[0-9a-f]{32})\.json")


class OutboxError(BackendError):
    """The outbox cannot be written or read; the text says why."""


@dataclass(frozen=True)
class Waiting:
    """One answer in the outbox; ``reason``: why the server refused it, where it did."""

    path: Path
    sequence: int
    submission_id: str
    reason: str = ""

    def read(self) -> Submission:
        """The answer.

        Raises:
            OutboxError: the file is damaged.
        """
        try:
            return Submission.model_validate_json(self.path.read_bytes())
        except (OSError, ValidationError) as error:
            raise OutboxError(f"{self.path} cannot be read as an answer: {error}") from error


@dataclass(frozen=True)
class Flush:
    """What a flush did.

    Attributes:
        sent: what the server now has, by submission id.
        rejected: what the server refused and was set aside.
        waiting: how many are still to be sent.
        problem: why the rest still waits; empty where nothing does.
    """

    sent: dict[str, Attempt] = field(default_factory=dict)
    rejected: tuple[Waiting, ...] = ()
    waiting: int = 0
    problem: str = ""


class Outbox:
    """The outbox in one folder. Several threads and processes may use it at once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._pending = folder / "pending"
        self._rejected = folder / "rejected"
        self._send_lock = folder / "send.lock"
        self._add_lock = folder / "add.lock"

    @classmethod
    def for_server(cls, folder: Path, server: str) -> "Outbox":
        """The outbox for one server: an answer meant for it never goes to another one."""
        host = re.sub(r"[^a-z0-9.]+", "-", server.lower().split("://", 1)[-1])[:40].strip("-.")
        digest = hashlib.sha256(server.encode()).hexdigest()[:8]
        return cls(folder / f"{host}-{digest}")

    def add(self, submission: Submission) -> Waiting:
        """Puts an answer at the end of the queue; when this returns it is on the disk.

        Raises:
            OutboxError: the folder cannot be written.
        """
        with _plain(self._pending), held(self._add_lock, timeout_s=_ADD_TIMEOUT_S) as alone:
            if not alone:
                raise OutboxError(f"the outbox {self._pending} is locked by another program")
            pending = self.pending()
            for each in pending:
                if each.submission_id == submission.submission_id:
                    return each
            used = [each.sequence for each in (*pending, *self.rejected())]
            sequence = 1 + max(used, default=0)
            name = f"{sequence:010d}-{submission.submission_id}.json"
            write_durably(self._pending / name, submission.model_dump_json().encode())
            return Waiting(self._pending / name, sequence, submission.submission_id)

    def pending(self) -> list[Waiting]:
        """What waits to be sent, in order."""
        return _listed(self._pending)

    def rejected(self) -> list[Waiting]:
        """What the server refused, with its reason; it stays until it is discarded or retried."""
        return [
            Waiting(each.path, each.sequence, each.submission_id, _reason_of(each.path))
            for each in _listed(self._rejected)
        ]

    def retry(self, waiting: Waiting) -> None:
        """Puts a refused answer back into the queue, at its old place."""
        with _plain(self._rejected):
            os.replace(waiting.path, self._pending / waiting.path.name)
            _reason_path(waiting.path).unlink(missing_ok=True)
            sync_folder(self._pending)

    def discard_refused(self, submission_id: str) -> bool:
        """Deletes one refused answer; whether there was one."""
        for each in _listed(self._rejected):
            if each.submission_id == submission_id:
                with _plain(self._rejected):
                    each.path.unlink(missing_ok=True)
                    _reason_path(each.path).unlink(missing_ok=True)
                return True
        return False

    def discard(self, *, before: datetime | None = None) -> int:
        """Deletes what waits and what was refused: made before a time, or all."""
        deleted = 0
        with _plain(self._pending), held(self._send_lock, timeout_s=_ADD_TIMEOUT_S) as alone:
            if not alone:
                raise OutboxError("another process is sending the waiting answers; try again")
            for each in [*self.pending(), *self.rejected()]:
                if before is not None:
                    try:
                        if each.read().created_at >= before:
                            continue
                    except OutboxError:
                        continue
                each.path.unlink(missing_ok=True)
                _reason_path(each.path).unlink(missing_ok=True)
                deleted += 1
        return deleted

    def flush(self, send: Callable[[Submission], Attempt], *, timeout_s: float = 0.0) -> Flush:
        """Sends what waits, in order, each once.

        One that the server refuses is set aside with the reason, so that it does not block the
        rest; where the server is away, it and the rest go on waiting. Only one process sends at a
        time.

        Args:
            send: stores one answer; raises ``RejectedError`` or ``UnavailableError``.
            timeout_s: how long to wait for another process that is sending.
        """
        if not self.pending():
            return Flush()
        with _plain(self._pending), held(self._send_lock, timeout_s=timeout_s) as alone:
            if not alone:
                return Flush(waiting=len(self.pending()), problem="another process is sending them")
            return self._flush(send)

    def _flush(self, send: Callable[[Submission], Attempt]) -> Flush:
        sent: dict[str, Attempt] = {}
        rejected: list[Waiting] = []
        # Listed anew each time: answers may be added while these are being sent.
        while queue := self.pending():
            head = queue[0]
            try:
                submission = head.read()
                attempt = send(submission)
            except UnavailableError as error:
                return Flush(sent, tuple(rejected), len(queue), str(error))
            except (RejectedError, OutboxError) as error:
                rejected.append(self._set_aside(head, str(error)))
            else:
                sent[head.submission_id] = attempt
                head.path.unlink(missing_ok=True)
                sync_folder(self._pending)
        return Flush(sent, tuple(rejected))

    def _set_aside(self, head: Waiting, reason: str) -> Waiting:
        target = self._rejected / head.path.name
        write_durably(_reason_path(target), reason.encode())
        os.replace(head.path, target)
        sync_folder(self._pending)
        sync_folder(self._rejected)
        return Waiting(target, head.sequence, head.submission_id, reason)


def _listed(folder: Path) -> list[Waiting]:
    try:
        names = sorted(os.listdir(folder))
    except FileNotFoundError:
        return []
    return [
        Waiting(folder / name, int(match["sequence"]), match["submission_id"])
        for name in names
        if (match := _NAME.fullmatch(name))
    ]


def _reason_path(path: Path) -> Path:
    return path.with_suffix(".reason.txt")


def _reason_of(path: Path) -> str:
    try:
        return _reason_path(path).read_text(encoding="utf-8")
    except OSError:
        return ""


@contextmanager
def _plain(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OutboxError(
            f"the outbox {folder} cannot be used ({error.strerror}); check its permissions and "
            "the free space"
        ) from error
