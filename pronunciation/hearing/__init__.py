"""Hearing how a term was said: which of a closed set of readings is in the sound.

Nothing heavy is imported here: the network and the dictionary load at first use.
"""

from pronunciation.hearing.drill import hear_drill
from pronunciation.hearing.hear import Hearing
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

HEARING_VERSION = "6"
"""Increased whenever the model, the fusion or the rules change; stored evidence records it."""
