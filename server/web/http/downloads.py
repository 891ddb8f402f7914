"""Responses that are not pages: files to save, and sound, whole or by ranges for a player."""

import re
from typing import Final
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response

from server.jobs.job import MadeFile
from server.sharing.recordings import Sound

_RANGE: Final = re.compile(r"bytes=(\d{0,18})-(\d{0,18})")


def file_response(file: MadeFile) -> Response:
    """A file to download, never to show inline: its content comes from other people."""
    plain = "".join(char if char.isascii() and char.isprintable() else "_" for char in file.name)
    plain = re.sub(r'["\\%/]', "_", plain)
    return Response(
        file.content,
        media_type=file.media_type,
        headers={
            "Content-Disposition": (
                f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(file.name, safe='')}"
            ),
            "Cache-Control": "no-store",
        },
    )


def sound_response(request: Request, sound: Sound) -> Response:
    """The recording, or the one range of it that the request names (RFC 9110, section 14)."""
    headers = {
        "Accept-Ranges": "bytes",
        "Cache-Control": "private, no-cache",
        "Content-Disposition": "inline",
        "ETag": f'"{sound.sha256}"',
    }
    size = len(sound.content)
    asked = _RANGE.fullmatch(request.headers.get("range", ""))
    fresh = request.headers.get("if-range", headers["ETag"]) == headers["ETag"]
    if asked is None or not fresh or asked.groups() == ("", ""):
        return Response(sound.content, media_type=sound.media_type, headers=headers)
    first, last = _bounds(asked[1], asked[2], size)
    if first > last:
        return Response(status_code=416, headers=headers | {"Content-Range": f"bytes */{size}"})
    headers["Content-Range"] = f"bytes {first}-{last}/{size}"
    part = sound.content[first : last + 1]
    return Response(part, 206, media_type=sound.media_type, headers=headers)


def _bounds(first: str, last: str, size: int) -> tuple[int, int]:
    """First and last byte; the first is after the last if there is nothing to send."""
    if not first:  # that many bytes from the end
        return (max(0, size - int(last)), size - 1) if int(last) else (1, 0)
    end = min(int(last), size - 1) if last else size - 1
    return (int(first), end) if int(first) < size else (1, 0)
