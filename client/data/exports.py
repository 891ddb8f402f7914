"""Exports of your own attempts: Markdown, HTML, JSON that can be imported, CSV, subtitles."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from client.backend.protocol import Backend
from client.core.errors import ClientError
from server.contract import Archive, DrillImport, ImportResult, Transcript
from server.ui.exports.csv_table import to_csv
from server.ui.exports.html import to_html
from server.ui.exports.markdown import to_markdown
from server.ui.exports.transcript_text import to_srt, to_vtt

MAX_ARCHIVE_BYTES: Final = 1024**3
"""A thousand of the contract's largest answers; a larger file is something else."""

SUBTITLES: Final[Mapping[str, Callable[[Transcript], str]]] = {"srt": to_srt, "vtt": to_vtt}

_MAKE_ONE: Final = "make one with `aloud export --format json`"

EXPORT_FORMATS: Final = ("markdown", "html", "json", "csv", *SUBTITLES)


@dataclass(frozen=True)
class ImportedArchive:
    """The result of an import: what is new, what was already here, and conflicting ids."""

    attempts: ImportResult
    drills: DrillImport

    @property
    def conflicts(self) -> tuple[str, ...]:
        """Ids that belong to different answers and takes here."""
        return (*self.attempts.conflicts, *self.drills.conflicts)


class ExportError(ClientError):
    """An answer cannot be exported in this format, or the file to import is not an export."""


class ArchiveError(ExportError):
    """A file cannot be imported.

    Attributes:
        path: the file.
        problem: what is wrong with it, to follow its name.
        remedy: what to do on the command line; may be empty.
    """

    def __init__(self, path: Path, problem: str, remedy: str = "") -> None:
        self.path, self.problem, self.remedy = path, problem, remedy
        super().__init__(f"{path} {problem}" + (f"; {remedy}" if remedy else ""))


def export_attempts(backend: Backend, format: str, attempt_id: int | None = None) -> str:
    """One attempt, or all of them, oldest first, as the text of a file.

    Args:
        backend: where the attempts are.
        format: one of ``EXPORT_FORMATS``; the subtitles are of one attempt.
        attempt_id: the attempt; ``None``: all.

    Raises:
        ExportError: there is no such format, or subtitles were asked for but there are no times.
        BackendError: the attempt does not exist or the server is away.
    """
    if format not in EXPORT_FORMATS:
        raise ExportError(f"there is no format {format!r}; there are {', '.join(EXPORT_FORMATS)}")
    if format in SUBTITLES:
        if attempt_id is None:
            raise ExportError(f"{format} is for one attempt: say which one")
        return _subtitles(backend, format, attempt_id)
    archive = backend.export_all() if attempt_id is None else backend.export_one(attempt_id)
    if format == "json":
        return archive.model_dump_json(indent=2) + "\n"
    if format == "csv":
        return to_csv(archive.attempts)
    if format == "html":
        return to_html(archive.attempts)
    return to_markdown(archive.attempts)


def read_archive(path: Path) -> Archive:
    """What a JSON export wrote.

    Raises:
        ArchiveError: the file cannot be read or is not such an export.
    """
    try:
        if path.stat().st_size > MAX_ARCHIVE_BYTES:
            raise ArchiveError(path, "is too large for an export of Aloud")
        content = path.read_bytes()
    except OSError as error:
        raise ArchiveError(path, f"cannot be read: {error.strerror}") from error
    if not content.strip():
        raise ArchiveError(path, "is not an export: it is empty", _MAKE_ONE)
    try:
        return Archive.model_validate_json(content)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part)[:80] for part in first["loc"])
        where = f" ({place}: {first['msg']})" if place else f" ({first['msg']})"
        raise ArchiveError(
            path, f"is not an export that can be imported{where}", _MAKE_ONE
        ) from error


def _subtitles(backend: Backend, format: str, attempt_id: int) -> str:
    transcript = backend.attempt(attempt_id).report.transcript
    if not any(word.start_s is not None for word in transcript.words):
        raise ExportError(
            f"attempt {attempt_id} has no word times (a typed answer): there is nothing to subtitle"
        )
    return SUBTITLES[format](transcript)


def import_archive(backend: Backend, archive: Archive) -> ImportedArchive:
    """Keeps the attempts and drills of an archive; those that are there stay as they are.

    Raises:
        BackendError: the server does not take them.
    """
    attempts = backend.import_attempts(archive.attempts)
    return ImportedArchive(attempts, backend.drills.import_reviews(archive.drill_reviews))
