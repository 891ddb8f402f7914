"""What every page shares: base template, stylesheet, and the one rendering of a Report as HTML."""

import re
from typing import Final

_CONTROLS: Final = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Unicode's property Bidi_Control."""


def show_controls(text: str) -> str:
    """The text with a sign for each bidirectional control character, e.g. ``[U+202E]``.

    If they were obeyed, text could read as something else: "exe.fdp" as "pdf.exe", or a comment as
    if a name came before it (Unicode TR 36, https://trojansource.codes).
    """
    return _CONTROLS.sub(lambda found: f"[U+{ord(found[0]):04X}]", text)
