"""The candidate's own recordings, each named by the answer it belongs to."""

import re
import shutil
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Final

import numpy as np

from client.answer.answer import Answer, kept_path
from client.answer.journal import Journal
from client.audio.files import read_audio
from client.audio.take_file import TakeHeldError
from pronunciation.clip import SAMPLE_RATE_HZ, Clip
from server.contract import Submission, follow_up_starts

_IS_KEPT: Final = re.compile(r"[0-9a-f]{32}")
"""What the recording of a stored answer is called."""


class OwnRecordings:
    """The recordings in one folder. They never leave this machine by themselves."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def path_of(self, submission_id: str) -> Path:
        """Where the recording of this answer is, if it was kept."""
        return kept_path(self._folder, submission_id)

    def whole(self, submission: Submission) -> Clip:
        """The recording of an answer and, at its end, of what was said to its follow-ups.

        Each begins where ``follow_up_starts`` says; one that is not here is left silent.

        Raises:
            AudioFileError: a recording cannot be read.
        """
        said = [each.transcript for each in submission.follow_ups]
        samples = read_audio(self.path_of(submission.submission_id)).samples
        starts = follow_up_starts(submission.transcript, said)
        for each, start_s in zip(submission.follow_ups, starts, strict=False):
            if (path := self.path_of(each.submission_id)).is_file():
                silence = max(0, round(start_s * SAMPLE_RATE_HZ) - samples.size)
                samples = np.concatenate(
                    (samples, np.zeros(silence, np.float32), read_audio(path).samples)
                )
        return Clip(samples)

    def forget(self, submission_id: str) -> None:
        """Delete the recording of one answer."""
        self.path_of(submission_id).unlink(missing_ok=True)

    def unfinished(self, before: datetime | None = None) -> tuple[Answer, ...]:
        """The answers without a report that ``forget_before`` or ``forget_all`` would delete."""
        found = Journal(self._folder).unfinished()
        return tuple(each for each in found if before is None or each.spoken_at < before)

    def forget_before(self, moment: datetime) -> None:
        """Delete what was recorded before a moment, unfinished answers too."""
        for each in self.unfinished(moment):
            with suppress(TakeHeldError):
                each.discard()
        for path in self._folder.glob("*.wav"):
            if _IS_KEPT.fullmatch(path.stem) and path.stat().st_mtime < moment.timestamp():
                path.unlink(missing_ok=True)

    def forget_all(self) -> None:
        """Delete every recording, unfinished ones too."""
        shutil.rmtree(self._folder, ignore_errors=True)
