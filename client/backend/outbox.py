"""Answers and drill reviews that wait on the disk until a server has them.

One JSON file for each, written whole or not at all, named by a sequence number that only grows, so
that they go out in the order they were given. A file leaves the folder only when the server has
said that its content is stored; because the server stores the same one once, sending it again after
a lost reply does no harm.
"""

import hashlib
import logging
import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Final, Generic, TypeVar

from filelock import FileLock, Timeout
from pydantic import BaseModel, TypeAdapter, ValidationError

from client.backend.protocol import BackendError, RejectedError, UnavailableError
from client.core.durable_file import sync_folder, write_durably
from server.contract import DrillReview, Submission

logger = logging.getLogger(__name__)

M = TypeVar("M", bound=BaseModel)
R = TypeVar("R")

_LOCK_TIMEOUT_S: Final = 10.0
"""Adding holds its lock for one small write; on a slow disk (fsync) that is below a second."""

_REVIEWS_OF_0_1_0: Final = TypeAdapter(tuple[DrillReview, ...])

_NAME = re.compile(r"(?P<sequence>\d{10})-(?P<item_id>[0-9a-f]{32})\.json")


class OutboxError(BackendError):
    """The outbox cannot be written or read; the text says why."""


@dataclass(frozen=True)
class Waiting(Generic[M]):
    """One item in the outbox; ``reason``: why the server refused it, if it did."""

    path: Path
    sequence: int
    item_id: str
    model: type[M]
    reason: str = ""

    def read(self) -> M:
        """The item.

        Raises:
            OutboxError: the file is damaged.
        """
        try:
            return self.model.model_validate_json(self.path.read_bytes())
        except (OSError, ValidationError) as error:
            raise OutboxError(f"{self.path} is damaged: {error}") from error


@dataclass(frozen=True)
class Flush(Generic[M, R]):
    """The result of sending the outbox.

    Attributes:
        sent: the server's replies, by the items' ids.
        rejected: what the server refused and was set aside.
        waiting: how many are still to be sent.
        problem: why the rest still waits; empty if nothing does.
    """

    sent: dict[str, R] = field(default_factory=dict)
    rejected: tuple[Waiting[M], ...] = ()
    waiting: int = 0
    problem: str = ""


class Outbox(Generic[M]):
    """The outbox in one folder. Several threads and processes may use it at once.

    Args:
        folder: the folder.
        model: what waits in it.
        id_of: what the server knows an item by: 32 hexadecimal digits.
        made_at: when an item was made.
    """

    def __init__(
        self,
        folder: Path,
        model: type[M],
        id_of: Callable[[M], str],
        made_at: Callable[[M], datetime],
    ) -> None:
        self._model = model
        self._id_of = id_of
        self._made_at = made_at
        self.folder = folder
        self._pending = folder / "pending"
        self._rejected = folder / "rejected"
        self._send_lock = folder / "send.lock"
        self._add_lock = folder / "add.lock"

    def add(self, item: M) -> Waiting[M]:
        """Puts an item at the end of the queue; when this returns it is on the disk.

        Raises:
            OutboxError: the folder cannot be written.
        """
        try:
            with _plain(self._pending), _locked(self._add_lock, _LOCK_TIMEOUT_S):
                return self._added(item)
        except _BusyError as error:
            locked = f"the outbox {self._pending} is locked by another program"
            raise OutboxError(locked) from error

    def _added(self, item: M) -> Waiting[M]:
        pending, item_id = self.pending(), self._id_of(item)
        if there := _of(pending, item_id):
            return there[0]
        sequence = 1 + max((each.sequence for each in (*pending, *self.rejected())), default=0)
        path = self._pending / f"{sequence:010d}-{item_id}.json"
        write_durably(path, item.model_dump_json().encode(), private=True)
        return Waiting(path, sequence, item_id, self._model)

    def pending(self) -> list[Waiting[M]]:
        """The waiting items, in order."""
        return self._listed(self._pending)

    def rejected(self) -> list[Waiting[M]]:
        """What the server refused, with its reason; it stays until it is discarded or retried."""
        return self._listed(self._rejected)

    def retry(self, waiting: Waiting[M]) -> None:
        """Puts a refused item back into the queue, in its old place."""
        with _plain(self._rejected):
            os.replace(waiting.path, self._pending / waiting.path.name)
            _reason_path(waiting.path).unlink(missing_ok=True)
            sync_folder(self._pending)

    def discard_refused(self, item_id: str) -> bool:
        """Deletes an item that was refused, however often; whether there was one."""
        refused = _of(self.rejected(), item_id)
        with _plain(self._rejected):
            for each in refused:
                _delete(each)
        return bool(refused)

    def discard(self, *, before: datetime | None = None) -> int:
        """Deletes what waits and what was refused: made before a time, or all."""
        try:
            with _plain(self._pending), _locked(self._send_lock, _LOCK_TIMEOUT_S):
                everything = [*self.pending(), *self.rejected()]
                chosen = [each for each in everything if self._is_made(each, before)]
                for each in chosen:
                    _delete(each)
        except _BusyError as error:
            raise OutboxError("another process is sending what waits; try again") from error
        return len(chosen)

    def _is_made(self, waiting: Waiting[M], before: datetime | None) -> bool:
        try:
            return before is None or self._made_at(waiting.read()) < before
        except OutboxError:
            return False

    def sent(self, item_id: str) -> None:
        """Removes an item that the server has stored."""
        with _plain(self._pending):
            for each in _of(self.pending(), item_id):
                each.path.unlink(missing_ok=True)
                sync_folder(self._pending)

    def set_aside(self, item_id: str, reason: str) -> Waiting[M] | None:
        """The server refused this one; it stays, with the reason.

        Returns:
            Where it is now; ``None``: it no longer exists.
        """
        with _plain(self._pending):
            for each in _of(self.pending(), item_id):
                with suppress(FileNotFoundError):  # another process did it just now
                    return self._set_aside(each, reason)
        return next(iter(_of(self.rejected(), item_id)), None)

    def withdraw(self, item_id: str) -> None:
        """Delete this item, waiting or refused, if it exists."""
        with _plain(self._pending):
            for each in _of((*self.pending(), *self.rejected()), item_id):
                _delete(each)

    def flush(
        self,
        send: Callable[[M], R],
        *,
        timeout_s: float = 0.0,
        go_on: Callable[[], bool] = lambda: True,
        on_sent: Callable[[], None] = lambda: None,
    ) -> Flush[M, R]:
        """Sends what waits, in order, each once.

        One that the server refuses is set aside with the reason, so that it does not block the
        rest; while the server is away, it and the rest keep waiting. Only one process sends at a
        time.

        Args:
            send: stores one item; raises ``RejectedError`` or ``UnavailableError``.
            timeout_s: how long to wait for another process that is sending.
            go_on: asked before each one whether to continue.
            on_sent: called after each one.
        """
        if not self.pending():
            return Flush()
        try:
            with _plain(self._pending), _locked(self._send_lock, timeout_s):
                return self._flush(send, go_on, on_sent)
        except _BusyError:
            return Flush(waiting=len(self.pending()), problem="another process is sending them")

    def _flush(
        self, send: Callable[[M], R], go_on: Callable[[], bool], on_sent: Callable[[], None]
    ) -> Flush[M, R]:
        sent: dict[str, R] = {}
        rejected: list[Waiting[M]] = []
        # Listed again each time: items may be added while these are being sent.
        while queue := self.pending():
            head = queue[0]
            if not go_on():
                return Flush(sent, tuple(rejected), len(queue), "the rest is sent later")
            try:
                reply = send(head.read())
            except UnavailableError as error:
                return Flush(sent, tuple(rejected), len(queue), str(error))
            except (RejectedError, OutboxError) as error:
                if head.path.exists():  # else it was withdrawn, or sent by whoever gave it
                    rejected.append(self._set_aside(head, str(error)))
            else:
                sent[head.item_id] = reply
                head.path.unlink(missing_ok=True)
                sync_folder(self._pending)
                on_sent()
        return Flush(sent, tuple(rejected))

    def _set_aside(self, head: Waiting[M], reason: str) -> Waiting[M]:
        target = self._rejected / head.path.name
        write_durably(_reason_path(target), reason.encode())
        os.replace(head.path, target)
        sync_folder(self._pending)
        sync_folder(self._rejected)
        return replace(head, path=target, reason=reason)

    def _listed(self, folder: Path) -> list[Waiting[M]]:
        try:
            names = sorted(os.listdir(folder))
        except FileNotFoundError:
            return []
        return [
            Waiting(path, int(match["sequence"]), match["item_id"], self._model, _reason_of(path))
            for name in names
            if (match := _NAME.fullmatch(name))
            for path in [folder / name]
        ]


class AnswerOutbox(Outbox[Submission]):
    """The answers that wait."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, Submission, lambda it: it.submission_id, lambda it: it.created_at)

    @classmethod
    def for_server(cls, folder: Path, server: str) -> "AnswerOutbox":
        """The outbox for one server: an answer meant for it never goes to another one."""
        host = re.sub(r"[^a-z0-9.]+", "-", server.lower().split("://", 1)[-1])[:40].strip("-.")
        digest = hashlib.sha256(server.encode()).hexdigest()[:8]
        return cls(folder / f"{host}-{digest}")


class ReviewOutbox(Outbox[DrillReview]):
    """The drill reviews that wait.

    Aloud 0.1.0 kept all of them in one file beside the folder: they are put into the queue.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, DrillReview, lambda it: it.review_id, lambda it: it.reviewed_at)
        self._take_over(folder.with_suffix(".json"))

    def _take_over(self, file_of_0_1_0: Path) -> None:
        if not file_of_0_1_0.is_file():
            return
        # What cannot be read or queued now stays where it is, and stops nobody from practicing.
        try:
            for each in _REVIEWS_OF_0_1_0.validate_json(file_of_0_1_0.read_bytes()):
                self.add(each)
            file_of_0_1_0.unlink(missing_ok=True)
        except (OSError, ValidationError, OutboxError) as error:
            logger.warning("drill reviews in %s cannot be sent: %s", file_of_0_1_0, error)


def _of(waiting: Iterable[Waiting[M]], item_id: str) -> list[Waiting[M]]:
    """What waits under this id: two items where an answer was refused twice."""
    return [each for each in waiting if each.item_id == item_id]


def _reason_path(path: Path) -> Path:
    return path.with_suffix(".reason.txt")


def _reason_of(path: Path) -> str:
    try:
        return _reason_path(path).read_text(encoding="utf-8")
    except OSError:
        return ""


def _delete(waiting: Waiting[M]) -> None:
    waiting.path.unlink(missing_ok=True)
    _reason_path(waiting.path).unlink(missing_ok=True)


class _BusyError(Exception):
    """Another thread or process holds the lock."""


@contextmanager
def _locked(path: Path, timeout_s: float) -> Iterator[None]:
    lock = FileLock(path, timeout=timeout_s)
    try:
        lock.acquire()
    except Timeout as error:
        raise _BusyError from error
    try:
        yield
    finally:
        lock.release()


@contextmanager
def _plain(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OutboxError(
            f"the outbox {folder} cannot be used ({error.strerror}); check its permissions and "
            "the free space"
        ) from error
