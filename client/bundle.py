"""A portable bundle: one answer as one file, for a coach without any server, and back."""

import json
import zipfile
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from client.errors import ClientError
from server.contract import Archive
from server.review_contract import ReviewDocument
from server.ui.exports.bundle_page import bundle_page

__all__ = ["BundleError", "make_bundle", "read_review"]

_PAGE: Final = "answer.html"
_ATTEMPT: Final = "attempt.json"
_REVIEW: Final = "comments.json"
_RECORDING: Final = "recording.flac"

_MOST_BYTES: Final = {
    _PAGE: 64 * 1024 * 1024,
    _ATTEMPT: 32 * 1024 * 1024,
    _REVIEW: 16 * 1024 * 1024,
    _RECORDING: 32 * 1024 * 1024,
}
"""What a bundle may hold, each unpacked: the largest answer of the contract is 5 MB of JSON."""

_MOST_FILE_BYTES: Final = 128 * 1024 * 1024


class BundleError(ClientError):
    """A file is no bundle and no comments, or cannot be trusted; the text says why."""


@dataclass(frozen=True)
class Packed:
    """A bundle's content and the name it should have."""

    name: str
    content: bytes


def make_bundle(archive: Archive, review: ReviewDocument, recording: bytes | None) -> Packed:
    """One answer as a bundle.

    Args:
        archive: of this one answer.
        review: what was written about it so far.
        recording: its sound as FLAC; ``None``: without.
    """
    attempt = archive.attempts[0]
    made = BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as bundle:
        bundle.writestr(_PAGE, bundle_page(attempt, review, recording))
        bundle.writestr(_ATTEMPT, archive.model_dump_json(indent=2))
        bundle.writestr(_REVIEW, review.model_dump_json(indent=2))
        if recording is not None:
            bundle.writestr(_RECORDING, recording, zipfile.ZIP_STORED)
    when = attempt.submission.created_at
    return Packed(f"aloud-{attempt.question.id}-{when:%Y-%m-%d}.zip", made.getvalue())


def read_review(path: Path) -> ReviewDocument:
    """The comments of a file that came back: saved by a bundle's page, or a whole bundle.

    Nothing is unpacked to the disk.

    Raises:
        BundleError: it is neither, damaged, or made to do harm.
    """
    try:
        with path.open("rb") as file:
            content = file.read(_MOST_FILE_BYTES + 1)
    except OSError as error:
        raise BundleError(f"{path} cannot be read: {error.strerror}") from error
    if len(content) > _MOST_FILE_BYTES:
        raise BundleError(f"{path} is too large for a bundle")
    if content.startswith(b"PK"):
        content = _review_in(path, content)
    return _parsed(path, content)


def _review_in(path: Path, content: bytes) -> bytes:
    try:
        with zipfile.ZipFile(BytesIO(content)) as bundle:
            members = bundle.infolist()
            for each in members:
                if each.filename not in _MOST_BYTES:
                    raise BundleError(f"{path} is no bundle of Aloud: it holds {each.filename!r}")
                if each.file_size > _MOST_BYTES[each.filename]:
                    raise BundleError(f"{path}: {each.filename} is too large unpacked")
            names = [each.filename for each in members]
            if len(set(names)) < len(names):
                raise BundleError(f"{path} is no bundle of Aloud: it holds a file twice")
            if _REVIEW not in names:
                raise BundleError(f"{path} is no bundle of Aloud: it has no {_REVIEW}")
            with bundle.open(_REVIEW) as member:
                # the stated size is the file's own word: never read more than may be
                unpacked = member.read(_MOST_BYTES[_REVIEW] + 1)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError, ValueError) as error:
        raise BundleError(f"{path} is damaged ({error}); ask for it again") from error
    if len(unpacked) > _MOST_BYTES[_REVIEW]:
        raise BundleError(f"{path}: {_REVIEW} is too large unpacked")
    return unpacked


def _parsed(path: Path, content: bytes) -> ReviewDocument:
    if len(content) > _MOST_BYTES[_REVIEW]:
        raise BundleError(f"{path} is too large for comments")
    try:
        document: Any = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise BundleError(f"{path} holds no comments of Aloud: it is no JSON") from error
    if not isinstance(document, dict) or document.get("format") != "aloud-review":
        raise BundleError(f"{path} holds no comments of Aloud")
    if document.get("schema_version") != 1:
        raise BundleError(f"{path} is of another version; upgrade Aloud to read it")
    try:
        return ReviewDocument.model_validate_json(content)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(each) for each in first["loc"])
        raise BundleError(f"{path} is damaged at {where}: {first['msg']}") from error
