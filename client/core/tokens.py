"""This machine's tokens for shared servers, one per server."""

import json
from pathlib import Path
from typing import Final

from client.core.durable_file import write_durably
from client.core.errors import ClientError

_LONGEST: Final = 500


class TokenFileError(ClientError):
    """A token cannot be kept or read; the text says why."""


def token_file(home: Path) -> Path:
    """Where they are stored: readable only by their owner."""
    return home / "tokens.json"


def stored_token(home: Path, server: str) -> str | None:
    """The token for exactly this server; no other server ever gets it.

    Raises:
        TokenFileError: the file cannot be read.
    """
    return _read(home).get(server)


def keep_token(home: Path, server: str, token: str) -> None:
    """Stores a token, replacing the previous one.

    Raises:
        TokenFileError: it is not a token, or the file cannot be written.
    """
    if not is_token(token):
        raise TokenFileError("that is not a token; copy the whole line that begins with aloud_")
    _write(home, _read(home) | {server: token})


def forget_token(home: Path, server: str) -> bool:
    """Forgets the token for a server; returns whether there was one."""
    tokens = _read(home)
    if server not in tokens:
        return False
    _write(home, {name: token for name, token in tokens.items() if name != server})
    return True


def is_token(text: str) -> bool:
    """Whether it can be sent in a header at all."""
    return 0 < len(text) <= _LONGEST and text.isascii() and text.isprintable() and " " not in text


def _read(home: Path) -> dict[str, str]:
    path = token_file(home)
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise TokenFileError(
            f"{path} cannot be read ({error}); delete it and sign in again with `aloud login`"
        ) from error
    if not isinstance(content, dict) or not all(
        isinstance(each, str) for each in (*content, *content.values())
    ):
        raise TokenFileError(f"{path} is damaged; delete it and sign in again with `aloud login`")
    return content


def _write(home: Path, tokens: dict[str, str]) -> None:
    path = token_file(home)
    try:
        content = (json.dumps(tokens, indent=2) + "\n").encode()
        write_durably(path, content, private=True)
    except OSError as error:
        raise TokenFileError(f"{path} cannot be written ({error.strerror})") from error
