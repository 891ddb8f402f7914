"""The settings of a judge: a language model that is asked about phrases not found."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from client.core.errors import SettingsError

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
