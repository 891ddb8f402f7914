"""Opening the service that a server's settings describe."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from platformdirs import user_cache_dir

from pronunciation.lexicon_loader import load_lexicon
from pronunciation.own_readings import read_own_readings, with_own_readings
from pronunciation.terms import Lexicon
from question_bank.loader import load_bank
from question_bank.models import Bank
from server.attempts.grading_data import Grader
from server.attempts.service import Service
from server.core.settings import ServerSettings

if TYPE_CHECKING:  # it brings SQLAlchemy
    from server.attempts.store import Store


def create_service(
    settings: ServerSettings, *, before_opening: Callable[[], None] | None = None
) -> Service:
    """The service that the settings describe; opens the database, and loads the rest at first use.

    Args:
        settings: name database, bank and lexicon.
        before_opening: if given, the database is also opened at first use, after calling this; the
            bank and grading do not need it.

    Raises:
        StoreError: the database cannot be used.
    """

    def bank() -> Bank:
        own = settings.own_questions
        banks = settings.bank if own is None or not own.exists() else (*settings.bank, own)
        return load_bank(banks, settings.cache, settings.own_aliases, stories=settings.stories)

    def lexicon() -> Lexicon:
        loaded = load_lexicon(settings.lexicon, settings.cache)
        if settings.own_readings is not None and settings.own_readings.exists():
            loaded = with_own_readings(loaded, read_own_readings(settings.own_readings))
        return loaded

    def store() -> "Store":
        from server.attempts.store import Store

        if before_opening is not None:
            before_opening()
        return Store(settings.database_url, busy_timeout_s=settings.busy_timeout_s)

    def grader() -> Grader:
        kept = settings.cache or Path(user_cache_dir("aloud"))
        return current_grader(kept / "language")

    return Service(store() if before_opening is None else store, bank, lexicon, grader=grader)


def current_grader(language_model: Path | None = None) -> Grader:
    """The grader of this version; rules alone find errors if there is no folder for the model."""
    from server.grading import GRADER_VERSION, answer_vectors, grade, prepare
    from server.grading.language import find_errors, with_language

    find = partial(find_errors, language_model)
    return Grader(grade, GRADER_VERSION, answer_vectors, prepare, find, with_language)
