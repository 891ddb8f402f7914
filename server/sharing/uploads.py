"""Turns an upload into a recording that can be played: a job, because decoding takes time.

The upload is the input of the job and is deleted with it. Only the output of our encoder becomes a
recording.
"""

import hashlib
from typing import Any

from sqlalchemy.orm import Session

from server.db.database import Database
from server.jobs.job import Job, JobInput, Outcome, Task, Work
from server.jobs.queue import JobQueue
from server.sharing.encoding import kind_of, reencoded
from server.sharing.recordings import RECORDING, RecordingService


def receive(
    recordings: RecordingService, queue: JobQueue, owner_id: int, attempt_id: int, content: bytes
) -> Job:
    """Accepts an upload, which can be played once its job has decoded and re-encoded it.

    The same upload again is the same job while that is unfinished. A different one replaces an
    unfinished one.

    Raises:
        NotFoundError: the owner has no such attempt.
        ConflictError: no share "with audio" asks for it, or too many uploads are unfinished.
        InvalidInputError: it is too large, or not FLAC or Opus by its first bytes.
    """
    order: dict[str, Any] = {
        "attempt_id": attempt_id,
        "sha256": hashlib.sha256(content).hexdigest(),
    }

    def make_way(session: Session) -> None:
        recordings.demand_wanted(session, owner_id, attempt_id)
        kind_of(content)
        recordings.end_preparing(session, attempt_id, but=order)

    return queue.enqueue(
        RECORDING, order, owner_id, input=JobInput(attempt_id, content), first=make_way
    )


def preparing(database: Database, recordings: RecordingService) -> Task:
    """The work on uploads."""

    def prepare(work: Work) -> Outcome:
        owner_id, attempt_id = work.owner_id, int(work.payload["attempt_id"])
        assert owner_id is not None, "only who has an account shares"
        with database.write() as session:  # before the work of decoding
            recordings.demand_wanted(session, owner_id, attempt_id)
        sound = reencoded(work.input(), work.progress)

        def keep(session: Session) -> None:
            recordings.keep(session, owner_id, attempt_id, sound)

        return Outcome(
            {
                "attempt_id": attempt_id,
                "duration_s": round(sound.duration_s, 3),
                "size_bytes": len(sound.content),
            },
            within=keep,
        )

    return prepare
