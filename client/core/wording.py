"""Small words in messages."""

import codecs
import re
from typing import Final

_COMMANDS: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""What a terminal obeys instead of showing it: control characters of both sets, among them what
begins an escape sequence, and characters that reorder the text around them (Unicode Standard
Annex 9: embeddings, overrides, isolates). Line feed and tab are text."""


def count_of(number: int, noun: str) -> str:
    """A number with its noun in the singular or plural: ``1 answer``, ``2 answers``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def sentence(text: str) -> str:
    """A remedy, which follows a colon in the terminal, as a sentence of its own on a page."""
    return f"{text[:1].upper()}{text[1:]}."


def encoding_of(content: bytes) -> str:
    """How a text file is encoded: UTF-16 where it begins so (Windows' "Unicode"), else UTF-8."""
    is_wide = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return "utf-16" if is_wide else "utf-8-sig"


def visible(text: str) -> str:
    """The text with a sign in the place of each character that a terminal would obey.

    A terminal that prints a stranger's escape sequence may write to the clipboard (OSC 52), clear
    the screen or rewrite what stands above. An escape character becomes ``␛``.
    """
    return _COMMANDS.sub(_sign, text.replace("\r\n", "\n"))


def escaped(json_text: str) -> str:
    """A JSON document in which such characters are escaped: the same document, safe to print."""
    return _COMMANDS.sub(lambda found: f"\\u{ord(found[0]):04x}", json_text)


def _sign(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x20:
        return chr(0x2400 + code)  # the picture that Unicode has for it
    return "␡" if code == 0x7F else "\N{REPLACEMENT CHARACTER}"
