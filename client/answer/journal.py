"""The answers of one data folder that are not stored yet: begins new ones, finds the others."""

import contextlib
import hashlib
import re
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Self

from pydantic import ValidationError

from client.answer.answer import (
    DRAFT_SUFFIX,
    EMBEDDED,
    ENTRY_SUFFIX,
    OLD_REASON_SUFFIX,
    WAV_SUFFIX,
    Answer,
    Entry,
)
from client.audio.take_file import HEADER_BYTES, PART_SUFFIX, STAMP_FORMAT, is_held, length_s
from client.core.settings import ClientSettings
from server.contract import FollowUp, Submission

_EMPTY_AFTER_S: Final = 60.0
"""Before that, a recorder may just be making the file."""
_STAMPED: Final = re.compile(r"\d{8}T\d{12}Z-.*")
"""What the recordings of answers without an end are called; kept ones have their answer's id."""
_MAX_ENTRY_BYTES: Final = 64 << 20


class Journal:
    """The answers of one data folder that are not stored yet.

    Beside the sound of each, ``….wav.part`` (or ``….wav``, once it has been ended as it should),
    stands what is known of it, ``….json``. Both are gone, and the sound has its answer's name, when
    the answer is stored or waits in the outbox.

    Args:
        folder: of the recordings.
        server: the server that new answers are meant for; ``None``: the embedded server.
    """

    def __init__(self, folder: Path, server: str | None = None) -> None:
        self.folder = folder
        self.server = server

    @classmethod
    def of(cls, settings: ClientSettings) -> Self:
        """The journal in the settings' data folder."""
        return cls(settings.recordings, settings.server)

    def answer(self, question_id: str, engine: str = "") -> Answer:
        """A new answer to a question; ``open`` begins it."""
        server = self.server or EMBEDDED
        return Answer(self.folder, Entry(asked=question_id, engine=engine, server=server))

    def follow_up(self, question_id: str, asked: FollowUp, follows: int | None) -> Answer:
        """What will be said to a follow-up; it belongs to the answer of this number."""
        server = self.server or EMBEDDED
        entry = Entry(asked=question_id, follow_up=asked, follows=follows, server=server)
        return Answer(self.folder, entry)

    def drill(self, item_id: str, drill_set: str) -> Answer:
        """A new take of a drill's item; ``open`` begins it."""
        server = self.server or EMBEDDED
        entry = Entry(kind="drill", asked=item_id, drill_set=drill_set, server=server)
        return Answer(self.folder, entry)

    def sending(self, submission: Submission) -> Answer:
        """An answer whose words are known before its sound is stored, such as a recorded file."""
        entry = Entry(
            submission_id=submission.submission_id,
            asked=submission.question_id,
            server=self.server or EMBEDDED,
            engine=submission.transcript.engine or "",
            spoken_at=submission.created_at,
            state="transcribed",
            submission=submission,
        )
        return Answer(self.folder, entry)

    def unfinished(self) -> tuple[Answer, ...]:
        """What nobody works on and has no end, the oldest first.

        Takes of earlier versions of Aloud are among it. What holds no sound is left out, and
        deleted once it is older than a minute.
        """
        found = [each for stem in self._stems() if (each := self._look_at(stem)) is not None]
        return tuple(sorted(found, key=lambda each: (each.spoken_at, each.name)))

    def find(self, name: str) -> Answer | None:
        """An unfinished answer by its name; a name never becomes a path."""
        return next((each for each in self.unfinished() if each.name == name), None)

    def has(self, name: str) -> bool:
        """Whether an answer of this name is there, in work or not."""
        return name.removesuffix(PART_SUFFIX) in set(self._stems())

    def _stems(self) -> Iterator[str]:
        with contextlib.suppress(OSError):  # no folder yet, or none that can be read
            names = sorted(path.name for path in self.folder.iterdir())
            sounds = {stem for name in names if (stem := _stem_of_sound(name)) is not None}
            for name in names:
                stem = name.removesuffix(DRAFT_SUFFIX).removesuffix(ENTRY_SUFFIX)
                if name != stem and stem not in sounds and _STAMPED.fullmatch(stem):
                    self._settle(stem)
            yield from sorted(sounds)

    def _settle(self, stem: str) -> None:
        """Delete an entry without sound: a crash came after the sound got its name or was deleted.

        The sound goes first and comes first, so that nothing else leaves an entry alone.
        """
        for suffix in (ENTRY_SUFFIX, DRAFT_SUFFIX):
            with contextlib.suppress(OSError):
                (self.folder / (stem + suffix)).unlink(missing_ok=True)

    def _look_at(self, stem: str) -> Answer | None:
        with contextlib.suppress(OSError):
            part, whole = (self.folder / (stem + suffix) for suffix in (PART_SUFFIX, WAV_SUFFIX))
            sound = part if part.exists() else whole
            if is_held(sound):
                return None
            duration_s = length_s(sound)
            if not duration_s:
                if (
                    sound == part
                    and sound.stat().st_size <= HEADER_BYTES
                    and time.time() - sound.stat().st_mtime > _EMPTY_AFTER_S
                ):
                    sound.unlink(missing_ok=True)
                    self._settle(stem)
                return None
            entry = self._read(stem) or self._old(stem, sound)
            return Answer(self.folder, entry, stem, duration_s)
        return None

    def _read(self, stem: str) -> Entry | None:
        """The entry beside the sound; ``None``: there is none that can be read."""
        try:
            with (self.folder / (stem + ENTRY_SUFFIX)).open("rb") as file:
                return Entry.model_validate_json(file.read(_MAX_ENTRY_BYTES))
        except (OSError, ValidationError):
            return None

    def _old(self, stem: str, sound: Path) -> Entry:
        """What the file name tells of a take that an earlier version recorded.

        Its id follows from its name: however often it is finished, it is stored once.
        """
        stamp, _, label = stem.partition("-")
        try:
            spoken_at = datetime.strptime(stamp, STAMP_FORMAT).replace(tzinfo=UTC)
        except ValueError:  # renamed by hand
            spoken_at = datetime.fromtimestamp(sound.stat().st_mtime, UTC)
        entry = Entry(
            submission_id=hashlib.blake2b(stem.encode(), digest_size=16).hexdigest(),
            asked=label or "take",
            server=None,
            spoken_at=spoken_at,
            state="recording" if sound.name.endswith(PART_SUFFIX) else "recorded",
        )
        try:
            reason = (self.folder / (stem + OLD_REASON_SUFFIX)).read_text("utf-8", "replace")
        except OSError:
            return entry
        return entry.because(reason)


def _stem_of_sound(name: str) -> str | None:
    """What the files of an answer without an end are called; ``None``: this is none of them."""
    if name.endswith(PART_SUFFIX):
        return name.removesuffix(PART_SUFFIX)
    if name.endswith(WAV_SUFFIX) and _STAMPED.fullmatch(name):
        return name.removesuffix(WAV_SUFFIX)
    return None
