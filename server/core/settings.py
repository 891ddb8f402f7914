"""The settings of a server; passed to ``create_app``, never imported as a global."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, Self
from urllib.parse import quote

from pydantic import BaseModel, ConfigDict, Field

# The largest answer that an archive can hold (200,000 characters and 40,000 timed words) is about
# 5 MB of JSON.
DEFAULT_MAX_BODY_BYTES = 8 * 1024 * 1024


def sqlite_url(path: Path) -> str:
    """The database URL of a SQLite file."""
    return "sqlite:///" + quote(str(path), safe=" +/")


class ServerSettings(BaseModel):
    """What a server needs to know.

    Attributes:
        database_url: an SQLAlchemy URL, e.g. ``sqlite:////var/lib/aloud/aloud.db``.
        bank: folders or files added to the built-in bank.
        lexicon: files added to the built-in lexicon.
        cache: a folder that keeps bank and lexicon compiled for the next start.
        own_questions: a file of questions on top of the bank; need not exist.
        stories: a file of the candidate's stories; likewise.
        own_aliases: a file of other words for key phrases, on top of the bank; need not exist.
        own_readings: a file of readings that count as right, on top of the lexicon; likewise.
        hosts: names, without port, that the server goes by besides this machine's own
            (``localhost``, ``127.0.0.1``, ``[::1]``); ``*`` accepts any.
        max_body_bytes: a larger request is refused with 413.
        request_s: a request must arrive within this many seconds.
        busy_timeout_s: how long a write waits for another one (SQLite).
        log_level: the lowest level of the server's own logs that is logged.
        secret: signs sessions; by default, a random one that is stored in the database.
        reachable: other machines can reach the server, so without an account it serves
            nobody.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    database_url: str = Field(min_length=1)
    bank: tuple[Path, ...] = ()
    lexicon: tuple[Path, ...] = ()
    cache: Path | None = None
    own_questions: Path | None = None
    stories: Path | None = None
    own_aliases: Path | None = None
    own_readings: Path | None = None
    hosts: tuple[str, ...] = ()
    max_body_bytes: int = Field(default=DEFAULT_MAX_BODY_BYTES, ge=1024)
    request_s: float = Field(default=30.0, gt=0)
    busy_timeout_s: float = Field(default=5.0, ge=0, le=600)
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    secret: str | None = Field(default=None, min_length=32, repr=False)
    reachable: bool = False

    @property
    def needs_accounts(self) -> bool:
        """Whether it serves nobody without an account: it is reachable, or a proxy names it."""
        return self.reachable or bool(self.hosts)

    @classmethod
    def from_env(cls, env: Mapping[str, str] = os.environ) -> Self:
        """Settings from the environment.

        ``ALOUD_DATABASE_URL``; ``ALOUD_BANK`` and ``ALOUD_LEXICON``, separated as in ``PATH``;
        ``ALOUD_HOSTS``, separated by commas; ``ALOUD_SECRET``, 32 characters or more;
        ``ALOUD_LOG_LEVEL``: debug, info, warning or error.

        Raises:
            pydantic.ValidationError: ``ALOUD_DATABASE_URL`` is missing or empty.
        """
        return cls(
            database_url=env.get("ALOUD_DATABASE_URL", ""),
            bank=_paths(env.get("ALOUD_BANK", "")),
            lexicon=_paths(env.get("ALOUD_LEXICON", "")),
            hosts=tuple(
                host.strip() for host in env.get("ALOUD_HOSTS", "").split(",") if host.strip()
            ),
            secret=env.get("ALOUD_SECRET") or None,
            **({"log_level": level.lower()} if (level := env.get("ALOUD_LOG_LEVEL")) else {}),
        )


def _paths(text: str) -> tuple[Path, ...]:
    return tuple(Path(part) for part in text.split(os.pathsep) if part)
