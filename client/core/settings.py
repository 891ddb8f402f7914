"""The client's settings, from flags and environment; passed on, never a global."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from client.core.errors import ClientError


class SettingsError(ClientError):
    """A flag or an environment variable has a value that cannot be used."""


@dataclass(frozen=True)
class ClientSettings:
    """What the client needs to know.

    Attributes:
        home: the folder of your own data (absolute); made at first use.
        bank: folders or files added to the built-in bank, the last on top.
        lexicon: files or folders added to the built-in lexicon, the last on top.
        server: the address of a shared server without a slash at its end; ``None``: embedded.
        token: what the server knows this client by; ``None``: it has none.
    """

    home: Path
    bank: tuple[Path, ...] = ()
    lexicon: tuple[Path, ...] = ()
    server: str | None = None
    token: str | None = field(default=None, repr=False)

    @property
    def database(self) -> Path:
        """The embedded server's database."""
        return self.home / "aloud.db"

    @property
    def recordings(self) -> Path:
        """Where takes are recorded to."""
        return self.home / "recordings"

    @property
    def speech_cache(self) -> Path:
        """Where spoken prompts are kept."""
        return self.home / "speech"

    @property
    def own_drills(self) -> Path:
        """Your own drill items."""
        return self.home / "drills" / "own.yaml"

    @property
    def own_aliases(self) -> Path:
        """Your own words for key phrases."""
        return self.home / "own_aliases.yaml"

    @property
    def outbox(self) -> Path:
        """Where answers wait for a server."""
        return self.home / "outbox"


def load_settings(
    *,
    bank: Sequence[Path] = (),
    lexicon: Sequence[Path] = (),
    server: str | None = None,
    home: Path | None = None,
    env: Mapping[str, str] = os.environ,
) -> ClientSettings:
    """Settings from flags, or from the environment if a flag is not given.

    ``ALOUD_BANK`` and ``ALOUD_LEXICON`` are lists separated as in ``PATH`` (``:`` on Linux and
    macOS, ``;`` on Windows); ``ALOUD_SERVER`` is an address, ``ALOUD_HOME`` a folder. An empty
    variable counts as not set. ``ALOUD_TOKEN`` is the token for the server; it takes
    precedence over the one that ``aloud login`` keeps.

    Raises:
        SettingsError: the server's address or the token is not valid.
        TokenFileError: the file of tokens is damaged.
    """
    folder = _home(home, env)
    address = _server(server or env.get("ALOUD_SERVER", ""))
    return ClientSettings(
        home=folder,
        bank=tuple(bank) or _paths(env.get("ALOUD_BANK", "")),
        lexicon=tuple(lexicon) or _paths(env.get("ALOUD_LEXICON", "")),
        server=address,
        token=_token(folder, address, env),
    )


def _home(home: Path | None, env: Mapping[str, str]) -> Path:
    named = home or (Path(text) if (text := env.get("ALOUD_HOME", "")) else None)
    if named is not None:
        return named.expanduser().absolute()
    from platformdirs import user_data_path

    return user_data_path("aloud", appauthor=False)


def _token(home: Path, server: str | None, env: Mapping[str, str]) -> str | None:
    if server is None:
        return None
    from client.core.tokens import is_token, stored_token

    token = env.get("ALOUD_TOKEN", "").strip()
    if not token:
        return stored_token(home, server)
    if not is_token(token):
        raise SettingsError("ALOUD_TOKEN is not a token; it looks like aloud_…")
    return token


def _paths(text: str) -> tuple[Path, ...]:
    return tuple(Path(part).expanduser() for part in text.split(os.pathsep) if part)


def _server(text: str) -> str | None:
    if not text.strip():
        return None
    address = text.strip().rstrip("/")
    try:
        parts = urlsplit(address)
        _ = parts.port  # raises if it is not a number
        valid = parts.scheme in ("http", "https") and bool(parts.hostname)
        valid = valid and not parts.query and not parts.fragment
    except ValueError:
        valid = False
    if not valid:
        raise SettingsError(
            f"{text!r} is not a server address; it looks like https://aloud.example.org"
        )
    return address
