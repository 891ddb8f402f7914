"""Reading a transcript from a file: plain text, or the JSON that ``aloud transcribe`` prints."""

from pathlib import Path
from typing import BinaryIO, Final

from pydantic import ValidationError

from client.core.errors import ClientError
from server.contract import MAX_TEXT_CHARS, Transcript

__all__ = ["TranscriptFileError", "read_transcript"]

_MAX_BYTES: Final = 16 * 1024 * 1024
"""The largest transcript of the contract, as JSON with word times, stays below this."""


class TranscriptFileError(ClientError):
    """A file is no transcript."""


def read_transcript(path: str, standard_input: BinaryIO) -> Transcript:
    """A transcript from a file, or from ``standard_input`` where ``path`` is ``-``.

    Raises:
        TranscriptFileError: missing, not text, empty, too long, or JSON that is no transcript.
    """
    name = "standard input" if path == "-" else path
    try:
        if path == "-":
            content = standard_input.read(_MAX_BYTES + 1)
        else:
            with Path(path).open("rb") as file:
                content = file.read(_MAX_BYTES + 1)
        text = content.decode("utf-8-sig").strip()
    except OSError as error:
        raise TranscriptFileError(f"{name}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise TranscriptFileError(f"{name}: is no UTF-8 text") from error
    if len(content) > _MAX_BYTES:
        raise TranscriptFileError(f"{name}: longer than a transcript can be")
    if not text:
        raise TranscriptFileError(f"{name}: is empty, there is nothing to grade")
    if text.startswith("{"):
        try:
            return Transcript.model_validate_json(text)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"])
            told = f"{where}: {first['msg']}" if where else first["msg"]
            raise TranscriptFileError(f"{name}: is JSON, but no transcript ({told})") from error
    if len(text) > MAX_TEXT_CHARS:
        raise TranscriptFileError(f"{name}: longer than {MAX_TEXT_CHARS} characters")
    return Transcript(text=text)
