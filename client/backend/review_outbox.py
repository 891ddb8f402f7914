"""Drill reviews that wait on the disk until a server has them.

All in one small file, replaced whole at each change. A review leaves it only when the server has
said that it is stored; because the server stores the same review once, sending one again after a
lost reply does no harm.
"""

import json
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pydantic import TypeAdapter, ValidationError

from client.backend.outbox import OutboxError
from client.backend.protocol import RejectedError, UnavailableError
from client.core.durable_file import write_durably
from client.core.file_lock import held
from server.contract import DrillReview

__all__ = ["ReviewFlush", "ReviewOutbox"]

logger = logging.getLogger(__name__)

_LOCK_TIMEOUT_S: Final = 10.0
"""Sending one review takes some milliseconds; a drill gives one every few seconds."""

_REVIEWS: Final = TypeAdapter(tuple[DrillReview, ...])


@dataclass(frozen=True)
class ReviewFlush:
    """What a flush did: how many were sent, those refused with the reason, how many still wait."""

    sent: int = 0
    rejected: tuple[tuple[DrillReview, str], ...] = ()
    waiting: int = 0
    problem: str = ""


class ReviewOutbox:
    """The waiting reviews in one folder. Several threads and processes may use it at once."""

    def __init__(self, folder: Path) -> None:
        self._pending = folder / "reviews.json"
        self._rejected = folder / "reviews-rejected.jsonl"
        self._lock = folder / "reviews.lock"

    def pending(self) -> tuple[DrillReview, ...]:
        """What waits to be sent, in order.

        A damaged file is set aside, so that it stops neither this drill nor the answers.

        Raises:
            OutboxError: the file cannot be read.
        """
        try:
            return _REVIEWS.validate_json(self._pending.read_bytes())
        except FileNotFoundError:
            return ()
        except ValidationError:
            damaged = self._pending.with_name("reviews-damaged.json")
            logger.warning("%s is damaged and was renamed to %s", self._pending, damaged.name)
            self._pending.replace(damaged)
            return ()
        except OSError as error:
            raise OutboxError(
                f"{self._pending} cannot be read: {error.strerror}; check its permissions"
            ) from error

    def add(self, review: DrillReview) -> None:
        """Put a review at the end of the queue; when this returns it is on the disk.

        Raises:
            OutboxError: the folder cannot be written.
        """
        with self._alone() as alone:
            if not alone:
                raise OutboxError(f"the outbox {self._pending} is locked by another program")
            waiting = self.pending()
            if all(each.review_id != review.review_id for each in waiting):
                self._write((*waiting, review))

    def flush(self, send: Callable[[DrillReview], object]) -> ReviewFlush:
        """Send what waits, in order, each once.

        One that the server refuses is set aside with the reason; where the server is away, it and
        the rest go on waiting.

        Args:
            send: stores one review; raises ``RejectedError`` or ``UnavailableError``.
        """
        if not self.pending():
            return ReviewFlush()
        with self._alone() as alone:
            if not alone:
                problem = "another process is sending them"
                return ReviewFlush(waiting=len(self.pending()), problem=problem)
            return self._flush(send, self.pending())

    def discard(self) -> int:
        """Delete what waits and what was refused; returns how many waited."""
        with self._alone() as alone:
            if not alone:
                raise OutboxError("another process is sending the waiting reviews; try again")
            waiting = len(self.pending())
            self._pending.unlink(missing_ok=True)
            self._rejected.unlink(missing_ok=True)
        return waiting

    def _flush(
        self, send: Callable[[DrillReview], object], queue: Sequence[DrillReview]
    ) -> ReviewFlush:
        rejected: list[tuple[DrillReview, str]] = []
        done, problem = 0, ""
        try:
            for review in queue:
                try:
                    send(review)
                except RejectedError as error:
                    self._set_aside(review, str(error))
                    rejected.append((review, str(error)))
                except UnavailableError as error:
                    problem = str(error)
                    break
                done += 1
        finally:
            if done:
                self._write(queue[done:])
        return ReviewFlush(done - len(rejected), tuple(rejected), len(queue) - done, problem)

    def _set_aside(self, review: DrillReview, reason: str) -> None:
        entry = {"reason": reason, "review": review.model_dump(mode="json")}
        with self._rejected.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry, ensure_ascii=False) + "\n")

    def _write(self, reviews: Sequence[DrillReview]) -> None:
        write_durably(self._pending, _REVIEWS.dump_json(tuple(reviews)))

    @contextmanager
    def _alone(self) -> Iterator[bool]:
        try:
            with held(self._lock, timeout_s=_LOCK_TIMEOUT_S) as alone:
                yield alone
        except OSError as error:
            raise OutboxError(
                f"the outbox {self._pending.parent} cannot be used ({error.strerror}); check its "
                "permissions and the free space"
            ) from error
