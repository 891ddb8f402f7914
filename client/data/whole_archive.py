"""One archive of everything: answers, drills, interviews, settings, own words, recordings.

A ZIP file. ``aloud.json`` is the archive of answers and drills, ``own/`` has the files of the data
folder, ``waiting.json`` what waits to be sent, ``recordings/`` the recordings. Importing it adds to
what is there and changes none of it.
"""

import json
import re
import shutil
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import yaml
from pydantic import BaseModel, ValidationError

from client.backend.outbox import M, Outbox, OutboxError
from client.backend.protocol import QueuedError, RejectedError
from client.backend.sending import OutboxBackend
from client.core.durable_file import rewrite_durably
from client.core.errors import SettingsError
from client.core.preferences import NAMES, change_preferences, source_of
from client.core.settings import ClientSettings
from client.data.exports import MAX_ARCHIVE_BYTES, ArchiveError, ImportedArchive, import_archive
from question_bank.errors import FileError
from question_bank.stories import MAX_STORIES
from question_bank.strict_yaml import parse_yaml, read_yaml
from server.contract import Archive, DrillReview, Submission

OWN_FILES: Final = (
    "own_aliases.yaml",
    "own_readings.yaml",
    "questions.yaml",
    "stories.yaml",
    "drills/*.yaml",
    "interviews/*.json",
    "stories/*",
    "microphone.json",
)
"""What the user has made in the data folder, beside the settings. Tokens are left out: they are
secrets of this machine."""
_ANSWERS, _SETTINGS, _OWN, _RECORDINGS = "aloud.json", "settings.json", "own/", "recordings/"
_WAITING: Final = "waiting.json"
_RECORDING: Final = re.compile(r"recordings/([0-9a-f]{32}\.wav)")
_MAX_FILE_BYTES: Final = 4 * 1024**3


@dataclass(frozen=True)
class ImportedEverything:
    """The result of an import: answers and drills, other files, recordings, settings.

    ``waiting``: answers and takes that waited where they come from; they are sent from here.
    """

    answers: ImportedArchive
    files: int
    recordings: int
    settings: int
    waiting: int = 0


class _Waiting(BaseModel):
    answers: tuple[Submission, ...] = ()
    reviews: tuple[DrillReview, ...] = ()


def write_archive(
    backend: OutboxBackend, settings: ClientSettings, path: Path, *, recordings: bool
) -> int:
    """Write everything into one file; returns how many recordings are in it.

    Raises:
        BackendError: the server does not give them.
        OSError: the file cannot be written.
    """
    sounds = sorted(settings.recordings.glob("*.wav")) if recordings else []
    kept = [each for each in sounds if _RECORDING.fullmatch(f"{_RECORDINGS}{each.name}")]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        # first: what is sent meanwhile is among the answers then
        waiting = _Waiting(answers=_kept(backend.outbox), reviews=_kept(backend.reviews))
        archive.writestr(_ANSWERS, backend.export_all().model_dump_json(indent=1))
        archive.writestr(_WAITING, waiting.model_dump_json(indent=1))
        for file in own_files(settings.home):
            archive.write(file, _OWN + file.relative_to(settings.home).as_posix())
        if (file := settings.home / _SETTINGS).is_file():
            archive.write(file, _SETTINGS)
        for file in kept:
            archive.write(file, _RECORDINGS + file.name)
    return len(kept)


def is_whole(path: Path) -> bool:
    """Whether a file is such an archive, not one of answers alone."""
    return zipfile.is_zipfile(path)


def read_whole(backend: OutboxBackend, settings: ClientSettings, path: Path) -> ImportedEverything:
    """Keep what an archive has and this machine has not.

    Raises:
        ArchiveError: the file is no archive.
        BackendError: the server does not take the answers.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            answers = import_archive(backend, _answers(archive, path))
            files = recordings = 0
            for entry in archive.infolist():
                target = _target(entry, settings)
                if target is None or entry.file_size > _MAX_FILE_BYTES:
                    continue
                if target.exists():
                    if target.suffix == ".yaml":
                        files += _add(target, archive.read(entry))
                    continue
                target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                with archive.open(entry) as content, target.open("xb") as copy:
                    shutil.copyfileobj(content, copy)
                is_sound = entry.filename.startswith(_RECORDINGS)
                recordings, files = recordings + is_sound, files + (not is_sound)
            chosen = _settings(archive, settings.home)
            waiting = _sent(archive, backend)
    except (zipfile.BadZipFile, OSError) as error:
        raise ArchiveError(path, f"cannot be read: {error}") from error
    return ImportedEverything(answers, files, recordings, chosen, waiting)


def own_files(home: Path) -> Iterator[Path]:
    """The files of ``OWN_FILES`` that are there."""
    for pattern in OWN_FILES:
        yield from (each for each in sorted(home.glob(pattern)) if each.is_file())


def _answers(archive: zipfile.ZipFile, path: Path) -> Archive:
    try:
        if archive.getinfo(_ANSWERS).file_size > MAX_ARCHIVE_BYTES:
            raise ArchiveError(path, "is too large for an export of Aloud")
        return Archive.model_validate_json(archive.read(_ANSWERS))
    except (KeyError, ValidationError) as error:
        made = "make one with `aloud export --format zip`"
        raise ArchiveError(path, "is not an archive of Aloud", made) from error


def _kept(outbox: Outbox[M]) -> tuple[M, ...]:
    """What waits or was refused; a damaged file is left out."""
    found: list[M] = []
    for each in (*outbox.pending(), *outbox.rejected()):
        with suppress(OutboxError):
            found.append(each.read())
    return tuple(found)


def _sent(archive: zipfile.ZipFile, backend: OutboxBackend) -> int:
    """Store what waited, or let it wait here; returns how many were taken."""
    try:
        waiting = _Waiting.model_validate_json(archive.read(_WAITING))
    except (KeyError, ValidationError):  # an earlier version wrote none
        return 0
    taken = 0
    sends: tuple[Callable[[], object], ...] = (
        *(partial(backend.submit, each) for each in waiting.answers),
        *(partial(backend.drills.review, each) for each in waiting.reviews),
    )
    for send in sends:
        with suppress(RejectedError):  # it is here already, or refused again
            with suppress(QueuedError):
                send()
            taken += 1
    return taken


def _target(entry: zipfile.ZipInfo, settings: ClientSettings) -> Path | None:
    """Where an entry belongs; ``None``: nowhere, whatever its name says."""
    if found := _RECORDING.fullmatch(entry.filename):
        return settings.recordings / found[1]
    name = entry.filename.removeprefix(_OWN)
    parts = name.split("/")
    plain = all(part and not part.startswith(".") and "\\" not in part for part in parts)
    if name == entry.filename or not plain or len(parts) > 2:
        return None
    alike = (pattern for pattern in OWN_FILES if pattern.count("/") + 1 == len(parts))
    known = any(Path(name).match(pattern) for pattern in alike)
    return settings.home / name if known else None


def _add(target: Path, content: bytes) -> bool:
    """Add what a file of words, questions or stories lacks; whether there was anything."""
    try:
        here, there = read_yaml(target).data, parse_yaml(content.decode("utf-8"), target.name).data
    except (FileError, UnicodeDecodeError):
        return False
    both = _both(here, there)
    if target.name == "stories.yaml":
        both = both[:MAX_STORIES]
    if both == here:
        return False
    text = yaml.safe_dump(both, allow_unicode=True, sort_keys=False, width=100)
    rewrite_durably(target, lambda: text.encode("utf-8"))
    return True


def _both(here: Any, there: Any) -> Any:
    """Entries of both; where they differ, those that are here."""
    if isinstance(here, dict) and isinstance(there, dict):
        return {**there, **{key: _both(value, there.get(key)) for key, value in here.items()}}
    if isinstance(here, list) and isinstance(there, list):
        known = [_name(each) for each in here]
        return [*here, *(each for each in there if _name(each) not in known)]
    return here


def _name(entry: Any) -> Any:
    return entry.get("id", entry) if isinstance(entry, dict) else entry


def _settings(archive: zipfile.ZipFile, home: Path) -> int:
    """Take the settings that nothing is chosen for here; returns how many."""
    taken = 0
    try:
        stored = json.loads(archive.read(_SETTINGS))
    except (KeyError, ValueError):
        return 0
    for name, value in stored.items() if isinstance(stored, dict) else ():
        if name in NAMES and isinstance(value, str):
            try:
                if source_of(home, name, {}) == "default":
                    change_preferences(home, {name: value})
                    taken += 1
            except SettingsError:  # of another version; the rest can be used
                continue
    return taken
