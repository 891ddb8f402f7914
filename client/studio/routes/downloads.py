"""Responses that a browser saves as files."""

from collections.abc import Iterable

from starlette.exceptions import HTTPException
from starlette.responses import Response

from server.ui.exports.file_types import ending_of, media_type_of


def download(name: str, content: str | bytes) -> Response:
    """A file to save under this name, whose ending says what it is."""
    return Response(
        content,
        media_type=media_type_of(name),
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


def export_format(ending: str, formats: Iterable[str]) -> str:
    """The one of these formats whose files end so.

    Raises:
        HTTPException: 404, there is none.
    """
    for format in formats:
        if ending_of(format) == ending:
            return format
    raise HTTPException(404, f"there is no export named {ending!r}")
