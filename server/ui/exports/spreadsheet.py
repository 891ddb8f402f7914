"""Text in CSV cells, escaped so that a spreadsheet does not run it, and unescaped again."""

from typing import Final

_FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""Spreadsheets evaluate text that begins like this, full-width or not (OWASP, "CSV Injection")."""
_GUARD: Final = "'"


def to_cell(text: str) -> str:
    """The text with a mark before it where a spreadsheet would run it."""
    return _GUARD + text if text.lstrip(" ").startswith(_FORMULA_STARTS) else text


def from_cell(text: str) -> str:
    """The text as it was before ``to_cell``."""
    if text.startswith(_GUARD) and text[1:].lstrip(" ").startswith(_FORMULA_STARTS):
        return text[1:]
    return text
