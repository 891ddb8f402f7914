"""One answer in the journal, held by the process that works on it."""

import contextlib
import logging
import os
import threading
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import Final, Self

from client.audio.files import SoundFile, blocks_of
from client.audio.take_file import (
    PART_SUFFIX,
    TakeWriter,
    finish_take,
    held,
    length_s,
    read_take,
)
from client.core.durable_file import sync_folder, write_durably
from client.core.errors import ClientError, RecordingError
from client.journal.entry import Entry
from pronunciation.clip import SAMPLE_RATE_HZ, Clip
from pronunciation.resample import at_sample_rate
from server.contract import DrillReview, Submission

logger = logging.getLogger(__name__)

ENTRY_SUFFIX: Final = ".json"
WAV_SUFFIX: Final = ".wav"
DRAFT_SUFFIX: Final = ENTRY_SUFFIX + ".tmp"
"""What a crash leaves while an entry is written."""
READ_WHOLE_S: Final = 60.0
"""Up to here a take is read at once: 4 MB at 16 kHz."""
OLD_REASON_SUFFIX: Final = PART_SUFFIX + ".why"
"""Where earlier versions of Aloud kept the reason."""


class KeptAnswer:
    """An answer that is being recorded, transcribed or sent; safe to use from several threads.

    ``open`` begins it. Each step is noted as it happens: ``recorded``, ``transcribed`` or
    ``heard``, and at the end ``stored`` or ``discard``. An answer with neither end stays in the
    journal, and is offered again, also after a crash.

    Args:
        folder: of the recordings.
        entry: what is known of it.
        stem: what its files are called, without their suffix; ``None``: they are not there yet.
    """

    def __init__(self, folder: Path, entry: Entry, stem: str | None = None) -> None:
        self._folder = folder
        self._entry = entry
        self._stem = stem
        self._hold = ExitStack()
        self._lock = threading.RLock()
        self._is_over = False

    @property
    def entry(self) -> Entry:
        """What is known of it now."""
        return self._entry

    @property
    def submission_id(self) -> str:
        """What the server will know it by."""
        return self._entry.submission_id

    @property
    def spoken_at(self) -> datetime:
        """When the recording began."""
        return self._entry.spoken_at

    @property
    def name(self) -> str:
        """What it is asked for by; stays the same until it is stored or discarded."""
        assert self._stem is not None, "it has not begun"
        return self._stem + PART_SUFFIX

    def open(self, sample_rate_hz: int) -> TakeWriter:
        """Begin the recording: when this returns, answer and entry are on the disk.

        Raises:
            RecordingError: the folder cannot be written.
        """
        writer = TakeWriter(self._folder, sample_rate_hz, self._entry.label)
        self._stem = writer.part_path.name.removesuffix(PART_SUFFIX)
        try:
            self._write()
        except OSError as error:
            writer.discard()
            raise RecordingError(
                f"the recording cannot be written to {self._folder} ({error.strerror})",
                "make room on the disk, or choose another folder with ALOUD_HOME",
            ) from error
        return writer

    def copy(self, sound: Clip | SoundFile) -> None:
        """Begin it with sound that was recorded elsewhere, e.g. that came as a file.

        Raises:
            RecordingError: it cannot be written; nothing is left.
        """
        if isinstance(sound, SoundFile):
            self._entry = self._entry.model_copy(update={"condition": sound.condition})
        writer = self.open(SAMPLE_RATE_HZ)
        try:
            for block in blocks_of(sound):
                writer.append(block)
        except ClientError:
            writer.discard()
            self._forget_entry()
            raise
        writer.abandon()
        self.hold()

    def hold(self) -> Self:
        """Keep other programs from working on it, until it ends or ``let_go`` is called.

        Raises:
            TakeHeldError: another one does; RecordingError: it is gone.
        """
        with self._lock:
            sound = self.sound()
            if sound is None:
                raise RecordingError("this recording is no longer there")
            self._hold.enter_context(held(sound))
        return self

    def let_go(self, reason: str = "") -> None:
        """Leave it to be finished later; ``reason``: why, one line."""
        with self._lock:
            if self.sound() is None:  # nothing was recorded, or all is done
                self._forget_entry()
            elif reason:
                self._note(self._entry.because(reason))
            self._hold.close()

    def recorded(self) -> None:
        """The recording has ended as it should."""
        self._note(self._entry.model_copy(update={"state": "recorded"}))

    def transcribed(self, submission: Submission) -> None:
        """What will be sent is known; from now on nothing else is sent as this answer."""
        update = {
            "state": "transcribed",
            "submission": submission,
            "engine": submission.transcript.engine or self._entry.engine,
            "reason": "",
        }
        self._note(self._entry.model_copy(update=update))

    def heard(self, review: DrillReview) -> None:
        """The same of a take of a drill."""
        update = {"state": "transcribed", "review": review, "reason": ""}
        self._note(self._entry.model_copy(update=update))

    def stored(self) -> str:
        """The server has it, or it waits in the outbox: what is kept of its sound gets its name.

        An answer keeps its recording; of a drill's take nothing is kept.

        Returns:
            Why the recording was not kept, one line: no error, because the answer itself is safe.
            Else empty.
        """
        with self._lock:
            self._hold.close()
            sound = self.sound()
            try:
                if sound is not None and self._entry.kind == "drill":
                    sound.unlink(missing_ok=True)
                elif sound is not None:
                    whole = finish_take(sound) if sound.name.endswith(PART_SUFFIX) else sound
                    os.replace(whole, kept_path(self._folder, self.submission_id))
                    sync_folder(self._folder)
            except (RecordingError, OSError) as error:
                logger.warning("the recording of an answer was not kept: %s", error)
                return f"the recording was not kept: {error}"
            self._forget_entry()
            return ""

    def discard(self) -> None:
        """Delete sound and entry for good.

        Raises:
            RecordingError: they cannot be deleted.
        """
        with self._lock:
            self._hold.close()
            try:
                sound = self.sound()
                if sound is not None:
                    sound.unlink(missing_ok=True)
            except OSError as error:
                raise RecordingError(
                    f"the recording cannot be deleted ({error.strerror})"
                ) from error
            self._forget_entry()

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
            raise RecordingError("this recording is no longer there")
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
        self.let_go(why_unfinished(error) if error is not None else "")

    def _note(self, entry: Entry) -> None:
        """Write it down, if that can be done: a full disk must not cost the answer."""
        with self._lock:
            self._entry = entry
            if self._stem is not None and not self._is_over:
                try:
                    self._write()
                except OSError as error:
                    logger.warning("the journal of answers cannot be written: %s", error)

    def _write(self) -> None:
        assert self._stem is not None
        content = self._entry.model_dump_json().encode()
        write_durably(self._folder / (self._stem + ENTRY_SUFFIX), content, private=True)

    def _forget_entry(self) -> None:
        self._is_over = True
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
