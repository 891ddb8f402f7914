"""What kinds of file the exports write."""

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
    "yaml": "application/yaml",
    "zip": "application/zip",
}
"""Media type by a file's ending."""

_OTHERWISE_CALLED: Final = {"markdown": "md"}


def ending_of(format: str) -> str:
    """The ending of a file in a format that commands and requests name."""
    return _OTHERWISE_CALLED.get(format, format)


def media_type_of(name: str) -> str:
    """What a file of this name holds; one with an unknown ending is any bytes."""
    return MEDIA_TYPES.get(name.rpartition(".")[2], "application/octet-stream")
