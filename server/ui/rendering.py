"""The template environment of every page, and the filters that write values for people."""

import re
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from pronunciation.errors import PhoneError
from pronunciation.phones import to_ipa
from pronunciation.respelling.for_people import respell_phones
from question_bank.models import round_text
from server.contract import NOT_KNOWN, clock, duration
from server.ui import show_controls
from server.ui.verdict_words import NO_SOUND, VERDICT_WORDS, graded_text

STATIC: Final = Path(__file__).parent / "static"
STYLESHEET: Final = STATIC / "aloud.css"
DARK_STYLESHEET: Final = STATIC / "dark.css"
"""Applied on top of the light style where it is dark."""
"""Served as ``/static/ui/``."""
TEMPLATES: Final = Path(__file__).parent / "templates"


def stylesheet() -> Markup:
    """The stylesheet for a self-contained file, dark if the system is."""
    light, dark = (path.read_text(encoding="utf-8") for path in (STYLESHEET, DARK_STYLESHEET))
    return Markup(f"{light}\n@media (prefers-color-scheme: dark) {{\n{dark}}}\n")


@cache
def environment(*extra_template_folders: Path) -> Environment:
    """Templates that escape everything and fail on an undefined name.

    One for the process, because compiling a page's templates takes longer than rendering it.

    Args:
        extra_template_folders: a site's own folders, searched before the shared one.
    """
    templates = Environment(
        loader=FileSystemLoader([*extra_template_folders, TEMPLATES]),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.globals["no_sound"] = NO_SOUND
    templates.filters.update(
        clock=clock,
        duration=duration,
        percent=percent,
        when=when,
        ipa=ipa,
        respell=respell,
        with_code=with_code,
        graded=graded_text,
        verdict=lambda name: VERDICT_WORDS.get(name, name),
        as_typed=escape,
        sentence=sentence,
        round_text=round_text,
    )
    return templates


def _shown(value: object) -> object:
    """Escapes a value on its way into a page, unless it is already HTML.

    In a field that is sent back, text stays ``as_typed``.
    """
    if isinstance(value, str) and not isinstance(value, Markup):
        return show_controls(value)
    return value


def sentence(text: str) -> str:
    """An error's text, which is written to follow a colon, as a sentence."""
    ended = text if text.endswith((".", "!", "?", "…")) else f"{text}."
    return ended[:1].upper() + ended[1:]


def percent(share: float | None) -> str:
    """A share from 0 to 1 as ``71%``; a dash for none."""
    return NOT_KNOWN if share is None else f"{share:.0%}"


def when(moment: datetime | None) -> str:
    """A moment as ``21 Nov 2026, 17:34`` in this machine's time zone."""
    if moment is None:
        return NOT_KNOWN
    local = moment.astimezone()
    return f"{local.day} {local:%b %Y, %H:%M}"


def ipa(phones: str) -> str:
    """ARPAbet as IPA; other notations from older versions are shown as they are."""
    try:
        return to_ipa(phones)
    except PhoneError:
        return phones


def respell(phones: str) -> str:
    """ARPAbet in plain letters (``ROCK-ee``); anything else is shown as it is."""
    try:
        return respell_phones(phones)
    except PhoneError:
        return phones


def with_code(text: str) -> Markup:
    """Plain text, with text between backticks (a command to type) as ``<code>``."""
    pieces = re.split(r"`([^`]+)`", text)
    return Markup("").join(
        Markup("<code>{}</code>").format(piece) if index % 2 else escape(piece)
        for index, piece in enumerate(map(show_controls, pieces))
    )
