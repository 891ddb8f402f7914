"""The files of a bank or lexicon: finding them in folders, and caching them compiled."""

import hashlib
import logging
import os
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, TypeVar

from pydantic import BaseModel, ValidationError

from question_bank.errors import Fault, FileError, unreadable

logger = logging.getLogger(__name__)

_ENDINGS: Final = (".yaml", ".yml")

_KEPT: Final = 9
"""Compiled copies in a folder: the built-in bank, lexicon and terms, and those of a program."""

_VERSION_DIGITS: Final = 12
"""48 bits of SHA-256: enough to distinguish all banks a person may use, and short enough to
read."""

M = TypeVar("M", bound=BaseModel)


def version_of(content: str) -> str:
    """The version of a bank or lexicon with this content."""
    return hashlib.sha256(content.encode()).hexdigest()[:_VERSION_DIGITS]


def yaml_files(path: Path, *subfolders: str) -> list[Path]:
    """The file itself, or the YAML files in a folder and its subfolders, by name.

    Raises:
        FileError: there is nothing, or no YAML file in the folder.
    """
    if path.is_file():
        return [path]
    if not path.is_dir():
        says = (
            "is neither a file nor a folder" if path.exists() else "there is no such file or folder"
        )
        raise FileError(Fault(says, str(path)))
    folders = [each for each in (path, *map(path.joinpath, subfolders)) if each.is_dir()]
    try:
        found = [
            file
            for folder in folders
            for file in sorted(folder.iterdir())
            if file.suffix.lower() in _ENDINGS and not file.name.startswith(".")
        ]
    except OSError as error:
        raise unreadable(str(path), error) from error
    if not found:
        raise FileError(Fault("the folder has no .yaml file", str(path)))
    return found


def compiled(
    model: type[M],
    files: Sequence[Path],
    folder: Path,
    make: Callable[[], M],
    code: Sequence[Path],
    content: bytes = b"",
) -> M:
    """The compiled content of these files, from the cache, or compiled and cached.

    Reading YAML takes ten times as long as reading the copy. The copy's name is a digest of
    everything it was made from and with, so it is never out of date.

    Args:
        model: the model of the content.
        files: the sources, in order.
        folder: keeps copies; created if it is missing.
        make: compiles the content.
        code: the modules that compile it.
        content: what else it is made from.
    """
    digest = hashlib.sha256(model.__name__.encode() + content)
    try:
        for file in (*code, *files):
            digest.update(hashlib.sha256(str(file).encode()).digest())
            digest.update(hashlib.sha256(file.read_bytes()).digest())
    except OSError:
        return make()  # which says what is wrong
    copy = folder / f"{model.__name__.strip('_').lower()}-{digest.hexdigest()[:32]}.json"
    try:
        return model.model_validate_json(copy.read_bytes())
    except (OSError, ValidationError):
        made = make()
    try:
        _keep(copy, made.model_dump_json().encode())
    except OSError as error:
        logger.debug("%s cannot be written: %s", copy, error)
    return made


def _keep(copy: Path, data: bytes) -> None:
    for folder in (copy.parent.parent, copy.parent):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=copy.parent, prefix=".", suffix=".new")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        Path(name).replace(copy)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
    copies = sorted(copy.parent.glob("*.json"), key=lambda file: file.stat().st_mtime)
    for old in copies[:-_KEPT]:
        old.unlink(missing_ok=True)
