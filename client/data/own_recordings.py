"""The candidate's own recordings, each named by the answer it belongs to."""

import re
import shutil
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Final

from client.answer.answer import Answer, kept_path
from client.answer.journal import Journal
from client.audio.take_file import TakeHeldError

_IS_KEPT: Final = re.compile(r"[0-9a-f]{32}")
"""What the recording of a stored answer is called."""


class OwnRecordings:
    """The recordings in one folder. They never leave this machine by themselves."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def path_of(self, submission_id: str) -> Path:
        """Where the recording of this answer is, if it was kept."""
        return kept_path(self._folder, submission_id)

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
