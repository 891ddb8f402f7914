"""Bundles: one answer as one file for a coach without a server, and the coach's file merged."""

import base64
import json
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import ValidationError

from client.backend.protocol import Backend, RejectedError, Reviews
from client.core.errors import ClientError
from client.data.own_recordings import OwnRecordings
from client.data.sharing import NoSharingError, encode_for_upload
from server.contract import Archive, MergedReview, ReviewDocument
from server.ui.exports.html import bundle_page

_PAGE: Final = "answer.html"
_ATTEMPT: Final = "attempt.json"
_REVIEW: Final = "comments.json"
_RECORDINGS: Final = {"audio/flac": "recording.flac", "audio/ogg": "recording.ogg"}

_MOST_BYTES: Final = {
    _PAGE: 96 * 1024 * 1024,
    _ATTEMPT: 32 * 1024 * 1024,
    _REVIEW: 16 * 1024 * 1024,
} | dict.fromkeys(_RECORDINGS.values(), 48 * 1024 * 1024)
"""What a bundle may hold, each unpacked: the largest answer of the contract is 5 MB of JSON, three
hours of Opus are 43 MB, and the page has the sound once more, in base64."""

MOST_FILE_BYTES: Final = 128 * 1024 * 1024

_DAMAGED: Final = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    OSError,
    ValueError,
)
"""What ``zipfile`` raises on files that are not whole, encrypted, or made up."""


class BundleError(ClientError):
    """A file is neither a bundle nor comments, or cannot be trusted; the text says why."""


@dataclass(frozen=True)
class PackedBundle:
    """A bundle's content and the name it should have."""

    name: str
    content: bytes


@dataclass(frozen=True)
class Sound:
    """A recording in a bundle: FLAC, or Opus where that would be large."""

    content: bytes
    media_type: Literal["audio/flac", "audio/ogg"]


def bundle_of(
    backend: Backend,
    reviews: Reviews,
    recordings: OwnRecordings,
    attempt_id: int,
    *,
    with_audio: bool = False,
) -> PackedBundle:
    """An answer as a bundle, with everything that was written about it.

    Raises:
        NoSharingError: the recording is wanted and not on this machine.
        BackendError, AudioFileError: as they say.
    """
    archive = backend.export_one(attempt_id)
    sound = None
    if with_audio:
        submission = archive.attempts[0].submission
        if not recordings.path_of(submission.submission_id).is_file():
            raise NoSharingError("there is no recording of this answer on this machine")
        sound = Sound(*encode_for_upload(recordings.whole(submission)))
    return make_bundle(archive, reviews.document(attempt_id), sound)


_TONGUE: Final[Any] = {"language": {"mother_tongue"}}
_REPORTS: Final[Any] = {"reports": {"__all__": {"report": _TONGUE}}, "corrected": _TONGUE}
"""A coach needs no mother tongue; without it, nothing is looked at again."""


def make_bundle(archive: Archive, review: ReviewDocument, sound: Sound | None) -> PackedBundle:
    """One answer as a bundle.

    Args:
        archive: of this one answer.
        review: what was written about it so far.
        sound: its recording; ``None``: without.
    """
    attempt = archive.attempts[0]
    made = BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as bundle:
        address = None if sound is None else _as_address(sound)
        bundle.writestr(_PAGE, bundle_page(attempt, review, address))
        bundle.writestr(
            _ATTEMPT, archive.model_dump_json(indent=2, exclude={"attempts": {"__all__": _REPORTS}})
        )
        bundle.writestr(_REVIEW, review.model_dump_json(indent=2))
        if sound is not None:
            bundle.writestr(_RECORDINGS[sound.media_type], sound.content, zipfile.ZIP_STORED)
    when = attempt.submission.created_at
    return PackedBundle(f"aloud-{attempt.question.id}-{when:%Y-%m-%d}.zip", made.getvalue())


def _as_address(sound: Sound) -> str:
    return f"data:{sound.media_type};base64," + base64.b64encode(sound.content).decode()


def merge_each(
    reviews: Reviews, documents: Iterable[tuple[str, ReviewDocument]]
) -> Iterator[tuple[str, MergedReview]]:
    """Merges what came back, file after file.

    Args:
        reviews: where the comments on your own answers are stored.
        documents: each with the name of its file, for messages.

    Raises:
        BackendError: the first that is refused, by its name; those before it stay merged.
    """
    for name, document in documents:
        try:
            yield name, reviews.merge(document)
        except RejectedError as error:
            raise RejectedError(f"{name}: {error}", error.code) from error


def news_of(merged: MergedReview) -> str:
    """What a merge added, in words: ``2 new comments, 1 new score``."""
    counts = {
        "comment": len(merged.added),
        "score": merged.scores,
        "corrected verdict": merged.corrections,
    }
    news = [
        f"{count} new {what}{'' if count == 1 else 's'}"
        for what, count in counts.items()
        if count or what == "comment"
    ]
    return ", ".join(news)


def read_review(path: Path) -> ReviewDocument:
    """The comments of a file that came back: saved by a bundle's page, or a whole bundle.

    Nothing is unpacked to the disk.

    Raises:
        BundleError: it is neither, damaged, or made to do harm.
    """
    try:
        with path.open("rb") as file:
            content = file.read(MOST_FILE_BYTES + 1)
    except OSError as error:
        raise BundleError(f"{path} cannot be read: {error.strerror}") from error
    return parse_review(str(path), content)


def parse_review(name: str, content: bytes) -> ReviewDocument:
    """The same from a file's content.

    Raises:
        BundleError: as for ``read_review``.
    """
    if len(content) > MOST_FILE_BYTES:
        raise BundleError(f"{name} is too large for a bundle")
    if content.startswith(b"PK"):
        content = _review_in(name, content)
    return _parsed(name, content)


def _review_in(name: str, content: bytes) -> bytes:
    try:
        with zipfile.ZipFile(BytesIO(content)) as bundle:
            members = bundle.infolist()
            for each in members:
                if each.filename not in _MOST_BYTES:
                    raise BundleError(
                        f"{name} is not an Aloud bundle: it holds {each.filename[:80]!r}"
                    )
                if each.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                    raise BundleError(f"{name} is not an Aloud bundle: it is packed in another way")
                if each.file_size > _MOST_BYTES[each.filename]:
                    raise BundleError(f"{name}: {each.filename} is too large unpacked")
            names = [each.filename for each in members]
            if len(set(names)) < len(names):
                raise BundleError(f"{name} is not an Aloud bundle: it holds a file twice")
            if _REVIEW not in names:
                raise BundleError(f"{name} is not an Aloud bundle: it has no {_REVIEW}")
            with bundle.open(_REVIEW) as member:
                # the stated size is the file's own word: never read more than may be
                unpacked = member.read(_MOST_BYTES[_REVIEW] + 1)
    except _DAMAGED as error:
        raise BundleError(f"{name} is damaged ({error}); ask for it again") from error
    if len(unpacked) > _MOST_BYTES[_REVIEW]:
        raise BundleError(f"{name}: {_REVIEW} is too large unpacked")
    return unpacked


def _parsed(name: str, content: bytes) -> ReviewDocument:
    if len(content) > _MOST_BYTES[_REVIEW]:
        raise BundleError(f"{name} is too large for comments")
    try:
        document: Any = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise BundleError(f"{name} holds no Aloud comments: it is not JSON") from error
    if not isinstance(document, dict) or document.get("format") != "aloud-review":
        raise BundleError(f"{name} holds no Aloud comments")
    if document.get("schema_version") != 1:
        raise BundleError(f"{name} is of another version; upgrade Aloud to read it")
    try:
        return ReviewDocument.model_validate(document)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(each) for each in first["loc"])
        raise BundleError(f"{name} is damaged at {where}: {first['msg']}") from error
