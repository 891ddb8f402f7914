"""Hearing how a term was said: which of a closed set of readings is in the sound.

The parts load at first use, because a grader needs a few small modules of this package only. So do
the network and the dictionary.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from pronunciation.hearing.hear import Hearing, hear_drill
    from pronunciation.hearing.manifest import (
        hear_entry,
        hear_terms,
        named_audio,
        parse_entry,
        result_entry,
    )
    from pronunciation.hearing.results import DrillHeard, Heard, Reading, Target, Verdict

__all__ = [
    "HEARING_VERSION",
    "DrillHeard",
    "Heard",
    "Hearing",
    "Reading",
    "Target",
    "Verdict",
    "hear_drill",
    "hear_entry",
    "hear_terms",
    "named_audio",
    "parse_entry",
    "result_entry",
]

HEARING_VERSION = "12"
"""Increased whenever the model, the fusion or the rules change; stored evidence records it."""

_MODULES: Final = {
    "hear": ("Hearing", "hear_drill"),
    "manifest": ("hear_entry", "hear_terms", "named_audio", "parse_entry", "result_entry"),
    "results": ("DrillHeard", "Heard", "Reading", "Target", "Verdict"),
}


def __getattr__(name: str) -> Any:
    """Loads the part that has this name."""
    for module, names in _MODULES.items():
        if name in names:
            return getattr(import_module(f"pronunciation.hearing.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
