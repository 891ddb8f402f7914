"""The candidate's own recordings, each named by the answer it belongs to."""

import shutil
from datetime import datetime
from pathlib import Path

from client.audio.take_file import TakeWriter
from client.core.errors import RecordingError
from pronunciation.clip import Clip


class OwnRecordings:
    """The recordings in one folder. They never leave this machine by themselves."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def path_of(self, submission_id: str) -> Path:
        """Where the recording of this answer is, if it was kept."""
        return self._folder / f"{submission_id}.wav"

    def keep(self, recording: Path, submission_id: str) -> Path:
        """Name a finished take by its answer."""
        return recording.replace(self.path_of(submission_id))

    def keep_clip(self, clip: Clip, submission_id: str) -> Path:
        """Keep the sound of an answer that was not recorded here, e.g. that came as a file.

        Raises:
            RecordingError: it cannot be written.
        """
        writer = TakeWriter(self._folder, clip.sample_rate_hz, submission_id)
        try:
            writer.append(clip.samples)
        except RecordingError:
            writer.discard()
            raise
        return self.keep(writer.finish(), submission_id)

    def forget(self, submission_id: str) -> None:
        """Delete the recording of one answer."""
        self.path_of(submission_id).unlink(missing_ok=True)

    def forget_before(self, moment: datetime) -> None:
        """Delete what was recorded before a moment."""
        for path in self._folder.glob("*.wav*"):
            if path.stat().st_mtime < moment.timestamp():
                path.unlink(missing_ok=True)

    def forget_all(self) -> None:
        """Delete every recording, unfinished ones too."""
        shutil.rmtree(self._folder, ignore_errors=True)
