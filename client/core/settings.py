"""The client's settings, from options and environment; passed on, never a global."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from platformdirs import user_data_path

from client.core.errors import SettingsError
from client.core.preferences import Preferences, load_preferences
from client.core.tokens import is_token, stored_token

_LONGEST: Final = 500
"""Characters of a judge's address and model; a report names both."""


@dataclass(frozen=True)
class JudgeSettings:
    """A language model that judges key phrases that were not found.

    Attributes:
        address: of its OpenAI-compatible API, without a slash at its end.
        model: the model's name there.
        key: what the API knows you by; ``None``: it needs none.
    """

    address: str
    model: str
    key: str | None = field(default=None, repr=False)

    @property
    def is_local(self) -> bool:
        """Whether it runs on this machine: what it is asked stays here."""
        host = urlsplit(self.address).hostname or ""
        try:
            return host == "localhost" or ip_address(host).is_loopback
        except ValueError:  # a name: it may lead anywhere
            return False


def load_judge(
    address: str | None, model: str | None, env: Mapping[str, str]
) -> JudgeSettings | None:
    """The judge from flags, or from ``ALOUD_JUDGE``, ``…_MODEL`` and ``…_KEY``; ``None``: no judge.

    Raises:
        SettingsError: address, model or key is not valid, or the model is missing.
    """
    text = address or env.get("ALOUD_JUDGE", "")
    named = text.strip().rstrip("/").removesuffix("/chat/completions")
    if not named:
        if model:
            raise SettingsError(
                "a model alone is not enough for a judge: add --judge URL, or ALOUD_JUDGE"
            )
        return None
    if not is_address(named) or "@" in urlsplit(named).netloc or len(named) > _LONGEST:
        raise SettingsError(
            f"{text!r} is not the address of a judge; it looks like http://127.0.0.1:11434/v1"
        )
    chosen = (model or env.get("ALOUD_JUDGE_MODEL", "")).strip()
    if not chosen or len(chosen) > _LONGEST or not chosen.isprintable():
        raise SettingsError(
            f"the judge at {named} needs a model: add --judge-model NAME, or ALOUD_JUDGE_MODEL"
        )
    key = env.get("ALOUD_JUDGE_KEY", "").strip()
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise SettingsError("ALOUD_JUDGE_KEY is not a key: it holds spaces or special characters")
    return JudgeSettings(named, chosen, key or None)


def is_address(text: str) -> bool:
    """Whether a text is a web address to which a path can be added."""
    try:
        parts = urlsplit(text)
        _ = parts.port  # raises if it is not a number
    except ValueError:
        return False
    named = parts.scheme in ("http", "https") and bool(parts.hostname)
    return named and not parts.query and not parts.fragment


@dataclass(frozen=True)
class ClientSettings:
    """What the client needs to know.

    Attributes:
        home: the folder of your own data (absolute); made at first use.
        bank: folders or files added to the built-in bank, the last on top.
        lexicon: files or folders added to the built-in lexicon, the last on top.
        server: the address of a shared server without a slash at its end; ``None``: embedded.
        token: what the server knows this client by; ``None``: it has none.
        judge: a language model that judges key phrases not found; ``None``: nothing is asked.
        preferences: voice, theme, engine and the other choices of the settings page.
    """

    home: Path
    bank: tuple[Path, ...] = ()
    lexicon: tuple[Path, ...] = ()
    server: str | None = None
    token: str | None = field(default=None, repr=False)
    judge: JudgeSettings | None = None
    preferences: Preferences = field(default_factory=Preferences)

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
    def cache(self) -> Path:
        """Where bank and lexicon are kept compiled, for a quick start."""
        return self.home / "cache"

    @property
    def own_drills(self) -> Path:
        """Your own drill items."""
        return self.home / "drills" / "own.yaml"

    @property
    def own_questions(self) -> Path:
        """Your own questions: a bank on top of the others."""
        return self.home / "questions.yaml"

    @property
    def stories(self) -> Path:
        """Your own stories."""
        return self.home / "stories.yaml"

    @property
    def banks(self) -> tuple[Path, ...]:
        """What is added to the built-in bank, your own questions on top."""
        own = (self.own_questions,) if self.server is None and self.own_questions.exists() else ()
        return (*self.bank, *own)

    @property
    def own_aliases(self) -> Path:
        """Your own words for key phrases."""
        return self.home / "own_aliases.yaml"

    @property
    def own_readings(self) -> Path:
        """Your own readings of terms, which count as right."""
        return self.home / "own_readings.yaml"

    @property
    def outbox(self) -> Path:
        """Where answers wait for a server."""
        return self.home / "outbox"


def load_settings(
    *,
    bank: Sequence[Path] = (),
    lexicon: Sequence[Path] = (),
    server: str | None = None,
    judge: str | None = None,
    judge_model: str | None = None,
    home: Path | None = None,
    env: Mapping[str, str] = os.environ,
) -> ClientSettings:
    """Settings from flags, or from the environment if a flag is not given.

    ``ALOUD_BANK`` and ``ALOUD_LEXICON`` are lists separated as in ``PATH`` (``:`` on Linux and
    macOS, ``;`` on Windows); ``ALOUD_SERVER`` is an address, ``ALOUD_HOME`` a folder. An empty
    variable counts as not set. ``ALOUD_TOKEN`` is the token for the server; it takes
    precedence over the one that ``aloud login`` keeps. ``ALOUD_JUDGE`` is the address of a judge,
    ``ALOUD_JUDGE_MODEL`` its model, ``ALOUD_JUDGE_KEY`` its key. The preferences come from the
    environment and the data folder, see ``load_preferences``.

    Raises:
        SettingsError: an address, a token or a preference is not valid, or the judge has no model.
        TokenFileError: the file of tokens is damaged.
    """
    folder = data_folder(home, env)
    address = _server(server or env.get("ALOUD_SERVER", ""))
    return ClientSettings(
        home=folder,
        bank=tuple(bank) or _paths(env.get("ALOUD_BANK", "")),
        lexicon=tuple(lexicon) or _paths(env.get("ALOUD_LEXICON", "")),
        server=address,
        token=_token(folder, address, env),
        judge=load_judge(judge, judge_model, env),
        preferences=load_preferences(folder, env),
    )


def data_folder(home: Path | None = None, env: Mapping[str, str] = os.environ) -> Path:
    """The folder of your own data: the given one, ``ALOUD_HOME``, or the system's place for it."""
    named = home or (Path(text) if (text := env.get("ALOUD_HOME", "")) else None)
    if named is not None:
        return named.expanduser().absolute()
    return user_data_path("aloud", appauthor=False)


def _token(home: Path, server: str | None, env: Mapping[str, str]) -> str | None:
    if server is None:
        return None
    token = env.get("ALOUD_TOKEN", "").strip()
    if not token:
        return stored_token(home, server)
    if not is_token(token):
        raise SettingsError("ALOUD_TOKEN is not a token; it looks like aloud_…")
    return token


def _paths(text: str) -> tuple[Path, ...]:
    return tuple(Path(part).expanduser() for part in text.split(os.pathsep) if part)


def _server(text: str) -> str | None:
    address = text.strip().rstrip("/")
    if "@" in address:  # not repeated: it may hold a password
        raise SettingsError(
            "a server address has no name or password in it; sign in with `aloud login`"
        )
    if address and not is_address(address):
        raise SettingsError(
            f"{text!r} is not a server address; it looks like https://aloud.example.org"
        )
    return address or None
