"""Recordings on the server, kept only while a share asks for them and no longer than agreed.

An upload becomes a recording in a job, because decoding takes time; it is the job's input and is
deleted with it. A coach's browser plays only what our encoder wrote, without the metadata, pictures
and oddities that a file can contain.
"""

import hashlib
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from io import BytesIO
from typing import Any, Final, Literal

import av
from sqlalchemy import delete, func, or_, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from server.contract import Preparing, Recording, ShareCohort
from server.core.errors import ConflictError, InvalidInputError, NotFoundError
from server.db.database import Database, UseCases, audit
from server.db.tables import (
    AttemptRow,
    CohortMemberRow,
    CohortRow,
    RecordingRow,
    ShareLinkRow,
    ShareRow,
)
from server.jobs.job import Job, JobInput, Outcome, Task, Work
from server.jobs.queue import JobQueue, attempts_with_unfinished, end_jobs_of, latest_job_of
from server.sharing.shown import attempt_row

MAX_RECORDING_S: Final = 30 * 60.0
"""Answers take two minutes; whole interviews are shared answer by answer."""

MAX_RECORDING_BYTES: Final = 8 * 1024 * 1024
"""Opus of the longest recording takes 6 MB at 24 kbit/s, FLAC of six minutes about 8 MB."""

SAMPLE_RATE_HZ: Final = 16_000
OPUS_BIT_RATE: Final = 32_000
"""Speech in mono is transparent at 32 kbit/s (RFC 6716, section 2.1.1: 16-20 for wideband)."""

_RATES_HZ: Final = range(8_000, 192_001)
_MOST_CHANNELS: Final = 8

_NOT_AUDIO: Final = "the recording is no FLAC or Opus file, or it is damaged"


@dataclass(frozen=True)
class EncodedRecording:
    """A recording of our own encoder: mono, 16 kHz, without metadata."""

    media_type: Literal["audio/flac", "audio/ogg"]
    duration_s: float
    content: bytes


def kind_of(content: bytes) -> Literal["flac", "ogg"]:
    """The format of an upload, from its size and first bytes, without decoding it.

    Raises:
        InvalidInputError: too large, or another format.
    """
    if len(content) > MAX_RECORDING_BYTES:
        raise InvalidInputError(f"the recording is larger than {MAX_RECORDING_BYTES:,} bytes")
    if content.startswith(b"fLaC"):
        return "flac"
    if content.startswith(b"OggS"):
        return "ogg"
    raise InvalidInputError(_NOT_AUDIO)


def reencoded(
    content: bytes, progress: Callable[[int, int], None] = lambda done_s, total_s: None
) -> EncodedRecording:
    """Decodes FLAC or Opus and encodes it again in the same format, in mono at 16 kHz.

    Args:
        content: the file as received.
        progress: called often with the seconds done and the total; its exceptions end the work.

    Raises:
        InvalidInputError: too large, too long (by its header or decoded), another format, damaged.
    """
    kind = kind_of(content)

    try:
        return _encode(kind, content, progress)
    except (av.error.FFmpegError, ValueError, EOFError) as error:
        raise InvalidInputError(_NOT_AUDIO) from error


def _encode(
    kind: Literal["flac", "ogg"], content: bytes, progress: Callable[[int, int], None]
) -> EncodedRecording:
    made = BytesIO()
    samples = 0
    # only the named format is tried; bytes in memory cannot refer to other files
    with (
        av.open(BytesIO(content), "r", format=kind) as source,
        av.open(made, "w", format=kind) as target,
    ):
        encoder: Any = target.add_stream(
            "flac" if kind == "flac" else "libopus", rate=SAMPLE_RATE_HZ
        )
        encoder.layout = "mono"
        if kind == "ogg":
            encoder.bit_rate = OPUS_BIT_RATE
        stream = _stream(source)
        total_s = math.ceil(_declared_s(stream))
        for frame in _resampled(source, stream):
            samples += frame.samples
            # a header may state too short a length; the end is reported once, when it is reached
            done_s = samples // SAMPLE_RATE_HZ
            progress(done_s, max(total_s, done_s + 1))
            if samples > MAX_RECORDING_S * SAMPLE_RATE_HZ:
                raise InvalidInputError(_TOO_LONG)
            target.mux(encoder.encode(frame))
        if samples == 0:
            raise InvalidInputError("the recording has no sound in it")
        target.mux(encoder.encode(None))
    progress(math.ceil(samples / SAMPLE_RATE_HZ), math.ceil(samples / SAMPLE_RATE_HZ))
    return EncodedRecording(
        "audio/flac" if kind == "flac" else "audio/ogg", samples / SAMPLE_RATE_HZ, made.getvalue()
    )


_TOO_LONG: Final = f"the recording is longer than {MAX_RECORDING_S / 60:.0f} minutes"


def _stream(source: Any) -> Any:
    """The only stream of a file, if it is accepted."""
    if len(source.streams.audio) != 1:
        raise InvalidInputError(_NOT_AUDIO)
    stream = source.streams.audio[0]
    context = stream.codec_context
    if (
        context.name not in ("flac", "opus", "libopus")
        or context.sample_rate not in _RATES_HZ
        or not 1 <= context.channels <= _MOST_CHANNELS
    ):
        raise InvalidInputError(_NOT_AUDIO)
    if _declared_s(stream) > MAX_RECORDING_S:
        raise InvalidInputError(_TOO_LONG)
    return stream


def _declared_s(stream: Any) -> float:
    """The length that a file declares; 0: none."""
    return float((stream.duration or 0) * (stream.time_base or 0))


def _resampled(source: Any, stream: Any) -> Iterator[Any]:
    rate_hz, channels = stream.codec_context.sample_rate, stream.codec_context.channels
    resampler = av.AudioResampler(format="s16", layout="mono", rate=SAMPLE_RATE_HZ)
    read = 0
    for frame in source.decode(stream):
        if frame.sample_rate != rate_hz or len(frame.layout.channels) != channels:
            raise InvalidInputError("the recording changes its sample rate or channels halfway")
        # counted before anything is computed, because a few bytes can decode to an hour
        read += frame.samples
        if read > MAX_RECORDING_S * rate_hz:
            raise InvalidInputError(_TOO_LONG)
        frame.pts = None
        yield from resampler.resample(frame)
    yield from resampler.resample(None)


RECORDING: Final = "recording"
"""The kind of job that re-encodes an upload."""

SWEEP_EVERY_S: Final = 300.0
"""Recordings are kept for days."""


@dataclass(frozen=True)
class Sound:
    """A recording that can be played."""

    media_type: str
    content: bytes
    sha256: str


class RecordingService(UseCases):
    """Recordings in a database. Callers check who may listen."""

    def __init__(self, database: Database, clock: Callable[[], datetime]) -> None:
        super().__init__(database, clock)
        self._sweep_at_s = float("-inf")

    def demand_wanted(self, session: Session, owner_id: int, attempt_id: int) -> None:
        """Refuses a recording that no share asks for; locks the shares until the transaction ends.

        Raises:
            NotFoundError: the owner has no such attempt.
            ConflictError: no share "with audio" asks for it.
        """
        self._database.alone(session, f"shares of {owner_id}")
        attempt_row(session, owner_id, attempt_id)
        if not _asked_for(session, self._clock(), attempt_id):
            raise ConflictError(
                "no share of this answer asks for its recording: share it with audio first"
            )

    def end_preparing(
        self, session: Session, attempt_id: int, but: dict[str, object] | None = None
    ) -> int:
        """Cancels the work on uploads for an attempt and deletes them, except for this order."""
        return end_jobs_of(session, RECORDING, attempt_id, self._clock(), but=but)

    def keep(
        self, session: Session, owner_id: int, attempt_id: int, sound: EncodedRecording
    ) -> None:
        """Stores the recording of an attempt, replacing an earlier one.

        Raises:
            NotFoundError, ConflictError: as for ``demand_wanted``.
        """
        self.demand_wanted(session, owner_id, attempt_id)
        now = self._clock()
        session.execute(delete(RecordingRow).where(RecordingRow.attempt_id == attempt_id))
        session.add(
            RecordingRow(
                attempt_id=attempt_id,
                owner_id=owner_id,
                media_type=sound.media_type,
                duration_s=sound.duration_s,
                content=sound.content,
                sha256=hashlib.sha256(sound.content).hexdigest(),
                uploaded_at=now,
                expires_at=None,
            )
        )
        try:
            session.flush()
        except IntegrityError:  # the attempt was deleted in the meantime (PostgreSQL)
            raise NotFoundError(f"there is no attempt {attempt_id}") from None
        settle(session, now, owner_id)
        audit(session, now, owner_id, "recording.add", f"attempt {attempt_id}")

    def get(self, attempt_id: int) -> Sound:
        """The recording of an attempt.

        Raises:
            NotFoundError: there is none.
        """
        now = self._clock()
        with self._database.read() as session:
            row = session.get(RecordingRow, attempt_id)
            if row is None or _is_over(row.expires_at, now):
                raise NotFoundError("there is no recording of this answer here")
            return Sound(row.media_type, row.content, row.sha256)

    def info(self, attempt_id: int) -> Recording | None:
        """A recording's metadata, without loading it; ``None``: there is none."""
        with self._database.read() as session:
            return info_of(session, attempt_id, self._clock())

    def delete(self, owner_id: int, attempt_id: int) -> None:
        """Deletes the recording of an attempt for good, and one being encoded; the shares stay.

        Raises:
            NotFoundError: the owner has no such attempt, or it has no recording here.
        """
        with self._database.write() as session:
            self._database.alone(session, f"shares of {owner_id}")
            attempt_row(session, owner_id, attempt_id)
            row = session.get(RecordingRow, attempt_id)
            if self.end_preparing(session, attempt_id) == 0 and row is None:
                raise NotFoundError("there is no recording of this answer here")
            if row is not None:
                session.delete(row)
            audit(session, self._clock(), owner_id, "recording.delete", f"attempt {attempt_id}")
        self._database.forget()

    def sweep_when_due(self) -> None:
        """Runs ``sweep`` if it is due; for a worker's upkeep, which runs more often."""
        now_s = time.monotonic()
        if now_s >= self._sweep_at_s:
            self._sweep_at_s = now_s + SWEEP_EVERY_S
            self.sweep()

    def sweep(self) -> int:
        """Deletes recordings that no share asks for or that are too old; returns how many.

        An expired recording is not served even before that. Uploads are deleted in the same way.
        """
        with self._database.read() as session:
            kept = session.scalar(select(func.count()).select_from(RecordingRow))
            if not kept and not attempts_with_unfinished(session, RECORDING, None):
                return 0
        with self._database.write() as session:
            dropped = settle(session, self._clock())
        if dropped:
            self._database.forget()
        return dropped


def settle(session: Session, now: datetime, owner_id: int | None = None) -> int:
    """Deletes recordings that expired or are not shared, dates the others; returns the number.

    Uploads that are still to be encoded are deleted and counted too.

    Args:
        session: a transaction.
        now: the time.
        owner_id: only this owner's; ``None``: everybody's.
    """
    chosen = select(RecordingRow.attempt_id, RecordingRow.uploaded_at, RecordingRow.expires_at)
    if owner_id is not None:
        chosen = chosen.where(RecordingRow.owner_id == owner_id)
    dropped = 0
    for attempt_id, uploaded_at, expires_at in session.execute(chosen).all():
        audio_days = _asked_for(session, now, attempt_id)
        limits = [days for days in audio_days if days is not None]
        # the shortest agreed time, because no cohort may keep it longer
        end = uploaded_at + timedelta(days=min(limits)) if limits else None
        row = session.get(RecordingRow, attempt_id)
        if row is None:
            continue
        if not audio_days or _is_over(end, now):
            session.delete(row)
            dropped += 1
        elif end != expires_at:
            row.expires_at = end
    session.flush()
    for attempt_id in attempts_with_unfinished(session, RECORDING, owner_id):
        if not _asked_for(session, now, attempt_id):
            dropped += end_jobs_of(session, RECORDING, attempt_id, now)
    return dropped


def info_of(session: Session, attempt_id: int, now: datetime) -> Recording | None:
    """A recording's metadata, without its sound."""
    row = session.get(RecordingRow, attempt_id)
    if row is None or _is_over(row.expires_at, now):
        return None
    size = select(func.length(RecordingRow.content)).where(RecordingRow.attempt_id == attempt_id)
    return Recording.model_validate(
        {
            "attempt_id": attempt_id,
            "media_type": row.media_type,
            "duration_s": row.duration_s,
            "size_bytes": session.scalar(size) or 0,
            "uploaded_at": row.uploaded_at,
            "expires_at": row.expires_at,
        }
    )


def preparing_of(session: Session, attempt_id: int) -> Preparing | None:
    """The progress of an attempt's upload, or why it failed; ``None``: neither."""
    job = latest_job_of(session, RECORDING, attempt_id)
    if job is None or job.state in ("done", "cancelled"):
        return None
    return Preparing(
        job_id=job.id,
        state=job.state,
        done_s=job.progress_done,
        total_s=job.progress_total,
        problem=job.problem,
    )


def is_under_way(session: Session, attempt_id: int) -> bool:
    """Whether an upload has arrived that cannot be played yet."""
    found = preparing_of(session, attempt_id)
    return found is not None and found.state != "failed"


def cohorts_open_to(session: Session, owner_id: int) -> tuple[ShareCohort, ...]:
    """The cohorts that somebody is a candidate of, by name."""
    rows = session.execute(
        select(CohortRow.id, CohortRow.name, CohortRow.audio_days)
        .join(CohortMemberRow, CohortMemberRow.cohort_id == CohortRow.id)
        .where(CohortMemberRow.account_id == owner_id, CohortMemberRow.as_role == "candidate")
        .order_by(CohortRow.name)
    )
    return tuple(ShareCohort(id=row[0], name=row[1], audio_days=row[2]) for row in rows)


def _is_over(end: datetime | None, now: datetime) -> bool:
    return end is not None and end <= now


def _asked_for(session: Session, now: datetime, attempt_id: int) -> list[int | None]:
    """The agreed days of each valid share that asks for this recording; empty: none does.

    A share with a cohort ends when its owner leaves the cohort, one by links with its last link.
    """
    shares = (
        select(CohortRow.audio_days)
        .select_from(ShareRow)
        .join(
            AttemptRow,
            or_(
                ShareRow.attempt_id == AttemptRow.id,
                ShareRow.interview_id == AttemptRow.interview_id,
            ),
        )
        .where(
            AttemptRow.id == attempt_id,
            ShareRow.owner_id == AttemptRow.owner_id,
            ShareRow.revoked_at.is_(None),
            ShareRow.with_audio,
        )
    )
    with_cohorts = (
        shares.join(CohortRow, CohortRow.id == ShareRow.cohort_id)
        .join(
            CohortMemberRow,
            (CohortMemberRow.cohort_id == CohortRow.id)
            & (CohortMemberRow.account_id == AttemptRow.owner_id),
        )
        .where(CohortMemberRow.as_role == "candidate")
    )
    by_links = shares.join(CohortRow, CohortRow.id == ShareRow.cohort_id, isouter=True).where(
        select(ShareLinkRow.id)
        .where(
            ShareLinkRow.share_id == ShareRow.id,
            ShareLinkRow.revoked_at.is_(None),
            ShareLinkRow.expires_at > now,
        )
        .exists()
    )
    return [*session.scalars(with_cohorts), *session.scalars(by_links)]


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
