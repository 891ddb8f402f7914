"""Attempts as files: what the exports of client and server share, and the kinds of file."""

from collections.abc import Mapping
from typing import Final

MEDIA_TYPES: Final[Mapping[str, str]] = {
    "csv": "text/csv; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "json": "application/json",
    "md": "text/markdown; charset=utf-8",
    "parquet": "application/vnd.apache.parquet",
    "pdf": "application/pdf",
    "srt": "application/x-subrip; charset=utf-8",
    "vtt": "text/vtt; charset=utf-8",
    "ics": "text/calendar; charset=utf-8",
    "yaml": "application/yaml",
    "zip": "application/zip",
}
"""Media types by file extension."""

_OTHERWISE_CALLED: Final = {"markdown": "md"}


def ending_of(format: str) -> str:
    """The file extension of a format as named in commands and requests."""
    return _OTHERWISE_CALLED.get(format, format)


def media_type_of(name: str) -> str:
    """The media type of a file name; arbitrary bytes if the extension is unknown."""
    return MEDIA_TYPES.get(name.rpartition(".")[2], "application/octet-stream")
