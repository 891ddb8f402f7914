"""The lexicon with the user's own readings, from "I said it right".

Only if the server runs in this process: a program's lexicon is for the program to change.
"""

from client.core.settings import ClientSettings
from pronunciation.lexicon_loader import (
    OwnReadings,
    load_lexicon,
    read_own_readings,
    with_own_readings,
)
from pronunciation.terms import Lexicon


def load_own_lexicon(settings: ClientSettings) -> Lexicon:
    """The lexicon of the settings with the person's own readings.

    Raises:
        LexiconError: a file is not valid.
    """
    return with_own_readings(load_lexicon(settings.lexicon, settings.cache), own_readings(settings))


def own_readings(settings: ClientSettings) -> OwnReadings:
    """The person's own readings, where they count.

    Raises:
        LexiconError: the file is not valid.
    """
    return {} if settings.server is not None else read_own_readings(settings.own_readings)
