"""Text within Markdown: what was said is text, never markup."""

import re
from typing import Final

_SPECIAL: Final = re.compile(r"([\\`*_{}\[\]<>#|~&!$])")
_LINE_START: Final = re.compile(r"^(?=[-+=]|\d{1,9}[.)])(\d*)")


def plain_text(text: str) -> str:
    """One line of plain text, whatever it holds."""
    line = " ".join(text.split())
    return _LINE_START.sub(r"\1\\", _SPECIAL.sub(r"\\\1", line))
