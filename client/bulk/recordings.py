"""Which recordings to assess: all in a folder, or those that a manifest names."""

import csv
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from client.core.errors import ClientError

SOUND_SUFFIXES: Final = frozenset((
    ".3gp", ".aac", ".aif", ".aiff", ".amr", ".au", ".avi", ".caf", ".flac", ".m4a", ".m4b", ".mka",
    ".mkv", ".mov", ".mp2", ".mp3", ".mp4", ".mpeg", ".mpg", ".oga", ".ogg", ".ogv", ".opus",
    ".ts", ".wav", ".weba", ".webm", ".wma", ".wmv",
))  # fmt: skip
"""Files with other suffixes are not taken from a folder; a manifest may name any file."""

MANIFEST_SUFFIXES: Final = frozenset((".jsonl", ".csv"))
_FIELDS: Final = ("audio", "question", "id")


class ManifestError(ClientError):
    """The folder or the manifest cannot be used as a whole."""


@dataclass(frozen=True)
class Recording:
    """One recorded answer.

    Attributes:
        id: names it in the results; no two recordings of a run have the same.
        audio: the file as the manifest names it, or relative to the folder.
        path: where the file is.
        question: the id of the question that it answers.
    """

    id: str
    audio: str
    path: Path
    question: str


@dataclass(frozen=True)
class Unusable:
    """An entry that names no recording.

    Attributes:
        id: where it stands, e.g. "line 3".
        error: what is wrong with it.
    """

    id: str
    error: str


def is_bulk(path: Path) -> bool:
    """Whether this names many recordings rather than one."""
    return path.is_dir() or path.suffix.lower() in MANIFEST_SUFFIXES


def recordings_of(path: Path, question: str | None) -> Iterator[Recording | Unusable]:
    """The recordings of a folder or a manifest, in a fixed order.

    Args:
        path: a folder, searched with its subfolders; or a manifest, JSON lines or CSV with a
            header, of ``audio``, ``question`` and an ``id`` of your own, the latter two optional.
            A relative ``audio`` counts from the manifest.
        question: what the recordings answer where neither manifest nor folder says it. Without it,
            a recording in a folder answers the question that its subfolder is named after.

    Raises:
        ManifestError: ``path`` cannot be read, or has no recording.
    """
    return _unique(_of_folder(path, question) if path.is_dir() else _of_manifest(path, question))


def _unique(found: Iterator[Recording | Unusable]) -> Iterator[Recording | Unusable]:
    seen: set[str] = set()
    for place, each in enumerate(found, 1):
        if each.id in seen:
            error = f"the id {each.id!r} is used twice; give each recording its own"
            each = Unusable(f"entry {place}", error)
        seen.add(each.id)
        yield each


def _of_folder(folder: Path, question: str | None) -> Iterator[Recording]:
    paths = sorted(
        each
        for each in folder.rglob("*")
        if each.suffix.lower() in SOUND_SUFFIXES
        and not each.name.startswith(".")
        and each.is_file()
    )
    if not paths:
        raise ManifestError(f"{folder} has no recording in it")
    for path in paths:
        name = path.relative_to(folder).as_posix()
        if question is None and path.parent == folder:
            raise ManifestError(
                f"which question does {name} answer? Name one with --question, put recordings into "
                "folders named after questions, or list them in a manifest"
            )
        yield Recording(name, name, path, question or path.parent.name)


def _of_manifest(path: Path, question: str | None) -> Iterator[Recording | Unusable]:
    read = _csv_entries if path.suffix.lower() == ".csv" else _json_entries
    empty = True
    try:
        # utf-8-sig: editors on Windows begin with a mark. newline="": lines end at "\n" alone.
        with path.open(encoding="utf-8-sig", newline="") as lines:
            for number, entry in read(lines):
                empty = False
                yield _recording(f"line {number}", entry, path.parent, question)
    except OSError as error:
        raise ManifestError(f"{path}: {error.strerror}") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise ManifestError(f"{path}: cannot be read as text ({error})") from error
    if empty:
        raise ManifestError(f"{path} names no recording")


def _json_entries(lines: Iterator[str] | Any) -> Iterator[tuple[int, object]]:
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                yield number, json.loads(line)
            except json.JSONDecodeError as error:
                yield number, error.msg
            except (ValueError, RecursionError):  # a number of 5,000 digits, 100,000 brackets
                yield number, "no line that names a recording"


def _csv_entries(lines: Iterator[str] | Any) -> Iterator[tuple[int, object]]:
    rows = csv.DictReader(lines, skipinitialspace=True)
    if "audio" not in (rows.fieldnames or ()):
        raise ManifestError("a CSV manifest begins with a header, which has a column `audio`")
    for row in rows:
        yield rows.line_num, {name: row[name] for name in _FIELDS if row.get(name)}


def _is_text(value: object) -> bool:
    """Whether a file or a question can have this name."""
    if not isinstance(value, str) or not value.strip() or "\0" in value:
        return False
    return not any("\ud800" <= character <= "\udfff" for character in value)  # JSON's \ud800


def _recording(
    place: str, entry: object, folder: Path, question: str | None
) -> Recording | Unusable:
    if not isinstance(entry, dict):
        problem = f" ({entry})" if isinstance(entry, str) else ""
        return Unusable(place, f"{place}: is not a JSON object on a line of its own{problem}")
    values = {name: entry.get(name) for name in _FIELDS}
    for name, value in values.items():
        if value is not None and not _is_text(value):
            return Unusable(place, f"{place}: `{name}` is not a text")
    audio, answered = values["audio"], values["question"] or question
    if audio is None:
        return Unusable(place, f"{place}: `audio` is missing")
    if answered is None:
        return Unusable(place, f"{place}: `question` is missing, and there is no --question")
    return Recording(values["id"] or audio, audio, folder / Path(audio).expanduser(), answered)
