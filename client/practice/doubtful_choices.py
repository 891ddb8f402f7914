"""Settings that do nothing, or not what people expect; pages and terminal say so."""

from typing import Final

from client.core.errors import WeightsError
from client.core.preferences import Preferences
from client.engines.weights import find_weights
from client.practice.drills.items import HARD_SOUNDS

MOTHER_TONGUES: Final = tuple(sorted(each.capitalize() for each in {"english", *HARD_SOUNDS}))
"""The languages whose speakers' hard sounds are known; any other can be typed."""


def doubts_of(preferences: Preferences) -> dict[str, str]:
    """A sentence for each doubtful choice, by the setting's name."""
    doubts = {}
    try:
        if preferences.model and find_weights(preferences.model) is None:
            doubts["model"] = (
                f"{preferences.model} is not on this machine yet: answers wait for it."
            )
    except WeightsError as error:
        doubts["model"] = f"These weights cannot be used: {error}."
    tongue = preferences.mother_tongue
    if tongue and tongue.capitalize() not in MOTHER_TONGUES:
        doubts["mother_tongue"] = (
            f"Drills know no hard sounds of {tongue}. They do for {', '.join(MOTHER_TONGUES)}."
        )
    return doubts
