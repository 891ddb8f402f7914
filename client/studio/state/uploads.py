"""Files that a page posts, read no further than they may be long."""

from dataclasses import dataclass

from fastapi import HTTPException
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.types import Message

__all__ = ["Upload", "read_uploads"]

_MOST_FIELDS = 10
_MOST_FRAMING_BYTES = 64 * 1024
"""What a form has around its files."""


@dataclass(frozen=True)
class Upload:
    """One file: its name on the sender's disk, for messages only, and its content."""

    name: str
    content: bytes


async def read_uploads(
    request: Request, field: str, *, most_bytes: int, most_files: int
) -> list[Upload]:
    """The files of one field of a form; a field that was left empty has none.

    Args:
        request: a form as ``multipart/form-data``.
        field: the field's name.
        most_bytes: of all files together.
        most_files: how many there may be.

    Raises:
        HTTPException: 413, more than that; 400, no such form.
    """
    received = 0

    async def limited() -> Message:
        nonlocal received
        message = await request.receive()
        received += len(message.get("body", b""))
        if received > most_bytes + _MOST_FRAMING_BYTES:
            raise HTTPException(
                413, f"at most {most_bytes // (1024 * 1024)} MB can be sent at once"
            )
        return message

    form = Request(request.scope, limited).form(max_files=most_files, max_fields=_MOST_FIELDS)
    async with form as sent:
        return [
            Upload(each.filename or "", await each.read())
            for each in sent.getlist(field)
            if isinstance(each, UploadFile) and each.filename
        ]
