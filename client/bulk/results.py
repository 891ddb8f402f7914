"""The file of results: one JSON line per recording, in the order they are finished.

A run that ended early continues where it stopped: a recording that has a line is not assessed
again, and a line that was cut short is removed.
"""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from filelock import FileLock, Timeout

from client.core.errors import ClientError

Line = dict[str, Any]
"""``{"id", "audio", "question", "report"}``, or ``error`` in place of ``report``."""


_BEGIN: Final = b'{"id": '


class ResultsError(ClientError):
    """The file of results cannot be used; the text says what to do."""


class Results:
    """An open file of results; made by ``open_results``.

    Attributes:
        done: ids of the recordings that have a line.
        failed: those of them whose line has an error.
    """

    def __init__(self, path: Path) -> None:
        self.done: set[str] = set()
        self.failed: set[str] = set()
        self._path = path
        self._made_by: dict[str, str] | None = None
        for line in _lines(path):
            self._note(line)
        _end_at_a_whole_line(path)
        self._file = path.open("a", encoding="ascii")

    def add(self, line: Line) -> None:
        """Write a recording's line.

        Raises:
            ResultsError: earlier lines were made by another engine, model, grader or bank.
        """
        self._note(line)
        self._file.write(_text(line))
        self._file.flush()

    def close(self) -> None:
        """Write what is left to the disk."""
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()

    def _note(self, line: Line) -> None:
        self.done.add(line["id"])
        if "report" not in line:
            self.failed.add(line["id"])
            return
        made_by = _made_by(line["report"])
        if self._made_by is None:
            self._made_by = made_by
        for name, value in made_by.items():
            if self._made_by[name] != value:
                raise ResultsError(
                    f"{self._path} has results of {name} {self._made_by[name]}, and these are of "
                    f"{name} {value}: name another file with --out"
                )


@contextmanager
def open_results(path: Path, *, retry_failed: bool = False) -> Iterator[Results]:
    """Open the file, made if it is missing.

    Args:
        path: the file.
        retry_failed: remove the lines with errors first, so that their recordings are done again.

    Raises:
        ResultsError: it cannot be written, holds something else, or another run writes to it.
    """
    lock = FileLock(path.with_name(path.name + ".lock"))
    try:
        with lock.acquire(timeout=0):
            if retry_failed:
                _remove_failed(path)
            results = Results(path)
            try:
                yield results
            finally:
                results.close()
    except Timeout as error:
        raise ResultsError(f"another run writes to {path}") from error
    except OSError as error:
        raise ResultsError(f"{path}: {error.strerror}") from error


def _lines(path: Path) -> Iterator[Line]:
    """The lines that are whole."""
    if not path.exists():
        return
    with path.open("rb") as file:
        for number, text in enumerate(file, 1):
            try:
                if not text.endswith(b"\n") and (
                    text.startswith(_BEGIN) or _BEGIN.startswith(text)
                ):
                    return  # the run was killed while it wrote this line
                line = json.loads(text)
                if not isinstance(line["id"], str) or ("report" in line) == ("error" in line):
                    raise ValueError("no result")
                if "report" in line:
                    _made_by(line["report"])
            except (ValueError, KeyError, TypeError) as error:
                raise ResultsError(
                    f"{path} holds something other than results (line {number}): "
                    "name another file with --out"
                ) from error
            yield line


def _made_by(report: dict[str, Any]) -> dict[str, str]:
    return {
        "engine": f"{report['transcript']['engine']} {report['transcript']['model']}",
        "grader": report["grader_version"],
        "bank": report["bank_version"],
    }


def _end_at_a_whole_line(path: Path) -> None:
    """Remove the line that a killed run had begun."""
    if not path.exists():
        return
    with path.open("rb+") as file:
        size = file.seek(0, os.SEEK_END)
        while size:
            start = max(0, size - 65536)
            file.seek(start)
            found = file.read(size - start).rfind(b"\n")
            if found >= 0:
                size = start + found + 1
                break
            size = start
        file.truncate(size)


def _remove_failed(path: Path) -> None:
    kept = path.with_name(path.name + ".kept")
    with kept.open("w", encoding="ascii") as file:
        file.writelines(_text(line) for line in _lines(path) if "report" in line)
    kept.replace(path)


def _text(line: Line) -> str:
    # ASCII: a U+2028 within a text would end the line for some readers
    return json.dumps(line, allow_nan=False) + "\n"
