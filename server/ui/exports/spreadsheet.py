"""Text in a CSV file that a spreadsheet must not run, there and back."""

from typing import Final

_FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""A spreadsheet runs a text that begins so (OWASP, "CSV Injection"); the full-width ones too."""
_GUARD: Final = "'"


def to_cell(text: str) -> str:
    """The text with a mark before it where a spreadsheet would run it."""
    return _GUARD + text if text.lstrip(" ").startswith(_FORMULA_STARTS) else text


def from_cell(text: str) -> str:
    """The text as it was before ``to_cell``."""
    if text.startswith(_GUARD) and text[1:].lstrip(" ").startswith(_FORMULA_STARTS):
        return text[1:]
    return text
