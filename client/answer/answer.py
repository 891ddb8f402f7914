"""One answer, from its first sample until it is stored: what it is, where it is, what it became.

An answer to a question and a take of a drill's item go the same way, wherever they are spoken:

    recording → recorded → transcribed → stored
        └───────────┴───────────┴──────→ discarded

Until it is stored or discarded, its sound and its entry are on the disk. An answer that nobody
works on is offered again, also after a crash.
"""

import contextlib
import logging
import os
import re
import threading
import uuid
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Final, Literal, Self

import numpy as np
import numpy.typing as npt
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, StringConstraints

from client.audio.files import SoundFile, blocks_of
from client.audio.take_file import PART_SUFFIX, TakeWriter, finish_take, held, length_s, read_take
from client.core.durable_file import sync_folder, write_durably
from client.core.errors import ClientError, RecordingError
from pronunciation.clip import SAMPLE_RATE_HZ, Clip, at_sample_rate
from server.contract import DrillReview, FollowUp, Report, SoundQuality, Submission

logger = logging.getLogger(__name__)

EMBEDDED: Final = ""
"""Stands for the embedded server."""
ENTRY_SUFFIX: Final = ".json"
WAV_SUFFIX: Final = ".wav"
DRAFT_SUFFIX: Final = ENTRY_SUFFIX + ".tmp"
"""What a crash leaves while an entry is written."""
OLD_REASON_SUFFIX: Final = PART_SUFFIX + ".why"
"""Where version 0.1 kept the reason."""
READ_WHOLE_S: Final = 60.0
"""Up to here a take is read at once: 4 MB at 16 kHz."""
_GONE: Final = "this recording is no longer there"

UnfinishedState = Literal["recording", "recorded", "transcribed"]
"""``recording``: sound is coming, or came until something broke off. ``recorded``: it ended as it
should. ``transcribed``: what is sent to the server is known; it may have been sent already."""
State = Literal[UnfinishedState, "stored", "discarded"]
"""``stored``: in the history, or waiting in the outbox. ``discarded``: deleted for good."""

_SubmissionId = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")]
_LABEL_CHARS: Final = 60
_REASON_CHARS: Final = 500


class Entry(BaseModel):
    """What is on the disk of an answer, beside its sound.

    Attributes:
        submission_id: what the server will know it by, from the first sample on: however often it
            is sent, it is stored once.
        kind: an answer or a take of a drill.
        asked: the question's id, or the drill item's.
        drill_set: of the drill item; empty for an answer.
        server: the server it is meant for; empty: the embedded one; ``None``: an earlier version
            of Aloud did not say.
        engine: what transcribes it; empty where that is not known.
        spoken_at: when the recording began.
        state: see ``UnfinishedState``.
        condition: of the file that it came as; ``None`` where it was recorded here.
        reason: why it is unfinished, one line; empty where nobody could tell, as after a crash.
        submission: of a transcribed answer, what is sent.
        review: of a heard take of a drill, what is sent.
        follow_up: what was asked after an answer, where this is what was said to it.
        follows: that answer's number in the history; ``None``: it is not stored.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    format: Literal["aloud-answer"] = "aloud-answer"
    schema_version: Literal[1] = 1
    submission_id: _SubmissionId = Field(default_factory=lambda: uuid.uuid4().hex)
    kind: Literal["answer", "drill"] = "answer"
    asked: str
    drill_set: str = ""
    server: str | None = EMBEDDED
    engine: str = ""
    spoken_at: AwareDatetime = Field(default_factory=lambda: datetime.now(UTC))
    state: UnfinishedState = "recording"
    condition: SoundQuality | None = None
    reason: str = ""
    submission: Submission | None = None
    review: DrillReview | None = None
    follow_up: FollowUp | None = None
    follows: int | None = None

    @property
    def label(self) -> str:
        """What its files are called after."""
        return label_of(self.asked)

    def because(self, reason: str) -> Self:
        """The same, with the reason why it is unfinished."""
        line = " ".join(reason.split())[:_REASON_CHARS].rstrip(".")
        return self.model_copy(update={"reason": line})


def label_of(asked: str) -> str:
    """The part of a file's name that identifies a question or an item."""
    return re.sub(r"[^A-Za-z0-9-]+", "-", asked).strip("-")[:_LABEL_CHARS] or "take"


@dataclass(frozen=True)
class Outcome:
    """What the server made of an answer.

    Attributes:
        submission: the answer as it was sent.
        report: the report; ``None`` where the server is away and the answer waits.
        attempt_id: its number in the history; ``None`` where it was not stored (yet).
        waiting: why it waits in the outbox; empty where it does not.
        unsaved: why it is graded but kept nowhere, as on a full disk; empty where it is kept.
    """

    submission: Submission
    report: Report | None
    attempt_id: int | None = None
    waiting: str = ""
    unsaved: str = ""


class Answer:
    """An answer to a question, or a take of a drill's item; safe to use from several threads.

    ``open`` begins it. Each step is written down as it happens: ``recorded``, ``transcribed`` or
    ``heard``, and at the end ``stored`` or ``discard``.

    Args:
        folder: of the recordings.
        entry: what is known of it.
        stem: what its files are called, without their suffix; ``None``: they are not there yet.
        duration_s: how much was said, where that is known.

    Attributes:
        entry: what is on the disk, or was last.
        duration_s: how much was said, of one that the journal found.
        prompt: what was asked; empty where that is not known.
        obstacle: why it cannot be finished here, one line; empty where it can.
        at_work: it is being finished, until everybody knows how that ended.
        share: of the transcription that is done, 0 to 1.
        outcome: what the server made of it; ``None``: nothing yet, or it is a take of a drill.
        waiting: why it waits in the outbox; empty where it does not.
        problem: why it could not be finished; empty where it could, or nobody tried.
        notice: what its owner should know; empty if all is well.
        after: the answer that this follows, where that is not stored.
    """

    def __init__(
        self, folder: Path, entry: Entry, stem: str | None = None, duration_s: float = 0.0
    ) -> None:
        self.entry = entry
        self.duration_s = duration_s
        self.prompt = ""
        self.obstacle = ""
        self.at_work = False
        self.share = 0.0
        self.outcome: Outcome | None = None
        self.waiting = ""
        self.problem = ""
        self.notice = ""
        self.after: Submission | None = None
        self._folder = folder
        self._stem = stem
        self._end: State | None = None
        self._writer: TakeWriter | None = None
        self._claim = ExitStack()
        self._lock = threading.RLock()

    @property
    def state(self) -> State:
        return self._end or self.entry.state

    @property
    def submission_id(self) -> str:
        """What the server will know it by."""
        return self.entry.submission_id

    @property
    def asked(self) -> str:
        """The question's id, or the drill item's."""
        return self.entry.asked

    @property
    def is_drill(self) -> bool:
        """Whether it is a take of a drill."""
        return self.entry.kind == "drill"

    @property
    def spoken_at(self) -> datetime:
        """When the recording began."""
        return self.entry.spoken_at

    @property
    def name(self) -> str:
        """What it is asked for by; stays the same until it is stored or discarded."""
        assert self._stem is not None, "it has not begun"
        return self._stem + PART_SUFFIX

    @property
    def attempt_id(self) -> int | None:
        """Its number in the history, once it is there."""
        return None if self.outcome is None else self.outcome.attempt_id

    def is_for(self, server: str | None) -> bool:
        """Whether it was spoken for this server (``None``: the embedded one)."""
        return self.entry.server is None or self.entry.server == (server or EMBEDDED)

    def open(self, sample_rate_hz: int) -> TakeWriter:
        """Begin the recording: when this returns, sound file and entry are on the disk.

        What writes the sound keeps other programs from it, until the answer is left or ends.

        Raises:
            RecordingError: the folder cannot be written.
        """
        writer = TakeWriter(self._folder, sample_rate_hz, self.entry.label)
        self._stem = writer.part_path.name.removesuffix(PART_SUFFIX)
        try:
            self._write()
        except OSError as error:
            writer.discard()
            raise RecordingError(
                f"the recording cannot be written to {self._folder} ({error.strerror})",
                "make room on the disk, or choose another folder with ALOUD_HOME",
            ) from error
        self._writer = writer
        return writer

    @property
    def samples_written(self) -> int:
        """How many samples this recording has so far, while it comes."""
        return 0 if self._writer is None else self._writer.samples_written

    def add(self, samples: npt.NDArray[np.float32]) -> None:
        """Take the next sound of a recording that was begun with ``open``.

        Raises:
            RecordingError: the disk is full or gone; what was written before is kept.
        """
        assert self._writer is not None, "it is not being recorded"
        self._writer.append(samples)

    def copy(self, sound: Clip | SoundFile) -> None:
        """Begin it with sound that was recorded elsewhere, e.g. that came as a file.

        Raises:
            RecordingError: it cannot be written; nothing is left.
        """
        if isinstance(sound, SoundFile):
            self.entry = self.entry.model_copy(update={"condition": sound.condition})
        writer = self.open(SAMPLE_RATE_HZ)
        try:
            for block in blocks_of(sound):
                writer.append(block)
        except ClientError:
            writer.discard()
            self._forget_entry()
            raise
        writer.abandon()
        self.claim()

    def claim(self) -> Self:
        """Keep other programs from it, until it ends or ``leave`` is called.

        Raises:
            TakeHeldError: another one works on it; RecordingError: it is gone.
        """
        with self._lock:
            sound = self.sound()
            if sound is None:
                raise RecordingError(_GONE)
            if self._writer is not None:
                self._writer.abandon()
                self._writer = None
            self._claim.enter_context(held(sound))
        return self

    def leave(self, reason: str = "") -> None:
        """Leave it to be finished later; ``reason``: why, one line."""
        with self._lock:
            if self.sound() is None:  # nothing was recorded, or all is done
                self._forget_entry()
            elif reason:
                self._note(self.entry.because(reason))
            self._release()

    def recorded(self) -> None:
        """The recording has ended as it should."""
        self._note(self.entry.model_copy(update={"state": "recorded"}))

    def transcribed(self, submission: Submission) -> None:
        """What will be sent is known; from now on nothing else is sent as this answer."""
        update = {
            "state": "transcribed",
            "submission": submission,
            "engine": submission.transcript.engine or self.entry.engine,
            "reason": "",
        }
        self._note(self.entry.model_copy(update=update))

    def heard(self, review: DrillReview) -> None:
        """The same of a take of a drill."""
        update = {"state": "transcribed", "review": review, "reason": ""}
        self._note(self.entry.model_copy(update=update))

    def stored(self) -> None:
        """The server has it, or it waits in the outbox: what is kept of its sound gets its name.

        An answer keeps its recording; of a drill's take nothing is kept. Where the recording cannot
        be kept, ``notice`` says why: no error, because the answer itself is safe.
        """
        with self._lock:
            self._release()
            sound = self.sound()
            self._end = "stored"
            try:
                if sound is not None and self.is_drill:
                    sound.unlink(missing_ok=True)
                elif sound is not None:
                    whole = finish_take(sound) if sound.name.endswith(PART_SUFFIX) else sound
                    os.replace(whole, kept_path(self._folder, self.submission_id))
                    sync_folder(self._folder)
            except (RecordingError, OSError) as error:
                logger.warning("the recording of an answer was not kept: %s", error)
                self.notice = f"the recording was not kept: {error}"
            else:
                self._forget_entry()

    def discard(self) -> None:
        """Delete sound and entry for good.

        Raises:
            TakeHeldError: another program works on it; RecordingError: they cannot be deleted.
        """
        with self._lock:
            self._release()
            sound = self.sound()
            try:
                if sound is not None:
                    with held(sound):
                        pass  # nobody else works on it
                    sound.unlink(missing_ok=True)
            except OSError as error:
                raise RecordingError(
                    f"the recording cannot be deleted ({error.strerror})"
                ) from error
            self._forget_entry()
            self._end = "discarded"

    def sound(self) -> Path | None:
        """Its file; ``None``: it has none."""
        if self._stem is None:
            return None
        for suffix in (PART_SUFFIX, WAV_SUFFIX):
            path = self._folder / (self._stem + suffix)
            if path.exists():
                return path
        return None

    def clip(self) -> Clip:
        """What was said, at 16 kHz.

        Raises:
            RecordingError: it is gone or cannot be read.
        """
        sound = self.sound()
        if sound is None:
            raise RecordingError(_GONE)
        return at_sample_rate(Clip(*read_take(sound)))

    def recording(self) -> Clip | SoundFile:
        """What was said: all of it, or a file to be read piece by piece where it is long.

        Raises:
            RecordingError: it is gone or cannot be read.
        """
        sound = self.sound()
        try:
            is_long = sound is not None and (length_s(sound) or 0.0) > READ_WHOLE_S
        except OSError:
            is_long = False  # ``clip`` says what is wrong
        if sound is None or not is_long:
            return self.clip()
        return SoundFile(sound, allow_truncated=True)  # one that a crash left has no length in it

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """An answer that has not ended is left to be finished later."""
        self.leave(why_unfinished(error) if error is not None else "")

    def _release(self) -> None:
        if self._writer is not None:
            self._writer.abandon()
        self._claim.close()

    def _note(self, entry: Entry) -> None:
        """Write it down, if that can be done: a full disk must not cost the answer."""
        with self._lock:
            self.entry = entry
            if self._stem is not None and self._end is None:
                try:
                    self._write()
                except OSError as error:
                    logger.warning("the journal of answers cannot be written: %s", error)

    def _write(self) -> None:
        assert self._stem is not None
        content = self.entry.model_dump_json().encode()
        write_durably(self._folder / (self._stem + ENTRY_SUFFIX), content, private=True)

    def _forget_entry(self) -> None:
        self._end = self._end or "discarded"  # nothing of it is written from now on
        if self._stem is not None:
            for suffix in (ENTRY_SUFFIX, DRAFT_SUFFIX, OLD_REASON_SUFFIX):
                with contextlib.suppress(OSError):
                    (self._folder / (self._stem + suffix)).unlink(missing_ok=True)


def kept_path(folder: Path, submission_id: str) -> Path:
    """Where the recording of a stored answer is."""
    return folder / f"{submission_id}{WAV_SUFFIX}"


def why_unfinished(error: BaseException) -> str:
    """Why an answer was not finished, one line for its owner."""
    if isinstance(error, KeyboardInterrupt):
        return "Aloud was stopped"
    if isinstance(error, ClientError):
        return str(error)
    return f"that failed ({type(error).__name__}: {error})"
